#!/usr/bin/env python3
"""What recording costs the programs of a suite, and whether their rewrites are identical. Needs a GPU.

    suite_record.py [OPTION...] PACK OUTPUT

Builds every program of PACK, which suite_prepare.py made with --verify, in both forms, in parallel,
and runs the original one after the other: alone, recorded for times, recorded with digests as
bankstripe-verify takes them by default, and with digests after every launch. What it prints and its
exit status have to be the same each time. Numbers in
what it prints are not compared here, as they may be times: bankstripe-verify compares the original
with the rewrite, by default, memory and output.

Prints a line per program: launches, the most device memory that was live, seconds on the clock
alone (median), the factors of the three recordings (medians), launches with digests, the verdict.
OUTPUT holds the same as table.txt, with logs.txt. Exit status: 0 all is identical and unchanged,
1 something is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
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

WAYS = {"alone": None,
        "times": {"BANKSTRIPE_MODE": "time"},
        "digests": {"BANKSTRIPE_MODE": "digest", "BANKSTRIPE_OVERHEAD": "0.8"},
        "all": {"BANKSTRIPE_MODE": "digest"}}
# What a program prints of its own times.
TIMES = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


class Program:
    def __init__(self, entry, pack, work):
        self.entry, self.pack, self.work, self.name = entry, pack, work, entry["name"]
        self.log = []
        self.seconds = {way: [] for way in WAYS}
        self.outcomes = set()
        self.launches = self.digested = self.bytes = 0
        self.verdict = "not verified"

    def folder(self, form):
        return self.work / form / self.name

    def executable(self, form):
        return self.folder(form) / self.name / self.entry.get("program", "main")

    def build(self, form, limit):
        place = self.folder(form)
        suite_verify.lay_out(self.pack, self.entry, place, form)
        script = (self.pack / "build" / f"{self.name}.sh").resolve()
        status = suite_verify.run(["sh", script], limit, self.log, cwd=place / self.name)
        return status == 0 and self.executable(form).exists()

    def run_folder(self):
        return self.folder("original") / self.name / self.entry.get("directory", "")

    def run_once(self, way, limit):
        """Whether it ended in time; notes how long it took and what it printed."""
        recording = self.work / f"{self.name}.recording"
        recording.unlink(missing_ok=True)
        environment = dict(os.environ)
        if WAYS[way] is not None:
            recorder = (self.pack / "bin/libbankstripe-recorder.so").resolve()
            environment.update(WAYS[way], BANKSTRIPE_RECORD=str(recording),
                               CUDA_INJECTION64_PATH=str(recorder))
        command = [self.executable("original"), *self.entry.get("arguments", [])]
        begun = time.perf_counter()
        try:
            done = subprocess.run(command, cwd=self.run_folder(), env=environment, timeout=limit,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            if way != "all":
                self.outcomes.add("takes too long")
            return False
        self.seconds[way].append(time.perf_counter() - begun)
        self.outcomes.add((done.returncode, TIMES.sub("#", done.stdout.decode("latin-1"))))
        if way in ("digests", "all") and recording.exists():
            self.read(recording, way)
        return True

    def read(self, recording, way):
        printed = subprocess.run([self.pack / "bin/bankstripe-verify", f"--print-recording={recording}"],
                                 capture_output=True, text=True, check=True)
        live, most, sizes, launches, digested = 0, 0, {}, 0, 0
        for event in map(json.loads, printed.stdout.splitlines()):
            kind = event.get("type")
            if kind == "allocation":
                sizes[event["id"]] = event["bytes"]
                live += event["bytes"]
                most = max(most, live)
            elif kind == "free":
                live -= sizes.pop(event["id"], 0)
            elif kind == "launch":
                launches += 1
                digested += "changes" in event
        self.launches, self.bytes = launches, most
        if way == "digests":
            self.digested = digested

    def verify(self, limit):
        report = self.work / f"{self.name}.json"
        command = [(self.pack / "bin/bankstripe-verify").resolve(), "--runs=0", f"--timeout={limit}",
                   f"--json={report}", self.executable("original"), self.executable("rewritten"),
                   "--", *self.entry.get("arguments", [])]
        suite_verify.run(command, limit * 4, self.log, cwd=self.run_folder())
        if report.exists():
            self.verdict = json.loads(report.read_text())["verdict"]

    def row(self):
        alone = statistics.median(self.seconds["alone"])
        factors = [statistics.median(self.seconds[way]) / alone if self.seconds[way] else None
                   for way in ("times", "digests", "all")]
        cells = "".join(f"{f:9.2f}" if f else "        -" for f in factors)
        same = "same" if len(self.outcomes) == 1 else "CHANGED"
        return (f"{self.name:22}{self.launches:9}{self.bytes / 1e9:9.3f}{alone:9.2f}{cells}"
                f"{self.digested:9}  {same:8} {self.verdict}")


def measure(program, given, left):
    for turn in range(given.runs):
        for way in WAYS:
            if way == "all" and turn:
                continue
            if left() < given.limit or not program.run_once(way, given.limit):
                if way == "alone" and not turn:
                    return False
    if left() > given.limit:
        program.verify(given.limit)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pack", type=pathlib.Path, metavar="PACK")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--runs", type=int, default=3, help="of each program, in each way")
    parser.add_argument("--limit", type=int, default=30, help="seconds for one run")
    parser.add_argument("--deadline", type=int, default=500, help="seconds for all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    started = time.time()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        programs = [Program(entry, given.pack, work)
                    for entry in json.loads((given.pack / "programs.json").read_text())
                    if not given.only or entry["name"] in given.only.split(",")]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            built = list(pool.map(lambda job: job[0].build(job[1], given.deadline / 2),
                                  [(p, form) for p in programs for form in suite_verify.FORMS]))
        lines = [f"{'program':22}{'launches':>9}{'GB':>9}{'alone, s':>9}{'times':>9}{'digests':>9}{'all':>9}"
                 f"{'digested':>9}  {'output':8} rewrite"]
        print(lines[0], flush=True)
        for index, program in enumerate(programs):
            if not all(built[2 * index:2 * index + 2]):
                lines.append(f"{program.name:22} does not build")
            elif not measure(program, given, lambda: given.deadline - (time.time() - started)):
                lines.append(f"{program.name:22} takes too long, or the time for all is up")
            else:
                lines.append(program.row())
            print(lines[-1], flush=True)
        (given.output / "table.txt").write_text("\n".join(lines) + "\n")
        (given.output / "logs.txt").write_text("\n".join(
            line for p in programs for line in (f"== {p.name}", *map(str, p.log))))
        right = [p for p in programs if len(p.outcomes) == 1 and p.verdict == "identical"]
    return 0 if len(right) == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
