#!/usr/bin/env python3
"""Generates cases, rewrites them, runs both forms, and compares what they print.

    run.py [--tool=BANKSTRIPE] [--first=SEED] [--cases=N] [--batch=20] [-jN]
    run.py --prepare=FOLDER ...    only generates and rewrites; see run_pairs.py
    run.py --originals ...         no tool: the originals must be in order

The tool gets more options for some cases: see OPTIONS in rewriting.py.
It stops at the first case that fails, or goes on with --keep-going. A case that
fails can be made small with `reduce.py --seed=SEED`.

Exit status: 0 no case fails, 1 some do, 77 the compiler is missing.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import shutil
import sys
import tempfile
import time

import run_pairs
from program import batch, write
from rewriting import DEFAULT_TOOL, Counts, ToolFailure, complaints, launch, options_of, rewrite
from run_pairs import Problem


class Stage:
    """Generates and rewrites one batch after the other into a folder."""

    def __init__(self, tool, folder, gpu, versions, rewrite):
        self.tool, self.folder, self.gpu, self.versions = tool, folder, gpu, versions
        self.rewrite = rewrite
        (folder / "original").mkdir(parents=True)
        self.counts, self.problems = Counts(), []

    def single(self, seeds):
        """Which cases the tool fails on, each alone."""
        for seed in seeds:
            source = self.folder / f"alone_{seed}.cu"
            write(batch([seed], self.gpu)[0], source)
            try:
                self.rewrite(self.tool, source, self.folder / "alone",
                             options_of(seed, self.versions))
            except ToolFailure as failure:
                self.problems.append(Problem("tool", "rewriting", seed, str(failure)))
            source.unlink()

    def make(self, seeds):
        """A pair of files for these seeds; the second is None when nothing
        changes or there is no tool."""
        text, programs = batch(seeds, self.gpu)
        source = self.folder / "original" / f"cases_{seeds[0]:06}.cu"
        write(text, source)
        if self.tool is None:
            return source, None
        try:
            copy, arrays = self.rewrite(self.tool, source, self.folder / "rewritten",
                                        options_of(seeds[0], self.versions))
        except ToolFailure as failure:
            before = len(self.problems)
            self.single(seeds)
            if len(self.problems) == before:
                self.problems.append(Problem("tool", "rewriting", None, f"{source}: {failure}"))
            source.unlink()
            return source, None
        self.counts.add(arrays, programs)
        self.problems += [Problem("verdict", "rewriting", seed, text)
                          for seed, text in complaints(arrays, programs, copy)]
        if copy is None:
            (self.folder / "rewritten" / source.name).unlink(missing_ok=True)
        return source, copy


def batches(options):
    """Seeds for which the tool gets the same options and may do the same."""
    seeds = range(options.first, options.first + options.cases)
    groups = [list(group) for _, group in itertools.groupby(
        seeds, lambda seed: options_of(seed, options.versions))]
    return [group[i:i + options.batch] for group in groups
            for i in range(0, len(group), options.batch)]


def choosing(rewriting):
    """The same with launches that choose (tests/cpu/host_rows.h says which kernels run)."""
    def rewritten(tool, source, target, extra=()):
        return rewriting(tool, source, target, ["--choose", *extra])
    return rewritten


def prepare(options, folder):
    """All pairs whose two sides differ, or all originals without a tool."""
    rewriting = launch if options.launcher else rewrite
    if options.choose:
        rewriting = choosing(rewriting)
    stage = Stage(None if options.originals else options.tool, folder, options.gpu,
                  options.versions, rewriting)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        files = list(pool.map(stage.make, batches(options)))
    return stage, [(a, b) for a, b in files if b is not None or options.originals]


def check(options, stage, files, work):
    problems = list(stage.problems)

    def report(problem):
        print(run_pairs.describe(problem), flush=True)
        return options.keep_going
    for problem in stage.problems:
        if not report(problem):
            return 0, problems
    launches, found = run_pairs.run_all(options, work, files, report)
    return launches, problems + found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    run_pairs.add_options(parser)
    parser.add_argument("--tool", type=pathlib.Path, default=DEFAULT_TOOL)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--batch", type=int, default=20, help="cases per file")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--at-least", type=json.loads, default={}, metavar="JSON",
                        help='fail when fewer arrays move, as in {"stripe": 300}, or '
                             'when launches bring the storage of fewer, {"dynamic": 100}')
    parser.add_argument("--originals", action="store_true", help="no tool, only the originals")
    parser.add_argument("--versions", action="store_true",
                        help="all cases as versions, which half of them are else")
    parser.add_argument("--launcher", action="store_true", help="by bankstripe wrap, without a report")
    parser.add_argument("--choose", action="store_true", help="launches choose their kernels")
    parser.add_argument("--gpu", action="store_true", help="only what a GPU does as a host does")
    parser.add_argument("--shapes", action="store_true", help="print the verdicts of each shape")
    options = parser.parse_args()
    if not options.prepare and not shutil.which(options.compiler):
        print(f"run: skipped: there is no {options.compiler}")
        return run_pairs.run_on_host.SKIPPED
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        stage, files = prepare(options, options.prepare or pathlib.Path(temporary) / "pairs")
        rewriting = time.monotonic() - begun
        if not options.originals:
            print(stage.counts.text(options.shapes), flush=True)
        if options.prepare:
            launches, problems = 0, stage.problems
            for problem in problems:
                print(run_pairs.describe(problem))
        else:
            launches, problems = check(options, stage, files, pathlib.Path(temporary))
    missing = stage.counts.too_few(options.at_least)
    print("\n".join(missing), end="\n" if missing else "")
    print(f"{options.cases} cases, {len(files)} files, {launches} launches agree, "
          f"{len(problems)} problems; {rewriting:.0f} s to rewrite, "
          f"{time.monotonic() - begun:.0f} s in all")
    return 1 if problems or missing else 0


if __name__ == "__main__":
    sys.exit(main())
