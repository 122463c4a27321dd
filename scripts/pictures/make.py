#!/usr/bin/env python3
"""Draws the pictures of the documents: make.py [--check] [--tool=BANKSTRIPE] [NAME...]

Without a NAME, all of docs/pictures/ that scripts make; `terminal` only with a tool. With
--check, writes nothing, and fails where a picture is not what would be drawn.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import pathlib
import sys

import banks
import heatmap
import pipeline
import speedups
import terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = {"banks": banks.draw, "speedups": speedups.draw, "heatmap": heatmap.draw,
            "pipeline": pipeline.draw, "terminal": terminal.draw}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tool")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    stale = []
    for name in arguments.names or PICTURES:
        if name == "terminal" and not arguments.tool:
            continue
        drawn = terminal.draw(arguments.tool) if name == "terminal" else PICTURES[name]()
        file = ROOT / "docs" / "pictures" / f"{name}.svg"
        if not arguments.check:
            file.write_text(drawn, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != drawn:
            stale.append(name)
    if stale:
        print(f"make them anew: scripts/pictures/make.py {' '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
