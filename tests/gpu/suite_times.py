#!/usr/bin/env python3
"""Times and verifies the programs of a suite in several rewritten forms. Needs a GPU.

    suite_times.py [OPTION...] OUTPUT FORM=PACK...

Each PACK is what suite_prepare.py made of the same programs with other options, FORM a name for it.
Builds the original and all forms in parallel, then runs them in turns, one at a time, under the
recorder, and adds up the time of each kernel. With the time that is left, bankstripe-verify
compares the memory of each form with that of the original, several programs at a time. A form that
differs is built again without fused multiply-add, which nvcc decides anew for every version of a
kernel, and compared once more.

OUTPUT then holds times.txt, times.json and logs.txt. Exit status: 0 all memory that was compared is
identical, 1 some is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import suite
from suite import ORIGINAL
from suite_ptxas import plain_name

UNFUSED = "-fmad=false"


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True)
    return dict(zip(names, map(plain_name, done.stdout.splitlines())))


class Program(suite.Program):
    def __init__(self, name):
        super().__init__(name)
        self.times = {}   # form => kernel => totals of the runs, in ns
        self.memory = {}  # form => what the verifier says

    def result(self):
        return {"name": self.name, "same": self.same, "times": self.times,
                "memory": self.memory, "problems": self.problems}


class Times(suite.Suite):
    building = threading.Lock()

    def time_once(self, program, form):
        """One run of a form. Its wall time, or None."""
        recording = self.work / "recording"
        recording.unlink(missing_ok=True)
        command, folder = self.command(program, form)
        begun = time.time()
        status = suite.run(command, min(self.given.limit, self.seconds_left()), program.log,
                           cwd=folder, env=self.recorder(recording, {"Mode": "time"}))
        if status is None or not recording.exists():
            program.problems[form] = "takes too long" if status is None else f"status {status}"
            return None
        executions = [event for event in self.events(recording)
                      if event["type"] == "execution"]
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

    def compare(self, job):
        program, form = job

        def verdict(flags=""):
            limit = min(self.given.limit * 4, self.seconds_left())
            if limit < 10:
                return None
            return self.verify(program, form, (limit, limit), "--all", flags=flags)

        found = verdict()
        with self.building:  # All forms of a program share the original.
            unfused = found == "differs" and all([self.build(program, f, UNFUSED)
                                                  for f in (ORIGINAL, form)])
        if unfused:
            found = f"{verdict(UNFUSED) or 'not verified'} with {UNFUSED}"
        if found:
            program.memory[form] = found

    def write(self):
        programs = sorted(self.programs.values(), key=lambda program: program.name)
        forms = list(dict.fromkeys(form for form, _ in self.given.forms))
        (self.given.output / "times.json").write_text(
            json.dumps([program.result() for program in programs], indent=1) + "\n")
        (self.given.output / "times.txt").write_text("\n".join(table(programs, forms)) + "\n")
        self.write_logs()


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


def main():
    parser = suite.parser(__doc__, 20, "FORM=PACK")
    parser.add_argument("--slow", type=float, default=4,
                        help="seconds above which one run is enough")
    parser.add_argument("--build-only", action="store_true", help="for a machine without a GPU")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        times = Times(given, given.forms, pathlib.Path(work), Program)
        times.build_all()
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
            list(pool.map(times.compare, jobs))
        times.write()
    print((given.output / "times.txt").read_text())
    for program in times.programs.values():
        for form, problem in program.problems.items():
            print(f"{program.name}: {form}: {problem}")
    return int(any(not verdict.startswith("identical") for program in programs
                   for verdict in program.memory.values()))


if __name__ == "__main__":
    sys.exit(main())
