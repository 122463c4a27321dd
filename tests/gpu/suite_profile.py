#!/usr/bin/env python3
"""What the kernels of a suite execute, before and after a rewrite, by ncu. Needs a GPU.

    suite_profile.py [OPTION...] OUTPUT FORM=PACK...

OPTIONs and PACKs as for suite_times.py, which builds them. Of each kernel that a form changes, one
of the first launches is profiled, that with the most instructions. OUTPUT then holds profile.txt:
a line for each kernel and form, and logs.txt. Exit status: 0 done, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import suite
from suite_ptxas import plain_name

LAUNCHES = 3
INSTRUCTIONS = "smsp__inst_executed"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem"
STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = ["long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle",
          "math_pipe_throttle", "wait", "not_selected", "barrier", "no_instruction"]
CYCLES = "sm__cycles_elapsed.max"
WARPS = "sm__warps_active.avg.per_cycle_active"
LANES = "smsp__thread_inst_executed_per_inst_executed.ratio"
METRICS = [f"{INSTRUCTIONS}.sum", CYCLES, WARPS, LANES,
           *(f"{INSTRUCTIONS}_op_{space}_{what}.sum" for space in ("local", "shared", "global")
             for what in ("ld", "st")),
           *(f"{SECTORS}_{space}_op_ld{hit}.sum" for space in ("local", "global")
             for hit in ("", "_lookup_hit")),
           "launch__registers_per_thread", *map(STALLED.format, STALLS)]


def launches(text):
    """The launches in what `ncu --csv --page raw` prints, as name => value."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    return [dict(zip(rows[0], row)) for row in rows[2:]] if rows else []


def number(launch, metric):
    """Its value; 0 where the GPU has none to give."""
    try:
        return float(launch.get(metric, "").replace(",", ""))
    except ValueError:
        return 0.0


def ratio(part, whole):
    return part / whole if whole else 0.0


def figures(launch):
    """What a line says of a launch."""
    executed = number(launch, f"{INSTRUCTIONS}.sum")

    def share(space):
        return 100 * ratio(sum(number(launch, f"{INSTRUCTIONS}_op_{space}_{what}.sum")
                               for what in ("ld", "st")), executed)

    def per_load(space):
        return ratio(number(launch, f"{SECTORS}_{space}_op_ld.sum"),
                     number(launch, f"{INSTRUCTIONS}_op_{space}_ld.sum"))

    def hits(space):
        return 100 * ratio(number(launch, f"{SECTORS}_{space}_op_ld_lookup_hit.sum"),
                           number(launch, f"{SECTORS}_{space}_op_ld.sum"))

    stalls = sorted(((number(launch, STALLED.format(stall)), stall) for stall in STALLS),
                    reverse=True)
    return [f"{number(launch, CYCLES) / 1e3:.0f}", f"{executed / 1e6:.2f}",
            f"{number(launch, WARPS):.1f}", f"{number(launch, LANES):.1f}",
            f"{share('local'):.1f}", f"{share('shared'):.1f}", f"{share('global'):.1f}",
            f"{per_load('local'):.1f}", f"{hits('local'):.0f}",
            f"{per_load('global'):.1f}", f"{hits('global'):.0f}",
            f"{number(launch, 'launch__registers_per_thread'):.0f}",
            ", ".join(f"{stall} {value:.1f}" for value, stall in stalls[:2])]


LAYOUT = "{:17} {:27} {:9} {:>8} {:>9} {:>6} {:>6}  {:>6} {:>6} {:>6}  {:>6} {:>5}  {:>6} {:>5}  {:>4}  {}"
HEADER = [["", "", "", "thousand", "million", "", "", "% of", "them", "", "local", "%", "global",
           "%", "", ""],
          ["program", "kernel", "form", "cycles", "instr.", "warps", "lanes", "local", "shared",
           "global", "sect.", "hits", "sect.", "hits", "reg.", "warps stalled per instruction"]]


class Profiles(suite.Suite):
    """All programs, built as to be timed."""

    def profile(self, program, form):
        """Kernel => its launch with the most instructions."""
        command, folder = self.command(program, form)
        kernels = "|".join(sorted(name.split("<")[0].split("::")[-1] for name in program.kernels))
        try:
            done = subprocess.run(
                ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics",
                 ",".join(METRICS), "-k", f"regex:^({kernels})$", "-c", str(LAUNCHES),
                 *map(str, command)], cwd=folder, capture_output=True, text=True, check=False,
                timeout=self.given.limit * 3)
        except subprocess.TimeoutExpired:
            program.problems[form] = "takes too long"
            return {}
        program.log.append(done.stderr)
        largest = {}
        for launch in launches(done.stdout):
            largest.setdefault(plain_name(launch["Kernel Name"]), []).append(launch)
        return {kernel: max(all_of_it, key=lambda launch: number(launch, METRICS[0]))
                for kernel, all_of_it in largest.items()}

    def lines_of(self, program):
        found = {form: self.profile(program, form) for form in program.forms()}
        for kernel in found.get(suite.ORIGINAL, {}):
            for form in found:
                if kernel in found[form]:
                    yield LAYOUT.format(program.name, kernel[:27], form,
                                        *figures(found[form][kernel])).rstrip()


def main():
    given = suite.parser(__doc__, 20, "FORM=PACK").parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    lines = [LAYOUT.format(*header).rstrip() for header in HEADER]
    with tempfile.TemporaryDirectory() as work:
        profiles = Profiles(given, given.forms, pathlib.Path(work))
        profiles.build_all()
        for program in sorted(profiles.programs.values(), key=lambda program: program.name):
            lines += profiles.lines_of(program)
            lines += [f"{program.name}: {form}: {problem}"
                      for form, problem in program.problems.items()]
            print(f"{program.name} profiled", flush=True)
        profiles.write_logs()
    (given.output / "profile.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
