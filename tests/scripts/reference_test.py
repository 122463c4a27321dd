#!/usr/bin/env python3
"""Holds the page on the command line against what the programs print.

Usage: reference_test.py [--update] FOLDER_OF_PROGRAMS PROJECT_FOLDER

docs/reference/command-line.md has the --help of each command. --update writes it. Exit status: 0 the same, 1 not, 3 the runtime is not built.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

NOTE = "<!-- Written by tests/scripts/reference_test.py --update -->\n"

# A title, and the words that are followed by --help; the first is the program.
PROGRAMS = (("bankstripe", ["bankstripe"]),
            *((f"bankstripe {name}", ["bankstripe", name])
              for name in ("analyze", "rewrite", "verify", "tune", "undo", "reason", "stats", "wrap")),
            ("bankstripe verify -- PROGRAM --vs PROGRAM", ["bankstripe-verify"]),
            ("bankstripe replay", ["bankstripe-replay"]))

ABOUT = """# The command line

What `--help` prints. `bankstripe verify` with two programs is `bankstripe-verify`, and `bankstripe replay` is
`bankstripe-replay`; both come with the package `bankstripe-verify`.
"""


def help_of(folder, words):
    done = subprocess.run([folder / words[0], *words[1:], "--help"], check=True, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          env={**os.environ, "COLUMNS": "100"})
    lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def pages(folder):
    whole = NOTE + ABOUT
    for title, words in PROGRAMS:
        whole += f"\n## {title}\n\n```text\n{help_of(folder, words)}```\n"
    return {"command-line.md": whole}


def main():
    update = sys.argv[1:2] == ["--update"]
    folder, root = map(pathlib.Path, sys.argv[1 + update:])
    if not (folder / "bankstripe-verify").exists():
        print("skipped: there is no bankstripe-verify")
        return 3
    wrong = 0
    for name, text in pages(folder).items():
        for document in re.findall(r"docs/[\w/-]+\.md", text.replace("\n", "")):
            if not (root / document).exists():
                wrong = 1
                print(f"{name}: there is no {document}")
        page = root / "docs" / "reference" / name
        if update:
            page.write_text(text, encoding="utf-8")
        there = page.read_text(encoding="utf-8")
        if there != text:
            wrong = 1
            sys.stdout.writelines(difflib.unified_diff(
                there.splitlines(keepends=True), text.splitlines(keepends=True), name, "--help"))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
