#!/usr/bin/env python3
"""What a run over many files costs, by the number of processes and by the cache.

    many_files.py [OPTION...] BANKSTRIPE FOLDER... [-- OPTION...]

The folders are those of a suite of programs, as for survey.py; OPTIONs after --
go to `bankstripe analyze`. The same files are analysed by one process at a time
and by one per core, without the cache, then with an empty cache, and once more
with the filled one. Prints the time on the clock, the CPU time (user and
system, of all processes) and the most memory that one process took; where
others use the cores at the same time, only the CPU time can be compared. Exit
status: 0 all reports are the same, 1 not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import suite_commands


def used():
    """CPU seconds of all processes that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Runs:
    """Runs of one command, in several ways."""

    def __init__(self, command, cache):
        self.command, self.cache = command, cache
        self.reports, self.reference = set(), None

    def run(self, what, *options):
        clock, cpu = time.perf_counter(), used()
        done = subprocess.run([*self.command[:2], *options, *self.command[2:]],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              env={**os.environ, "BANKSTRIPE_CACHE_DIR": self.cache})
        clock, cpu = time.perf_counter() - clock, used() - cpu
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        self.reports.add((done.returncode, done.stdout, done.stderr))
        self.reference = self.reference or clock
        print(f"{what:36} {clock:8.2f} s {self.reference / clock:8.2f} {cpu:8.2f} s "
              f"{cpu / clock:6.2f} {memory:8.0f} MB", flush=True)


def size_of(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).iterdir())


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--files", type=int, help="take the first so many files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args(arguments)


def main():
    arguments, options = suite_commands.split_arguments(sys.argv[1:])
    given = parse(arguments)
    folders = sorted(f.resolve() for f in given.folders if f.is_dir())
    units = [unit for folder in folders for unit in suite_commands.units_of(folder)]
    units = units[:given.files]
    if not units:
        sys.exit("no CUDA source in these folders")
    with tempfile.TemporaryDirectory() as name:
        suite_commands.write_database(units, name)
        cache = str(pathlib.Path(name) / "cache")
        tool = str(pathlib.Path(given.tool).resolve())
        runs = Runs([tool, "analyze", "--format=json", "-p", name, *options,
                     *(unit.file for unit in units)], cache)
        print(f"{len(units)} files\n{'':36} {'clock':>10} {'factor':>8} {'CPU time':>10} "
              f"{'cores':>6} {'memory':>11}")
        runs.run("one process at a time, no cache", "-j1", "--no-cache")
        runs.run(f"{given.jobs} at a time, no cache", f"-j{given.jobs}", "--no-cache")
        runs.run(f"{given.jobs} at a time, empty cache", f"-j{given.jobs}")
        runs.run(f"{given.jobs} at a time, filled cache", f"-j{given.jobs}")
        print(f"{size_of(cache)} bytes in the cache; the reports are "
              f"{'the same' if len(runs.reports) == 1 else 'NOT the same'}")
    return 0 if len(runs.reports) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
