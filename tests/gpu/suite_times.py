#!/usr/bin/env python3
"""Times the programs of a suite in several rewritten forms side by side. Needs a GPU.

    suite_times.py [OPTION...] OUTPUT FORM=PACK...

Each PACK is what suite_prepare.py made of the same programs with other options, FORM a name for it.
Builds the original and all forms in parallel, then runs them in turns, one at a time, under the
recorder, and adds up the time of each kernel. Forms whose files are the same are built and run
once. With the time that is left, bankstripe-verify compares the memory of each form with that of
the original, several programs at a time.

OUTPUT then holds times.txt, times.json and logs.txt. Exit status: 0 done, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import suite_verify
from suite_ptxas import plain_name

ORIGINAL = "original"


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True)
    return dict(zip(names, map(plain_name, done.stdout.splitlines())))


def contents(folder):
    """All files below a folder, for comparison."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Program:
    """One program of the suite, in all its forms."""

    def __init__(self, name):
        self.name = name
        self.entries = {}  # form => (pack, what programs.json says)
        self.same = {}     # form => the form that has the same files
        self.kernels = set()
        self.times = {}    # form => kernel => totals of the runs, in ns
        self.memory = {}   # form => what the verifier says
        self.problems = {}
        self.log = []

    def add(self, form, pack, entry):
        files = contents(pack / "changed" / self.name)
        for other, (other_pack, _) in self.entries.items():
            if contents(other_pack / "changed" / self.name) == files:
                self.same[form] = other
                return
        self.entries[form] = (pack, entry)
        self.kernels |= {plain_name(kernel) for kernel in entry["kernels"]}

    def forms(self):
        """What can be run, the original first."""
        return [form for form in (ORIGINAL, *self.entries) if form not in self.problems]

    def entry(self, form):
        return self.entries[form] if form in self.entries else next(iter(self.entries.values()))

    def result(self):
        return {"name": self.name, "same": self.same, "times": self.times,
                "memory": self.memory, "problems": self.problems}


class Times:
    """All programs, in a folder to work in."""

    def __init__(self, given, work):
        self.given, self.work, self.started = given, work, time.time()
        self.binaries = given.forms[0][1] / "bin"
        self.programs = {}
        for form, pack in given.forms:
            for entry in json.loads((pack / "programs.json").read_text()):
                name = entry["name"]
                if not given.only or name in given.only.split(","):
                    self.programs.setdefault(name, Program(name)).add(form, pack, entry)

    def seconds_left(self):
        return self.given.deadline - (time.time() - self.started)

    def folder(self, program, form):
        return self.work / form / program.name

    def executable(self, program, form):
        entry = program.entry(form)[1]
        return self.folder(program, form) / program.name / entry.get("program", "main")

    def build(self, program, form):
        pack, entry = program.entry(form)
        place = self.folder(program, form)
        suite_verify.lay_out(pack, entry, place, ORIGINAL if form == ORIGINAL else "rewritten")
        script = (pack / "build" / f"{program.name}.sh").resolve()
        status = suite_verify.run(["sh", script], self.given.build_limit, program.log,
                                  cwd=place / program.name)
        if status != 0 or not self.executable(program, form).exists():
            program.problems[form] = "does not build"

    def build_all(self):
        jobs = [(program, form) for program in self.programs.values()
                for form in (ORIGINAL, *program.entries)]
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            list(pool.map(lambda job: self.build(*job), jobs))

    def command(self, program, form):
        """How it is run, and in which folder."""
        entry = program.entry(form)[1]
        return ([self.executable(program, form), *entry.get("arguments", [])],
                self.folder(program, form) / program.name / entry.get("directory", ""))

    def time_once(self, program, form):
        """One run of a form. Its wall time, or None."""
        recording = self.work / "recording"
        recording.unlink(missing_ok=True)
        request = self.work / "request"
        request.write_text(json.dumps({"recording": str(recording), "mode": "time"}))
        command, folder = self.command(program, form)
        begun = time.time()
        status = suite_verify.run(command, min(self.given.limit, self.seconds_left()), program.log,
                                  cwd=folder, env={
            **os.environ, "BANKSTRIPE_REQUEST": str(request),
            "CUDA_INJECTION64_PATH": str((self.binaries / "libbankstripe-recorder.so").resolve())})
        if status is None or not recording.exists():
            program.problems[form] = "takes too long" if status is None else f"status {status}"
            return None
        printed = subprocess.run([self.binaries / "bankstripe-verify", f"--print-recording={recording}"],
                                 capture_output=True, text=True, check=False)
        events = map(json.loads, printed.stdout.splitlines())
        executions = [event for event in events if event["type"] == "launch"]
        names = demangled(sorted({event["kernel"] for event in executions}))
        totals = {}
        for event in executions:
            kernel = names[event["kernel"]]
            totals[kernel] = totals.get(kernel, 0) + event["nanoseconds"]
        for kernel, total in totals.items():
            program.times.setdefault(form, {}).setdefault(kernel, []).append(total)
        return time.time() - begun

    def time_program(self, program):
        """Several runs of a program that is quick, one of a slow one, the forms in turns."""
        for turn in range(self.given.runs):
            slowest = 0
            for form in program.forms():
                if self.seconds_left() < 5:
                    program.problems.setdefault(form, "the time for all is up")
                else:
                    slowest = max(slowest, self.time_once(program, form) or 0)
                if ORIGINAL in program.problems:
                    return
            if slowest > self.given.slow or turn + 1 == self.given.runs:
                return

    def verify(self, job):
        program, form = job
        limit = min(self.given.limit * 4, self.seconds_left())
        if limit < 10:
            return
        result = self.work / f"{program.name}-{form}.json"
        command, folder = self.command(program, ORIGINAL)
        suite_verify.run([(self.binaries / "bankstripe-verify").resolve(), "--all", "--runs=0",
                          f"--timeout={limit:.0f}", f"--json={result}", command[0],
                          self.executable(program, form), "--", *command[1:]],
                         limit, program.log, cwd=folder)
        if result.exists():
            program.memory[form] = json.loads(result.read_text())["verdict"]

    def write(self):
        output = self.given.output
        programs = sorted(self.programs.values(), key=lambda program: program.name)
        (output / "times.json").write_text(
            json.dumps([program.result() for program in programs], indent=1) + "\n")
        (output / "logs.txt").write_text("\n".join(
            f"=== {program.name}\n" + "\n".join(program.log) for program in programs))
        (output / "times.txt").write_text(
            "\n".join(table(programs, list(dict.fromkeys(form for form, _ in self.given.forms))))
            + "\n")


