#!/usr/bin/env python3
"""Draws the pictures of the documents, docs/pictures/*.svg: make.py [--tool=BANKSTRIPE] [NAME...]

Without a NAME all of them; `terminal` only with a tool.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import importlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"


def draw(name, tool=None):
    return importlib.import_module(name).draw(*([tool] if name == "terminal" else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    everything = [file.stem for file in FOLDER.glob("*.svg") if file.stem != "terminal" or arguments.tool]
    for name in arguments.names or everything:
        (FOLDER / f"{name}.svg").write_text(draw(name, arguments.tool), encoding="utf-8")


if __name__ == "__main__":
    main()
