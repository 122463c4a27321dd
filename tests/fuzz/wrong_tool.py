#!/usr/bin/env python3
"""The tool, but wrong on purpose: what run.py and reduce.py have to notice.

    wrong_tool.py rewrite --output-dir=FOLDER ...

Calls the program named in BANKSTRIPE and then spoils the helper that it has
written, or the rewritten sources, as FUZZ_MISTAKE says:

    warp      the second warp of a block shares the storage of the first
    lane      two lanes share a column
    clear     `= {}` clears the first element only
    place     all that launches bring storage for lies at one place
    own       dynamic shared memory lies on what the kernel asks for itself
    few       launches bring half of what kernels need
    syntax    the helper does not compile
    crash     the tool fails

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import re
import subprocess
import sys

MISTAKES = {
    "warp": ("return thread() / 32;", "return thread() / 64;"),
    "lane": ("return thread() % 32;", "return thread() % 31;"),
    "clear": ("in(*detail::further(first, row));", "in(*detail::further(first, 0));"),
    "place": ("memory + Begin", "memory + 0"),
    "own": ("Behind ? given - mark - last", "Behind ? last - WarpBytes"),
    "syntax": ("namespace bankstripe {", "namespace bankstripe { int unfinished = ;"),
}
# Those in the sources: what is there, and the number that becomes another one.
SPOILED = {
    "few": (r"(_row(?:<.*>::row)?\(.*, )(\d+)", lambda found: f"{found[1]}{int(found[2]) // 2}"),
}


def main():
    done = subprocess.run([os.environ["BANKSTRIPE"], *sys.argv[1:]], check=False)
    mistake = os.environ["FUZZ_MISTAKE"]
    if mistake == "crash":
        return 134
    folder = next(a for a in sys.argv if a.startswith("--output-dir=")).split("=", 1)[1]
    if mistake in SPOILED:
        for source in pathlib.Path(folder).rglob("*.cu"):
            source.write_text(re.sub(*SPOILED[mistake], source.read_text()))
        return done.returncode
    right, wrong = MISTAKES[mistake]
    for helper in pathlib.Path(folder).rglob("bankstripe.cuh"):
        text = helper.read_text()
        if wrong in text:
            continue
        if right not in text:
            sys.exit(f"wrong_tool: the helper has no {right!r}")
        helper.write_text(text.replace(right, wrong))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
