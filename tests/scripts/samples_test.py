#!/usr/bin/env python3
"""Checks that output which a document shows is what the tool prints.

Usage: samples_test.py PROJECT_FOLDER

The indented sample in docs/guide/report.md must stand in the golden that it is of.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import sys

SAMPLES = {"docs/guide/report.md": ("kernel histogram", "tests/golden/explain/expected.txt")}


def sample_in(text, start):
    """The indented block that begins with start, as the tool would print it."""
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("    " + start))
    block = []
    for line in lines[first:]:
        if not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = [document for document, (start, golden) in SAMPLES.items()
             if sample_in((root / document).read_text(encoding="utf-8"), start)
             not in (root / golden).read_text(encoding="utf-8")]
    for document in wrong:
        print(f"{document}: the sample is not what {SAMPLES[document][1]} says")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
