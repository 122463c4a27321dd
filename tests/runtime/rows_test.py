#!/usr/bin/env python3
"""Builds programs/rows.cu with nvcc and a runtime that needs no GPU, and checks which
kernels its launches run, in builds with several options; and what Clang says of rows.

    rows_test.py [--sample]      --sample: in one build

Exit status: 0 all as expected, 1 not, 77 there is no nvcc.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "compile"))
import check as compile_check  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = HERE / "programs"
# Builds that make errors of all warnings must not fail for the helper.
STRICT = "-Xcompiler=-Wall,-Wextra,-Wconversion,-Wsign-conversion,-Wshadow,-Werror"
BUILDS = (["-O3", "-std=c++17", "--extended-lambda", "-Werror=all-warnings", STRICT],
          ["-std=c++11", "-rdc=true"],
          ["-std=c++20", "--extended-lambda", "-default-stream=per-thread"],
          ["-std=c++14", "-G"])
SKIPPED = 77


def run(command, **variables):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env=os.environ | variables)
    return done.returncode, done.stdout + done.stderr


def lines_of(path):
    """What the program appended, by kernel and size of blocks; instances as `sized<>`."""
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(re.sub("<.*>", "<>", line["kernel"]), line["block"][0]): line for line in found}


def wrong_reports(program, work):
    """What is wrong with what the program appends, and with what variables make it run."""
    problems = []
    for pin in "", "version", "original":
        launches, choices = work / f"launches-{pin}", work / f"choices-{pin}"
        status, output = run([program, "report"], BANKSTRIPE_LAUNCHES=str(launches),
                             BANKSTRIPE_CHOICES=str(choices), BANKSTRIPE_CHOICE=pin)
        found, chosen = lines_of(launches), lines_of(choices)
        counts = {key: (line["version"], line["original"]) for key, line in found.items()}

        def ran(version, **original):
            none = {"tooLarge": 0, "noRoom": 0, "mayWait": 0, "tooManyBlocks": 0, "notChosen": 0}
            return version, none | original

        pinned = pin == "original"
        expected = {
            ("sum", 32): ran(0, notChosen=2) if pinned else ran(2),
            ("sum", 1024): ran(0, notChosen=2) if pinned else ran(0, noRoom=2),
            ("count", 32): ran(1),
            ("space::typed<>", 32): ran(0, notChosen=1) if pinned else ran(1),
            ("sized<>", 32): ran(1) if pin == "version" else ran(0, notChosen=1),
            ("chooses", 32): ran(27, notChosen=3) if not pin else
                             ran(30) if pin == "version" else ran(0, notChosen=30)}
        if status or counts != expected:
            problems.append(f"BANKSTRIPE_CHOICE={pin}: {status}, {output}, {counts}, not {expected}")
        outcome = {key[0]: line["chosen"] for key, line in chosen.items()}
        if outcome != ({} if pin else {"chooses": "version", "sized<>": "open"}):
            problems.append(f"BANKSTRIPE_CHOICE={pin}: {chosen}")
    names = [line["kernel"] for line in found.values()]
    if not any(re.fullmatch("sized<.*N = 3.*T = float>", name) for name in names):
        problems.append(f"no instance in {names}")
    return problems


def problems_of(nvcc, options, work):
    """What is wrong with one build, as text."""
    work.mkdir()
    program, stand_in = work / "rows", work / "stand_in.o"
    include = pathlib.Path(nvcc).resolve().parents[1] / "include"
    for command in (["g++", "-std=c++17", f"-I{include}", "-c", "-o", stand_in, PROGRAMS / "runtime_stand_in.cpp"],
                    [nvcc, *options, "-arch=sm_90", f"-I{ROOT / 'runtime' / 'device'}", "-o", program,
                     PROGRAMS / "rows.cu", PROGRAMS / "rows_other.cu", stand_in]):
        status, output = run(command)
        if status:
            return [output]
    status, cases = run([program])
    if status or not cases:
        return [f"it lists no cases: {status}, {cases}"]
    problems = wrong_reports(program, work)
    for case in cases.split():
        status, output = run([program, case])
        if status:
            problems.append(f"{case}: exit status {status}\n{output}")
    return problems


def wrong_with_clang(nvcc):
    """What is wrong with what Clang says, whose launches pass no rows: that it is so, once, and where arrays
    need the memory that launches bring."""
    problems, compiler = [], shutil.which("clang++-22")
    for source, refused in (("rows.cu", 2), ("rows_other.cu", 0)) if compiler else ():
        _, output = run([compiler, "-x", "cuda", f"--cuda-path={pathlib.Path(nvcc).parents[1]}", "-nocudalib",
                         "--cuda-host-only", "-std=c++17", "-fsyntax-only", f"-I{ROOT / 'runtime' / 'device'}",
                         PROGRAMS / source])
        if [output.count(text) for text in ("[-W#warnings]", "error: only nvcc's launches")] != [1, refused]:
            problems.append(output)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sample", action="store_true")
    options = parser.parse_args()
    nvcc = compile_check.find_nvcc()
    if not nvcc:
        print("rows_test: skipped: there is no nvcc")
        return SKIPPED
    builds = BUILDS[:1] if options.sample else BUILDS
    for problem in (unexpected := wrong_with_clang(nvcc)):
        print(problem)
    failed = len(unexpected)
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        folders = [pathlib.Path(temporary) / str(number) for number in range(len(builds))]
        for build, problems in zip(builds, pool.map(problems_of, [nvcc] * len(builds), builds, folders)):
            failed += bool(problems)
            print(f"{' '.join(build)}: {'failed' if problems else 'passed'}")
            for problem in problems:
                print(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
