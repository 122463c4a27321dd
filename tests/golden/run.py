#!/usr/bin/env python3
"""Compares what bankstripe makes of whole files with what was reviewed.

Usage: run.py [--update] BANKSTRIPE [CASE...]

A case is a folder beside this script: sources, the diff that `bankstripe
rewrite` prints for them (expected.diff) and the report (expected.txt); where
there is an expected.sarif, what `--format=sarif` prints as well. A line
`// golden: OPTIONS` in a source adds options. Without names, all cases run.
--update writes the expected files anew, to be reviewed as a diff; --list prints
the names.

nvcc is not asked, so no CUDA toolkit is needed. What depends on the machine is
left out of the comparison: the folder, the messages that there is no toolkit
and that the diff lacks the helper, and, since they have tests of their own,
occupancy and the text of an embedded helper.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = ("expected.diff", "expected.txt", "expected.sarif")


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
    return given if "--explain" in given else ["--min-speedup=0", *given]


def without_helper(diff):
    """One line for the helper's text, and line numbers as if it were one."""
    found = re.search(r"^\+// bankstripe\.cuh .*?^\+#endif // bankstripe\.cuh\n", diff, re.MULTILINE | re.DOTALL)
    if not found:
        return diff
    before, after = diff[:found.start()], diff[found.end():]
    extra = found.group().count("\n") - 1

    def corrected(header, start, count):
        old, new_start, new_count = header.groups()
        return f"@@ {old} +{int(new_start) - start},{int(new_count) - count} @@"

    hunk = r"^@@ (-\S+) \+(\d+),(\d+) @@$"
    last = before.rindex("@@ -")
    before = before[:last] + re.sub(
        hunk, lambda m: corrected(m, 0, extra), before[last:], flags=re.MULTILINE)
    after = re.sub(
        hunk, lambda m: corrected(m, extra, 0), after, flags=re.MULTILINE)
    return before + "+<the text of bankstripe.cuh>\n" + after


def without_machine(report, folder):
    report = report.replace(f"{folder}/", "")
    report = re.sub(r"^bankstripe: (no CUDA toolkit was found|the diff lacks)"
                    r".*\n", "", report, flags=re.MULTILINE)
    return re.sub(r"^  occupancy .*\n", "", report, flags=re.MULTILINE)


def in_few_lines(value, indent=0):
    """JSON in which what fits into a line is one."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if len(line) + indent <= 160 or not isinstance(value, (dict, list)):
        return line
    begin, end = "{}" if isinstance(value, dict) else "[]"
    names = [f"{json.dumps(name)}: " for name in sorted(value)] if begin == "{" else [""] * len(value)
    items = [value[name] for name in sorted(value)] if begin == "{" else value
    inner = ",\n".join(" " * (indent + 1) + name + in_few_lines(item, indent + 1)
                       for name, item in zip(names, items))
    return f"{begin}\n{inner}\n{' ' * indent}{end}"


def log_without_machine(text, folder):
    """A SARIF log without the version and the rules, which are the same in every log."""
    log = json.loads(text.replace(f"file://{folder}/", "file:///FOLDER/"))
    driver = log["runs"][0]["tool"]["driver"]
    for name in ("rules", "version"):
        driver.pop(name)
    return in_few_lines(log) + "\n"


def run_tool(tool, case, folder, *more):
    return subprocess.run(
        [tool, "rewrite", "--no-cache", "--no-confirm", "--gpu-arch=sm_90", *options(case), *more,
         "."],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def run(tool, case):
    """What the tool says about a case, by the names of the expected files."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for path in sources(case):
            shutil.copy(path, folder)
        done = run_tool(tool, case, folder)
        report = done.stderr.decode("latin-1")
        report = without_machine(report, folder)
        if done.returncode != 0:
            report += f"exit code {done.returncode}\n"
        diff = without_helper(done.stdout.decode("latin-1"))
        for path in sources(case):
            if (folder / path.name).read_bytes() != path.read_bytes():
                report += f"{path.name} was changed on disk\n"
        texts = [diff, report]
        if (HERE / case / EXPECTED[2]).exists():
            log = run_tool(tool, case, folder, "--format=sarif").stdout
            # As `read` does, characters for bytes.
            log = log_without_machine(log.decode("utf-8"), folder)
            texts.append(log.encode("utf-8").decode("latin-1"))
    return dict(zip(EXPECTED, texts))


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
