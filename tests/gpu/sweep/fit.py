#!/usr/bin/env python3
"""Fits the constants of the profit model: fit.py [--check] [--halves] MODEL DECISIONS.json SWEEP...

MODEL is the program of model.cpp, which asks the model that the tool has. SWEEP is what run.sh has
measured, in one or several files, DECISIONS.json what decide.py has written for blocks of 128, for
the work that the tool counts in each kernel. Prints the constants by the names that they have in
rewriter/plan/Profit.h; Profit.cpp says what they mean. The constants of words that are loaded again
and again are fitted afterwards, to the kernels that only read their array, the others to those that
update it; the rest of the kernels is only asked about.

  --check   compare with the tool's instead; exit status 1 if a constant differs by 1 % or more
  --halves  also fit to one half of the kernels with updates, and say how far off the other half is

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import math
import operator
import pathlib
import subprocess
import sys
import tempfile
import zlib

import figures
import generate

CLOCK_MHZ, MULTIPROCESSORS = 1980, 132
UNKNOWN_TRIPS = 100  # of a loop of unknown length, for the tool
OUTLIER = 0.1        # errors of the logarithm beyond it count less than squared
WORK = ("instructions", "doubleOperations", "global", "rows", "gathered")
# Where the search begins.
FITTED = {"Issue.Instruction": .25, "Issue.DoubleOperation": .5, "Issue.Global": 2,
          "Issue.LocalWord": 2, "Issue.LocalRow": 1, "Issue.SharedWord": .6, "Issue.Packing": 2,
          "Issue.MissFactor": 2, "Issue.Lines": 20, "Issue.LinesMiss": 40,
          "Latency.Instruction": 2, "Latency.DoubleOperation": 8, "Latency.Global": 240,
          "Latency.Local": 100, "Latency.Shared": 50, "Latency.Packing": 10, "Latency.Miss": 250,
          "Latency.Lines": 40, "Latency.LinesMiss": 200, "Sharpness": 4, "HitExponent": .9,
          "UnpackedPasses": 1.5}
FITTED_TO_READS = {"Issue.LoadedRow": .2, "Issue.LoadedRowMiss": 2}


# From the sweep to the model

def counts(work):
    """What the model counts in a kernel, and words of its array at uniform indices that are loaded
    and stored, then the others."""
    array = work["arrays"][0]
    words = [array["uniform"][way] for way in ("loaded", "stored")]
    words += [array["nonUniform"][way] + array["counted"][way] for way in ("loaded", "stored")]
    return [*(work[name] for name in WORK), *words]


def kernel_counts(decided):
    """The counts of each original, apart: once per element, and once per step."""
    work = {k["name"]: counts(k["work"]) for k in decided["kernels"] if k["work"]}
    result = {}
    for name, (configuration, _) in generate.points().items():
        # Two sizes that are taken to step equally often tell the two apart.
        small, large = (work[configuration.kernel("original", n)] for n in (32, 64))
        per_element = [(l - s) / 32 for s, l in zip(small, large)]
        per_step = [(l - 64 * e) / UNKNOWN_TRIPS for l, e in zip(large, per_element)]
        result[name] = per_element, per_step
    return result


def spread_of(point, per_thread):
    """How far indices are apart if the lanes of a warp ask for as many rows as the pattern says."""
    rows = max(1, per_thread / max(4, point.bytes))
    at_random = rows * (1 - (1 - 1 / rows) ** 32)
    if point.pattern == "random" or at_random == 1:
        return 1
    return (min(rows, 32) - 1) / (at_random - 1)


def is_local(timing):
    # The control runs as the original does.
    return timing.variant in ("original", "reserved")


def is_read_of_local_memory(timing):
    return timing.point.use == "reads" and is_local(timing)


def question(timing, kernels):
    """What model.cpp is asked about a timing."""
    point = timing.point
    work = [element * point.elements + step * max(256, 2 * point.elements)
            for element, step in zip(*kernels[point.kernel])]
    words = [dict(zip(("loaded", "stored"), two)) for two in (work[5:7], work[7:9], (0, 0))]
    per_thread = max(4, (point.bytes * point.elements + 3) // 4 * 4)
    local = is_local(timing)
    asked = {"work": {**dict(zip(WORK, work)),
                      "arrays": [dict(zip(("uniform", "nonUniform", "counted"), words))]},
             "elementBytes": point.bytes, "bytesPerThread": per_thread,
             "layout": "local" if local else timing.variant, "threads": point.block,
             "warps": point.block // 32 * timing.blocks,
             "sharedBytes": timing.shared * timing.blocks,
             "spread": spread_of(point, per_thread) if local else 1}
    return {**asked, "gatheredBytes": generate.TABLE_BYTES} if point.stream == "table" else asked


class Data:
    """Timings, and the model's answers to them."""

    def __init__(self, program, timings, kernels):
        self.program, self.kernels = program, kernels
        self.timings = [t for t in timings if t.same and t.variant != "carve-out"]
        self.measured = [t.ms * 1e3 * CLOCK_MHZ * MULTIPROCESSORS
                         / (t.grid * t.point.block // 32) for t in self.timings]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([question(timing, kernels) for timing in self.timings], file)
            file.flush()
            # It ends when its input does, with this program at the latest.
            self.model = subprocess.Popen([program, file.name], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
            self.shipped = json.loads(self.model.stdout.readline())

    def close(self):
        self.model.stdin.close()
        self.model.stdout.close()
        self.model.wait()

    def only(self, wanted):
        return Data(self.program, [t for t in self.timings if wanted(t)], self.kernels)

    def errors(self, values):
        print(json.dumps(values), file=self.model.stdin, flush=True)
        cycles = json.loads(self.model.stdout.readline())
        return [math.log(c / m) for c, m in zip(cycles, self.measured)]


# The fit

def solve(matrix, right):
    """The solution of a linear system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j, row in enumerate(rows):
            if j != i and row[i]:
                factor = row[i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(row, rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def dot(one, other):
    return sum(map(operator.mul, one, other))


def loss(errors):
    """Squares of small errors; large ones count by their amount ("soft L1")."""
    return sum(2 * (math.sqrt(1 + (e / OUTLIER) ** 2) - 1) for e in errors)


def fit_some(data, given, starts, rounds=300):
    """The constants, those that have no start as given: Levenberg and Marquardt's way, on their
    logarithms."""
    def errors_at(logarithms):
        return data.errors({**given, **dict(zip(starts, map(math.exp, logarithms)))})

    at = [math.log(value) for value in starts.values()]
    errors, damping, nudge = errors_at(at), 1e-3, 1e-5
    for _ in range(rounds):
        weights = [1 / math.sqrt(1 + (e / OUTLIER) ** 2) for e in errors]
        slopes = []
        for i in range(len(at)):
            moved = errors_at([x + nudge * (i == j) for j, x in enumerate(at)])
            slopes.append([(b - a) / nudge for a, b in zip(errors, moved)])
        weighted = [list(map(operator.mul, slope, weights)) for slope in slopes]
        matrix = [[dot(a, b) for b in slopes] for a in weighted]
        right = [-dot(a, errors) for a in weighted]
        while True:
            damped = [[value * (1 + damping * (i == j)) for j, value in enumerate(row)]
                      for i, row in enumerate(matrix)]
            step = solve(damped, right)
            found = [x + s for x, s in zip(at, step)]
            new = errors_at(found)
            if loss(new) <= loss(errors) or damping > 1e6:
                break
            damping *= 10
        done = max(map(abs, step)) < 1e-4
        if loss(new) <= loss(errors):
            at, errors, damping = found, new, damping / 10
        if done or damping > 1e6:
            break
    return {**given, **dict(zip(starts, map(math.exp, at)))}


def fit(data, given, starts=None):
    """The constants, from starts or where the search begins."""
    def begin(names):
        return {name: (starts or names)[name] for name in names}
    updates = data.only(lambda t: t.point.use == generate.UPDATES)
    reads = data.only(is_read_of_local_memory)
    values = fit_some(updates, given, begin(FITTED))
    values = fit_some(reads, values, begin(FITTED_TO_READS))
    updates.close()
    reads.close()
    return values


def root_mean_square(errors):
    return math.sqrt(dot(errors, errors) / len(errors))


def check(values, given):
    wrong = [name for name, value in values.items() if abs(value / given[name] - 1) >= .01]
    for name in wrong:
        print(f"{name} is {given[name]:.3g} in Profit.h, but {values[name]:.3g} is fitted")
    return int(bool(wrong))


def half_of(timing):
    return zlib.crc32(timing.point.kernel.encode()) % 2


def print_halves(data):
    for half in (0, 1):
        one, other = (data.only(lambda t, equal=equal: t.point.use == generate.UPDATES
                                and (half_of(t) == half) == equal) for equal in (True, False))
        values = fit_some(one, data.shipped, FITTED)
        print(f"fitted to {len(one.timings)} timings: {root_mean_square(one.errors(values)):.3f} "
              f"on them, {root_mean_square(other.errors(values)):.3f} on the others")
        one.close()
        other.close()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("model")
    parser.add_argument("decisions", type=pathlib.Path)
    parser.add_argument("sweep", nargs="+")
    options = parser.parse_args()
    kernels = kernel_counts(json.loads(options.decisions.read_text(encoding="utf-8")))
    timings = [timing for path in options.sweep for timing in figures.read(path)]
    data = Data(options.model, timings, kernels)
    if options.check:
        return check(fit(data, data.shipped, data.shipped), data.shipped)
    values = fit(data, data.shipped)
    for name in (*FITTED, *FITTED_TO_READS):
        print(f"{name:26} {values[name]:9.3g}")
    errors = list(zip(data.timings, data.errors(values)))
    for use in dict.fromkeys(t.point.use for t in data.timings):
        of_use = [error for timing, error in errors if timing.point.use == use]
        print(f"{use}: {len(of_use)} timings; root mean square error of the logarithm "
              f"{root_mean_square(of_use):.3f}")
    if options.halves:
        print_halves(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
