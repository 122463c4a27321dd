#!/usr/bin/env python3
"""Checks docs/reference/json.md against what the tool prints, name by name.

Usage: json_test.py BANKSTRIPE PROJECT_FOLDER

Analyzes a small kernel. Every name in the output has to stand in the section of
docs/reference/json.md for that kind of object, and the other way round.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = """
__global__ void count(const unsigned *keys, int *totals) {
  int counts[16] = {0};
  for (int i = 0; i < 64; ++i)
    counts[keys[threadIdx.x * 64 + i] & 15]++;
  for (int d = 0; d < 16; ++d)
    totals[threadIdx.x * 16 + d] = counts[d];
}
void launch(const unsigned *keys, int *totals) {
  count<<<1, 128>>>(keys, totals);
}
"""

DECISIONS = """version: 1
arrays:
  - {file: count.cu, function: count, array: counts, decision: split, first: 4}
"""


def documented(text):
    """The names in the first column of each section's table."""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {
        section.split("\n", 1)[0]: {
            name
            for cell in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", cell)
        }
        for section in sections
    }


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "count.cu"
        source.write_text(SOURCE)
        source.with_name(".bankstripe.yaml").write_text(DECISIONS)
        run = subprocess.run(
            [tool, "analyze", "--no-cache", "--format=json", str(source)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    whole = json.loads(run.stdout)
    array, kernel = whole["arrays"][0], whole["kernels"][0]
    objects = {
        "The whole": whole,
        "An array": array,
        "A use": array["uses"][0],
        "A kernel": kernel,
        "A decision": whole["decisions"][0],
        "A place": array["place"],
        # Without nvcc there is none.
        "Resources": kernel["ptxasBefore"],
    }

    sections = documented((root / "docs" / "reference" / "json.md").read_text(encoding="utf-8"))
    problems = []
    for title, value in objects.items():
        if value is None:
            continue
        names = set(value)
        for name in sorted(names - sections[title]):
            problems.append(f"'{title}' does not describe {name}")
        for name in sorted(sections[title] - names):
            problems.append(f"'{title}' describes {name}, which is not printed")
    print("\n".join(problems) or "docs/reference/json.md says what is printed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