def speedup(program, form, kernel):
    """Time of the original over that of a form, or None."""
    form = program.same.get(form, form)
    times = [program.times.get(f, {}).get(kernel) for f in (ORIGINAL, form)]
    return statistics.median(times[0]) / statistics.median(times[1]) if all(times) else None


def cell(program, form, kernel):
    form = program.same.get(form, form)
    if form not in program.entries:
        return "as it is"
    value = speedup(program, form, kernel)
    return program.problems.get(form, "?") if value is None else f"{value:.3f}"


def table(programs, forms):
    layout = "{:20} {:33} {:>11}" + " {:>9}" * len(forms) + "  {}"
    lines = [layout.format("program", "kernel", "original ms", *forms, "memory").rstrip()]
    for program in programs:
        memory = ", ".join(f"{form} {verdict}" for form, verdict in program.memory.items())
        for kernel in sorted(program.kernels & set(program.times.get(ORIGINAL, {}))):
            lines.append(layout.format(
                program.name, kernel[:33],
                f"{statistics.median(program.times[ORIGINAL][kernel]) / 1e6:.3f}",
                *(cell(program, form, kernel) for form in forms), memory).rstrip())
        if ORIGINAL in program.problems:
            lines.append(f"{program.name:20} {program.problems[ORIGINAL]}")
    return lines


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("forms", nargs="+", metavar="FORM=PACK")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--runs", type=int, default=3, help="of each form")
    parser.add_argument("--slow", type=float, default=4,
                        help="seconds above which one run is enough")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=20, help="seconds for one run")
    parser.add_argument("--build-limit", type=float, default=240)
    parser.add_argument("--deadline", type=float, default=540, help="seconds for everything")
    parser.add_argument("--build-only", action="store_true", help="for a machine without a GPU")
    given = parser.parse_args()
    if not all("=" in form for form in given.forms):
        parser.error("a form needs a pack: FORM=PACK")
    given.forms = [(form.partition("=")[0], pathlib.Path(form.partition("=")[2]))
                   for form in given.forms]
    return given


def main():
    given = parse()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        times = Times(given, pathlib.Path(work))
        times.build_all()
        print(f"built in {time.time() - times.started:.0f} s", flush=True)
        programs = [] if given.build_only else list(times.programs.values())
        for program in programs:
            begun = time.time()
            if ORIGINAL not in program.problems:
                times.time_program(program)
            times.write()
            print(f"{program.name}: {time.time() - begun:.0f} s {program.problems}", flush=True)
        jobs = [(program, form) for program in programs for form in program.entries
                if {form, ORIGINAL} <= set(program.forms())]
        with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs // 2)) as pool:
            list(pool.map(times.verify, jobs))
        times.write()
        print((given.output / "times.txt").read_text())
        for program in times.programs.values():
            for form, problem in program.problems.items():
                print(f"{program.name}: {form}: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
