#!/usr/bin/env python3
"""Reads the raw results of verify_all.sh and prints them as short tables.

    summarize.py PAIRS OUTPUT

Exit status: 0 all is well, 1 something is not; what it is stands below the
tables, with the file that says more. A step that was skipped is not wrong, one
whose tool is missing is.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import json
import pathlib
import re
import sys

EXCESSIVE = "derived__memory_l1_wavefronts_shared_excessive"
WAVEFRONTS = "memory_l1_wavefronts_shared"
RAW = ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
       "l1tex__data_bank_conflicts_type_arbitration.sum")
# A program with bank conflicts of its own: the counter must find them.
CONTROL = "original-several_kernels"
# What the rewritten seed is to reach: speedup over the original by pattern,
# and how much slower than the striping by hand it may be.
SPEEDUPS = {"uniform": 1.9, "random": 30, "worst": 40}
MARGIN = 1.03


class Summary:
    """The tables of one folder of results, and what is wrong in it."""

    def __init__(self, pairs, output):
        self.output, self.pairs = output, pairs
        self.names = (pairs / "changed").read_text().split()
        self.problems = []

    def status(self, log):
        path = pathlib.Path(f"{log}.status")
        return int(path.read_text()) if path.exists() else None

    def wrong(self, what, log):
        self.problems.append(f"{what}; see {log}")

    def result(self, stem):
        """The JSON that bankstripe-verify wrote, or None."""
        log = pathlib.Path(f"{stem}.txt")
        path = pathlib.Path(f"{stem}.json")
        if self.status(log) is None:
            self.wrong("it was not run", log)
            return None
        result = json.loads(path.read_text()) if path.exists() else None
        if self.status(log) != 0:
            verdict = result["verdict"] if result else f"status {self.status(log)}"
            self.wrong(f"{verdict}", log)
            return result
        output = (result or {}).get("output") or {}
        if not output.get("bytes") or not output.get("deterministic"):
            self.wrong("the original prints nothing, or not the same twice", log)
        return result

    def build(self):
        for log in sorted(self.output.glob("build/*.txt")):
            if self.status(log) != 0:
                self.wrong("nvcc failed", log)

    def sanitizer(self, name, tool):
        log = self.output / "sanitizer" / f"{name}.{tool}.txt"
        if not log.exists():
            self.wrong(f"{tool} was not run", log)
            return "-"
        # The summary must be there: a program that never started has no errors.
        clean = re.search(r"(ERROR SUMMARY|RACECHECK SUMMARY): 0 (errors|hazards)", log.read_text())
        if self.status(log) == 0 and clean:
            return "clean"
        self.wrong(f"{tool} complains", log)
        return "ERRORS"

    def programs(self):
        verified = (self.output / "verify").exists()
        sanitized = (self.output / "sanitizer").exists()
        if not verified and not sanitized:
            return
        row = "{:26} {:20} {:11} {:>9} {:>9} {:>8} {:>11} {:>13}  {:9} {:9}"
        print(row.format("program", "kernel", "memory", "before ms", "after ms", "speedup",
                         "local/thr", "shared/block", "memcheck", "racecheck"))
        for name in self.names:
            flat = name.replace("/", "-")
            checks = ["", ""]
            if sanitized:
                checks = [self.sanitizer(flat, "memcheck"), self.sanitizer(flat, "racecheck")]
            result = self.result(self.output / "verify" / flat) if verified else None
            kernels = result["kernels"] if result else []
            kernels = [k for k in kernels if "WarmUp" not in k["name"]] or [None]
            for kernel in kernels:
                cells = [""] * 6 if kernel is None else self.kernel_cells(kernel)
                verdict = result["verdict"] if result else ""
                print(row.format(name, cells[0], verdict, *cells[1:], *checks))
                name, checks = "", ["", ""]
        print()

    @staticmethod
    def kernel_cells(kernel):
        def milliseconds(key):
            return f"{kernel[key] / 1e6:.3f}" if kernel.get(key) is not None else "?"

        def change(key):
            before, after = ("?" if kernel[form].get(key) is None else kernel[form][key]
                             for form in ("original", "rewritten"))
            return str(before) if before == after else f"{before} > {after}"

        speedup = kernel.get("speedup")
        short = re.sub(r"\(anonymous namespace\)::|\(.*", "", kernel["name"]) or kernel["name"]
        return [short[:20], milliseconds("originalNs"), milliseconds("rewrittenNs"),
                f"{speedup:.2f}" if speedup else "?", change("local"), change("staticShared")]

    def seed_times(self, pattern, against):
        result = self.result(self.output / "seeds" / f"{pattern}-{against}")
        for kernel in result["kernels"] if result else []:
            if "scatterUpdates" in kernel["name"]:
                return kernel["originalNs"], kernel["rewrittenNs"]
        return None

    def seeds(self):
        if not (self.output / "seeds").exists():
            return
        row = "{:9} {:>12} {:>13} {:>9} {:>16} {:>20}"
        print(row.format("pattern", "original ms", "rewritten ms", "speedup", "by hand ms",
                         "rewritten / by hand"))
        for pattern, least in SPEEDUPS.items():
            tool, hand = self.seed_times(pattern, "tool"), self.seed_times(pattern, "hand")
            if not tool or not hand or None in (*tool, *hand):
                self.wrong(f"{pattern}: there are no times", self.output / "seeds")
                continue
            speedup, ratio = tool[0] / tool[1], hand[1] / hand[0]
            print(row.format(pattern, f"{tool[0] / 1e6:.3f}", f"{tool[1] / 1e6:.3f}",
                             f"{speedup:.2f}", f"{hand[0] / 1e6:.3f}", f"{ratio:.3f}"))
            if speedup < least:
                self.wrong(f"{pattern}: speedup {speedup:.2f}, at least {least} is wanted",
                           self.output / "seeds" / f"{pattern}-tool.txt")
            if ratio > MARGIN:
                self.wrong(f"{pattern}: {ratio:.3f} of the time by hand, at most {MARGIN} is wanted",
                           self.output / "seeds" / f"{pattern}-hand.txt")
        print()

    def conflicts(self):
        folder = self.output / "conflicts"
        if not folder.exists():
            return
        if (folder / "missing").exists():
            self.wrong("bank conflicts were not counted: there is no ncu", folder)
            return
        row = "{:36} {:>6} {:>11} {:>10} {:>13} {:>12}"
        print(row.format("shared memory, by launch", "launch", "wavefronts", "in excess",
                         "raw conflicts", "arbitration"))
        for log in sorted(folder.glob("*.csv")):
            lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
            launches = [r for r in csv.DictReader(lines) if r.get("ID")]
            if self.status(log) != 0 or not launches:
                self.wrong("ncu failed", log)
                continue
            for number, launch in enumerate(launches):
                def value(metric):
                    return int(float(launch[metric].replace(",", "")))
                print(row.format(log.stem, number, value(WAVEFRONTS), value(EXCESSIVE),
                                 *map(value, RAW)))
                if (value(EXCESSIVE) != 0) != (log.stem == CONTROL):
                    self.wrong(f"{value(EXCESSIVE)} wavefronts in excess in launch {number}", log)
        print()

    def source(self):
        return (self.pairs / "rewritten/beyond/launch_beyond.cu").read_text()

    def beyond(self):
        folder = self.output / "beyond"
        if not folder.exists():
            return
        print("launch beyond the bound of 128 threads:")
        # With a version, larger blocks run the original.
        has_version = "::bankstripe::storage" not in self.source() and "_row(" in self.source()
        logs = {}
        for form, threads, expected in (("original", 128, 0), ("rewritten", 128, 0),
                                        ("original", 256, 0), ("rewritten", 256, 0 if has_version else 3)):
            log = folder / f"{form}-{threads}.txt"
            logs[form, threads] = log.read_text()
            print(f"  {form:9} {threads} threads: {' | '.join(log.read_text().split(chr(10))[:2])}")
            if self.status(log) != expected:
                self.wrong(f"status {self.status(log)}, expected {expected}", log)
        if logs["original", 128] != logs["rewritten", 128]:
            self.wrong("within the bound the results differ", folder)
        if has_version and logs["original", 256] != logs["rewritten", 256]:
            self.wrong("beyond the bound the results differ", folder)
        print()


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    summary = Summary(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    summary.build()
    summary.programs()
    if (summary.output / "sanitizer" / "missing").exists():
        summary.wrong("nothing was sanitized: there is no compute-sanitizer",
                      summary.output / "sanitizer")
    summary.seeds()
    summary.conflicts()
    summary.beyond()
    for problem in summary.problems:
        print(f"WRONG: {problem}")
    print(f"{len(summary.names)} programs rewritten, {len(summary.problems)} problems")
    return 1 if summary.problems else 0


if __name__ == "__main__":
    sys.exit(main())
