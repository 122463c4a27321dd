#!/usr/bin/env python3
"""What recording costs the programs of a suite, and what the verifier says of them. Needs a GPU.

    suite_record.py [OPTION...] PACK OUTPUT

Builds every program of PACK, which suite_prepare.py made with --verify, in both forms, in parallel,
and runs the original one after the other, once to warm up, then the ways (--ways) in turns:

    alone      as it is
    times      recorded without digests: every launch, and how long it took
    watched    every launch and allocation watched for digests, but none taken
    digests    recorded with digests as bankstripe-verify takes them by default
    all        recorded with digests after every launch

What it prints and its exit status have to be the same each time; numbers in what it prints may be
times and are not compared here. Then bankstripe-verify compares each original with its rewrite by
default, memory and output, several pairs at a time. A program that is not rewritten is compared
with itself.

Prints a line per program: launches, the most device memory that was live, seconds on the clock
alone (median), the factors of the recordings (medians), launches with digests, the verdict.
OUTPUT holds the same as table.txt, what was measured as results.json, and logs.txt. Exit status: 0
all is identical and unchanged, 1 something is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import suite
from suite import ORIGINAL

REWRITTEN = "rewritten"
# What the recorder is asked for; see runtime/recording/Request.h.
WAYS = {"alone": None,
        "times": {"Mode": "time"},
        "watched": {"Digests": {"First": 0, "FirstFrees": 0}},
        "digests": {"Digests": {"First": 8, "FirstFrees": 8}},
        "all": {}}
# What a program prints of its own times, with the blanks that fill their columns.
TIMES = re.compile(r"(?<! ) *[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?")


def without_times(text):
    """The lines with their numbers blotted out, those that then repeat the one before left out."""
    lines = [TIMES.sub("#", line) for line in re.split(r"[\r\n]+", text)]
    return "\n".join(line for i, line in enumerate(lines) if not i or line != lines[i - 1])


class Program(suite.Program):
    def __init__(self, name):
        super().__init__(name)
        self.seconds = {way: [] for way in WAYS}
        self.outcomes = set()
        self.launches = self.digested = self.bytes = self.recorded = 0
        self.verdict = "not verified"

    def last_form(self):
        return next(iter(self.entries), ORIGINAL)

    def read(self, path, events):
        """What the recording with digests says."""
        self.recorded = path.stat().st_size
        changes = {}  # Of the memory in use, by the launch before which they happen.
        for event in events:
            if event["type"] == "launch":
                self.launches += 1
                self.digested += event["digested"]
            elif event["type"] == "allocation":
                made = event["madeBefore"]
                changes[made] = changes.get(made, 0) + event["bytes"]
                if "freedBefore" in event:
                    freed = event["freedBefore"]
                    changes[freed] = changes.get(freed, 0) - event["bytes"]
        self.bytes = max(itertools.accumulate(changes[at] for at in sorted(changes)), default=0)

    def factor(self, way):
        return statistics.median(self.seconds[way]) / statistics.median(self.seconds["alone"])

    def is_same(self):
        return len(self.outcomes) == 1

    def row(self, ways):
        if self.problems:
            return f"{self.name:28} {', '.join(self.problems.values())}"
        if not all(self.seconds[way] for way in ways):
            return f"{self.name:28} takes too long, or the time for all is up"
        factors = "".join(f"{self.factor(way):9.2f}" for way in ways[1:])
        return (f"{self.name:28}{self.launches:9}{self.bytes / 1e9:9.3f}"
                f"{statistics.median(self.seconds['alone']):9.2f}{factors}{self.digested:9}"
                f"{self.recorded / 1e6:9.2f}  {'same' if self.is_same() else 'CHANGED':8} "
                f"{self.verdict}{'' if self.entries else ' (itself)'}")

    def result(self):
        return {"name": self.name, "arguments": self.first[1].get("arguments", []),
                "seconds": self.seconds, "launches": self.launches, "bytes": self.bytes,
                "digested": self.digested, "recorded": self.recorded, "same": self.is_same(),
                "verdict": self.verdict, "compared-with": self.last_form()}


class Records(suite.Suite):
    def recording(self, program, way):
        return self.work / f"{program.name}.{way}"

    def run_once(self, program, way):
        """Whether it ended in time; notes how long it took and what it printed."""
        path = self.recording(program, way)
        path.unlink(missing_ok=True)
        environment = os.environ if WAYS[way] is None else self.recorder(path, WAYS[way])
        command, folder = self.command(program, ORIGINAL)
        begun = time.perf_counter()
        try:
            done = subprocess.run(command, cwd=folder, env=environment, timeout=self.given.limit,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return False
        program.seconds[way].append(time.perf_counter() - begun)
        text = done.stdout.decode("latin-1")
        program.outcomes.add((done.returncode, without_times(text)))
        program.log += [f"--- {way}: {program.seconds[way][-1]:.3f} s, status {done.returncode}",
                        text[-1500:], done.stderr.decode("latin-1")[-1500:]]
        return True

    def measure(self, program):
        """Whether it ran in every way, at least once."""
        def run(way):
            return self.seconds_left() >= self.given.limit and self.run_once(program, way)
        if not run("alone"):
            return False
        program.seconds["alone"].clear()
        return all(run(way) for _ in range(self.given.runs) for way in self.given.ways) or all(
            program.seconds[way] for way in self.given.ways)

    def judge(self, program):
        """Reads the recording with digests, and compares the program with its rewrite."""
        path = self.recording(program, "digests")
        if path.exists():
            program.read(path, self.events(path))
        limit = 6 * self.given.limit
        program.verdict = self.verify(program, program.last_form(),
                                      (limit, 4 * limit)) or program.verdict

    def write(self):
        ways, programs = self.given.ways, self.programs.values()
        lines = [f"{'program':28}{'launches':>9}{'GB':>9}{'alone, s':>9}"
                 f"{''.join(f'{way:>9}' for way in ways[1:])}{'digested':>9}{'MB':>9}"
                 f"  {'output':8} verdict", *(p.row(ways) for p in programs)]
        (self.given.output / "table.txt").write_text("\n".join(lines) + "\n")
        (self.given.output / "results.json").write_text(
            json.dumps([p.result() for p in programs], indent=1) + "\n")
        self.write_logs()
        return lines


def parse():
    parser = suite.parser(__doc__, 30, "PACK")
    parser.add_argument("--ways", default="alone,times,digests", type=lambda t: t.split(","),
                        help="separated by commas, `alone` first")
    parser.add_argument("--pairs", type=int, default=4, help="that are verified at a time")
    given = parser.parse_args()
    if given.ways[0] != "alone" or not set(given.ways) <= set(WAYS):
        parser.error(f"the ways are {', '.join(WAYS)}, the first one 'alone'")
    return given


def main():
    given = parse()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        records = Records(given, [(REWRITTEN, given.pack)], pathlib.Path(name), Program)
        records.build_all()
        measured = []
        for program in records.programs.values():
            if not program.problems and records.measure(program):
                measured.append(program)
            records.write()
            print(f"{time.time() - records.started:4.0f} s {program.row(given.ways)}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(given.pairs) as pool:
            list(pool.map(records.judge, measured))
        print("\n".join(records.write()))
        right = [p for p in measured if p.is_same() and p.verdict == "identical"]
    return 0 if len(right) == len(records.programs) else 1


if __name__ == "__main__":
    sys.exit(main())
