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

import argparse
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

import suite_verify

# What the recorder is asked for; see runtime/recording/FORMAT.md.
WAYS = {"alone": None,
        "times": {"mode": "time"},
        "watched": {"digests": {"first": 0, "first-frees": 0}},
        "digests": {"digests": {"first": 8, "first-frees": 8}},
        "all": {}}
# What a program prints of its own times, with the blanks that fill their columns.
TIMES = re.compile(r"(?<! ) *[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?")


def without_times(text):
    """The lines with their numbers blotted out, those that then repeat the one before left out."""
    lines = [TIMES.sub("#", line) for line in re.split(r"[\r\n]+", text)]
    return "\n".join(line for i, line in enumerate(lines) if not i or line != lines[i - 1])


class Program:
    def __init__(self, entry, pack, work):
        self.entry, self.pack, self.work, self.name = entry, pack, work, entry["name"]
        self.forms = ["original"] if "unchanged" in entry else list(suite_verify.FORMS)
        self.log = []
        self.is_built = False
        self.seconds = {way: [] for way in WAYS}
        self.outcomes = set()
        self.launches = self.digested = self.bytes = self.recorded = 0
        self.verdict = "not verified"

    def folder(self, form):
        return self.work / form / self.name

    def executable(self, form):
        return self.folder(form) / self.name / self.entry.get("program", "main")

    def build(self, limit):
        for form in self.forms:
            place = self.folder(form)
            suite_verify.lay_out(self.pack, self.entry, place, form)
            script = (self.pack / "build" / f"{self.name}.sh").resolve()
            status = suite_verify.run(["sh", script], limit, self.log, cwd=place / self.name)
            if status != 0 or not self.executable(form).exists():
                return
        self.is_built = True

    def run_folder(self):
        return self.folder("original") / self.name / self.entry.get("directory", "")

    def recording(self, way):
        return self.work / f"{self.name}.{way}"

    def run_once(self, way, limit):
        """Whether it ended in time; notes how long it took and what it printed."""
        self.recording(way).unlink(missing_ok=True)
        environment = dict(os.environ)
        if WAYS[way] is not None:
            recorder = (self.pack / "bin/libbankstripe-recorder.so").resolve()
            request = self.work / f"{self.name}.{way}.request"
            request.write_text(json.dumps({"recording": str(self.recording(way)), **WAYS[way]}))
            environment.update(BANKSTRIPE_REQUEST=str(request), CUDA_INJECTION64_PATH=str(recorder))
        command = [self.executable("original"), *self.entry.get("arguments", [])]
        begun = time.perf_counter()
        try:
            done = subprocess.run(command, cwd=self.run_folder(), env=environment, timeout=limit,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return False
        self.seconds[way].append(time.perf_counter() - begun)
        text = done.stdout.decode("latin-1")
        self.outcomes.add((done.returncode, without_times(text)))
        self.log += [f"--- {way}: {self.seconds[way][-1]:.3f} s, status {done.returncode}",
                     text[-1500:], done.stderr.decode("latin-1")[-1500:]]
        return True

    def measure(self, given, left):
        """Whether it ran in every way, at least once."""
        if left() < given.limit or not self.run_once("alone", given.limit):
            return False
        self.seconds["alone"].clear()
        for _ in range(given.runs):
            for way in given.ways:
                if left() < given.limit or not self.run_once(way, given.limit):
                    return all(self.seconds[way] for way in given.ways)
        return True

    def read(self):
        """What the recording with digests says."""
        path = self.recording("digests")
        if not path.exists():
            return
        self.recorded = path.stat().st_size
        printed = subprocess.run(
            [self.pack / "bin/bankstripe-verify", f"--print-recording={path}"],
            capture_output=True, text=True, check=False)
        changes = {}  # Of the memory in use, by the launch before which they happen.
        for event in map(json.loads, printed.stdout.splitlines()):
            if event["type"] == "launch":
                self.launches += 1
                self.digested += event["digested"]
            elif event["type"] == "allocation":
                made = event["made-before"]
                changes[made] = changes.get(made, 0) + event["bytes"]
                if "freed-before" in event:
                    freed = event["freed-before"]
                    changes[freed] = changes.get(freed, 0) - event["bytes"]
        self.bytes = max(itertools.accumulate(changes[at] for at in sorted(changes)), default=0)

    def verify(self, limit):
        report = self.work / f"{self.name}.json"
        command = [(self.pack / "bin/bankstripe-verify").resolve(), "--runs=0", f"--timeout={limit}",
                   f"--json={report}", self.executable("original"), self.executable(self.forms[-1]),
                   "--", *self.entry.get("arguments", [])]
        suite_verify.run(command, 4 * limit, self.log, cwd=self.run_folder())
        if report.exists():
            self.verdict = json.loads(report.read_text())["verdict"]

    def factor(self, way):
        return statistics.median(self.seconds[way]) / statistics.median(self.seconds["alone"])

    def is_same(self):
        return len(self.outcomes) == 1

    def row(self, ways):
        if not self.is_built:
            return f"{self.name:28} does not build"
        if not all(self.seconds[way] for way in ways):
            return f"{self.name:28} takes too long, or the time for all is up"
        factors = "".join(f"{self.factor(way):9.2f}" for way in ways[1:])
        return (f"{self.name:28}{self.launches:9}{self.bytes / 1e9:9.3f}"
                f"{statistics.median(self.seconds['alone']):9.2f}{factors}{self.digested:9}"
                f"{self.recorded / 1e6:9.2f}  {'same' if self.is_same() else 'CHANGED':8} "
                f"{self.verdict}{' (itself)' if len(self.forms) == 1 else ''}")

    def result(self):
        return {"name": self.name, "arguments": self.entry.get("arguments", []),
                "seconds": self.seconds, "launches": self.launches, "bytes": self.bytes,
                "digested": self.digested, "recorded": self.recorded, "same": self.is_same(),
                "verdict": self.verdict, "compared-with": self.forms[-1]}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pack", type=pathlib.Path, metavar="PACK")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--ways", default="alone,times,digests", type=lambda t: t.split(","),
                        help="separated by commas, `alone` first")
    parser.add_argument("--runs", type=int, default=3, help="of each program, in each way")
    parser.add_argument("--limit", type=int, default=30, help="seconds for one run")
    parser.add_argument("--deadline", type=int, default=500, help="seconds for all runs")
    parser.add_argument("--pairs", type=int, default=4, help="that are verified at a time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    if given.ways[0] != "alone" or not set(given.ways) <= set(WAYS):
        parser.error(f"the ways are {', '.join(WAYS)}, the first one 'alone'")
    return given


def write(given, programs, heading):
    lines = [heading, *(p.row(given.ways) for p in programs)]
    (given.output / "table.txt").write_text("\n".join(lines) + "\n")
    (given.output / "results.json").write_text(
        json.dumps([p.result() for p in programs], indent=1) + "\n")
    (given.output / "logs.txt").write_text("\n".join(
        line for p in programs for line in (f"== {p.name}", *map(str, p.log))))
    return lines


def main():
    given = parse()
    started = time.time()
    given.output.mkdir(parents=True, exist_ok=True)
    heading = (f"{'program':28}{'launches':>9}{'GB':>9}{'alone, s':>9}"
               f"{''.join(f'{way:>9}' for way in given.ways[1:])}{'digested':>9}{'MB':>9}"
               f"  {'output':8} verdict")
    with tempfile.TemporaryDirectory() as name:
        programs = [Program(entry, given.pack, pathlib.Path(name))
                    for entry in json.loads((given.pack / "programs.json").read_text())
                    if not given.only or entry["name"] in given.only.split(",")]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(lambda p: p.build(given.deadline / 2), programs))
        print(f"built in {time.time() - started:.0f} s", flush=True)
        measured = []
        for program in programs:
            if program.is_built and program.measure(
                    given, lambda: given.deadline - (time.time() - started)):
                measured.append(program)
            write(given, programs, heading)
            print(f"{time.time() - started:4.0f} s {program.row(given.ways)}", flush=True)
        print(f"measured in {time.time() - started:.0f} s", flush=True)
        with concurrent.futures.ThreadPoolExecutor(given.pairs) as pool:
            list(pool.map(Program.read, measured))
            list(pool.map(lambda p: p.verify(6 * given.limit), measured))
        print("\n".join(write(given, programs, heading)))
        print(f"{time.time() - started:.0f} s")
        right = [p for p in measured if p.is_same() and p.verdict == "identical"]
    return 0 if len(right) == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
