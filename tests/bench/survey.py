#!/usr/bin/env python3
"""Runs `bankstripe rewrite` over the folders of a suite of programs and counts.

    survey.py [--first=N] [--every=N] [--details] BANKSTRIPE FOLDER... [-- OPTION...]

Each folder is one run, with -std=c++17, the folder itself and the -I and -D of
its Makefile for the compiler; OPTIONs go to bankstripe. Nothing is written.
Counts exit codes (a negative one is a crash), verdicts and reasons; --details
lists every array that does not stay in registers, and files that failed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

TIMEOUT = 600  # seconds for one folder


def compiler_arguments(folder):
    arguments = ["-std=c++17"]
    makefile = folder / "Makefile"
    text = makefile.read_text(errors="replace") if makefile.exists() else ""
    for option, value in re.findall(r"-([ID])\s?([^\s$]+)", text):
        if "(" in value:
            continue
        if option == "I":
            value = os.path.normpath(folder / value)
        if f"-{option}{value}" not in arguments:
            arguments.append(f"-{option}{value}")
    return arguments + [f"-I{folder}"]


def survey(tool, folder, options):
    """(folder, exit code or 'hang', the report or None, standard error)"""
    command = [tool, "rewrite", "--format=json", "-j1", *options, str(folder), "--",
               *compiler_arguments(folder)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return folder, "hang", None, ""
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = None
    return folder, done.returncode, report, done.stderr.decode(errors="replace")


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args(arguments)
    folders = sorted(f.resolve() for f in given.folders)[given.first::given.every]

    codes, verdicts, reasons = (collections.Counter() for _ in range(3))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for folder, code, report, errors in pool.map(
                lambda f: survey(given.tool, f, options), folders):
            codes[code] += 1
            if given.details and errors and code != 0:
                print(f"{folder.name}: exit code {code}: {errors.strip().splitlines()[-1]}")
            for array in report["arrays"] if report else []:
                verdicts[array["verdict"]] += 1
                reasons[array["reason"]] += 1
                if given.details and array["verdict"] != "registers":
                    print(f"{folder.name}: {array['name']} ({array['type']}): "
                          f"{array['verdict']}, {array['reason']} {array['detail']}".rstrip())
    for title, counts in (("exit codes", codes), ("verdicts", verdicts), ("reasons", reasons)):
        print(f"{title}: " + ", ".join(f"{what} {n}" for what, n in counts.most_common()))


if __name__ == "__main__":
    main()
