#!/usr/bin/env python3
"""Writes the manual pages of the programs: what --help prints, as man shows it.

Usage: make_man.py FOLDER_OF_PROGRAMS OUTPUT_FOLDER

bankstripe.1.gz has a section for each command. The other programs have a page
each, if they are there.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gzip
import os
import pathlib
import re
import subprocess
import sys

PROGRAMS = {"bankstripe": "move per-thread CUDA arrays from local into shared memory",
            "bankstripe-verify": "compare two CUDA programs launch by launch, and time them",
            "bankstripe-replay": "launch a captured CUDA kernel again, as it was and rewritten"}


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "72", "NO_COLOR": "1"})
    return re.sub(r"\n{3,}", "\n\n", done.stdout.strip("\n"))


def verbatim(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return ".in 0\n.nf\n" + re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE) + "\n.fi\n.in\n"


def page(program, version):
    text = help_of(program)
    page_text = (f'.TH {program.name.upper()} 1 "" "bankstripe {version}" "User Commands"\n'
                 f".SH NAME\n{program.name} \\- {PROGRAMS[program.name]}\n.SH DESCRIPTION\n" + verbatim(text))
    listed = re.search(r"(?s)SUBCOMMANDS:\n\n(.*?)\n\n", text)
    for name in re.findall(r"^  (\w+) +- ", listed[1], re.MULTILINE) if listed else []:
        if name != "replay":  # It has a page.
            page_text += f".SH {program.name.upper()} {name.upper()}\n" + verbatim(
                # What stands before it is the same for all.
                re.sub(r"(?s)\A.*?(?=^USAGE:)", "", help_of(program, name), flags=re.MULTILINE))
    return page_text


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, output = map(pathlib.Path, sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([folder / "bankstripe", "--version"], check=True, capture_output=True,
                             text=True).stdout.split()[1]
    for program in (folder / name for name in PROGRAMS):
        if program.exists():
            (output / f"{program.name}.1.gz").write_bytes(
                gzip.compress(page(program, version).encode(), mtime=0))


if __name__ == "__main__":
    main()
