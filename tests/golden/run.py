#!/usr/bin/env python3
"""Compares what bankstripe makes of whole files with what was reviewed.

Usage: run.py [--update] BANKSTRIPE [CASE...]

A case is a folder beside this script: sources, the diff that `bankstripe
rewrite` prints for them (expected.diff) and the report (expected.txt). A line
`// golden: OPTIONS` in a source adds options. Without names, all cases run.
--update writes the expected files anew, to be reviewed as a diff; --list prints
the names.

nvcc is not asked, so no CUDA toolkit is needed. What depends on the machine is
left out of the comparison: the folder, the messages that there is no toolkit
and that the diff lacks the helper, and, since they have tests of their own,
occupancy and, where all moves, the predicted speedup.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = ("expected.diff", "expected.txt")


def cases():
    return sorted(p.name for p in HERE.iterdir() if any(p.glob("*.cu")))


def sources(case):
    return [p for p in sorted((HERE / case).iterdir()) if p.name not in EXPECTED]


def read(path):
    """Bytes as characters, line endings untouched."""
    return path.read_bytes().decode("latin-1")


def options(case):
    given = [
        option
        for path in sources(case)
        for line in re.findall(r"^// golden: (.*?)\r?$", read(path), re.MULTILINE)
        for option in line.split()
    ]
    # Whatever can move does, unless predictions are what is shown.
    return ["--min-speedup=0", *given]


def without_machine(report, folder, predicts):
    report = report.replace(f"{folder}/", "")
    report = re.sub(r"^bankstripe: (no CUDA toolkit was found|the diff lacks)"
                    r".*\n", "", report, flags=re.MULTILINE)
    rows = "occupancy" if predicts else "(occupancy|predicted speedup)"
    return re.sub(rf"^  {rows} .*\n", "", report, flags=re.MULTILINE)


def run_tool(tool, case, folder):
    return subprocess.run(
        [tool, "rewrite", "--no-cache", "--no-confirm", "--gpu-arch=sm_90", *options(case), "."],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def run(tool, case):
    """What the tool says about a case, by the names of the expected files."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for path in sources(case):
            shutil.copy(path, folder)
        done = run_tool(tool, case, folder)
        report = done.stderr.decode("latin-1")
        report = without_machine(report, folder, "--min-speedup" in " ".join(options(case)[1:]))
        if done.returncode != 0:
            report += f"exit code {done.returncode}\n"
        diff = done.stdout.decode("latin-1")
        for path in sources(case):
            if (folder / path.name).read_bytes() != path.read_bytes():
                report += f"{path.name} was changed on disk\n"
    return dict(zip(EXPECTED, (diff, report)))


def compare(case, actual):
    """Whether all is as expected; prints what is not."""
    same = True
    for name, text in actual.items():
        path = HERE / case / name
        expected = read(path) if path.exists() else ""
        if text == expected:
            continue
        same = False
        lines = difflib.unified_diff(
            expected.split("\n"), text.split("\n"),
            f"expected {case}/{name}", f"actual {case}/{name}", lineterm="")
        print("\n".join(lines).encode("latin-1").decode("utf-8", "replace"))
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("tool", nargs="?", metavar="BANKSTRIPE")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(cases()))
        return 0
    if not arguments.tool:
        parser.error("name the program bankstripe")
    tool = str(pathlib.Path(arguments.tool).resolve())
    failed = []
    for case in arguments.cases or cases():
        actual = run(tool, case)
        if arguments.update:
            for name, text in actual.items():
                (HERE / case / name).write_bytes(text.encode("latin-1"))
        elif not compare(case, actual):
            failed.append(case)
    if failed:
        print("differ:", *failed)
        print("when this is intended: cmake --build BUILD_DIR --target update-goldens")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
