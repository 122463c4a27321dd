#!/usr/bin/env python3
"""Fits the constants of the profit model: fit.py [--check] [--halves] DECISIONS.json SWEEP...

SWEEP is what run.sh has measured, in one or several files, DECISIONS.json what decide.py has written for blocks of 128, for
the work that the tool counts in each kernel. Prints the constants by the names that they have in
rewriter/plan/Profit.cpp, which is also where the model is explained; what is not fitted is read
from there. The constants of words that are loaded again and again are fitted afterwards, to the
kernels that only read their array, the others to those that update it; the rest of the kernels is
only asked about. Needs numpy and scipy.

  --check   compare with Profit.cpp instead; exit status 1 if a constant differs by 1 % or more
  --halves  also fit to one half of the kernels with updates, and say how far off the other half is

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import re
import sys
from typing import NamedTuple
import zlib

import numpy as np
import scipy.optimize

import figures
import generate

PROFIT = pathlib.Path(__file__).resolve().parents[3] / "rewriter/plan/Profit.cpp"
CLOCK_MHZ, MULTIPROCESSORS = 1980, 132
KILOBYTE = 1024
UNKNOWN_TRIPS = 100  # evidence/Work.cpp
LINE_BYTES = 128
CARVE_OUTS = (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
# Where the search begins.
FITTED = {"issue.Instruction": .25, "issue.DoubleOperation": .5, "issue.Global": 2,
          "issue.LocalWord": 2, "issue.LocalRow": 1, "issue.SharedWord": .6, "issue.Packing": 2,
          "issue.MissFactor": 2, "issue.Lines": 20, "issue.LinesMiss": 40, "latency.Instruction": 2, "latency.DoubleOperation": 8,
          "latency.Global": 240, "latency.Local": 100, "latency.Shared": 50, "latency.Packing": 10,
          "latency.Miss": 250, "latency.Lines": 40, "latency.LinesMiss": 200, "Sharpness": 4, "HitExponent": .9, "UnpackedPasses": 1.5}
FITTED_TO_READS = {"issue.LoadedRow": .2, "issue.LoadedRowMiss": 2}


def constants():
    """The constants of Profit.cpp and Profit.h: namespace.name => value."""
    result, space = {}, ""
    texts = (file.read_text(encoding="utf-8") for file in (PROFIT, PROFIT.with_suffix(".h")))
    for line in "\n".join(texts).splitlines():
        if opened := re.match(r"namespace (\w+) {", line):
            space = f"{opened[1]}."
        elif re.match("}", line):
            space = ""
        elif found := re.match(r"(?:inline )?constexpr double (\w+) = ([\d.]+);", line):
            result[space + found[1]] = float(found[2])
    return result


class Traffic(NamedTuple):
    """What the model is asked about: numbers, or arrays of them."""
    instructions: float
    doubles: float
    loads: float    # whose lanes are near to each other
    apart: float    # whose lanes are lines apart
    gathered: float
    table: float    # bytes that these are about; 0 if nobody knows
    uniform_loaded: float  # words
    uniform_stored: float
    varying_loaded: float
    varying_stored: float
    rows: float     # that a warp asks for where its lanes go their own ways
    spread: float   # how far these are apart, from 0 to 1
    bytes: int      # of an element
    per_thread: int
    variant: str    # original, or a layout
    warps: int
    cache: int      # bytes of the L1


def rows_of_random(size, per_thread):
    rows = max(1, per_thread / max(4, size))
    return rows * (1 - (1 - 1 / rows) ** 32)


def cache_left(shared, blocks):
    """The L1 that blocks with so much shared memory leave."""
    wanted = (shared + KILOBYTE) * blocks if shared else 0
    carve_out = next((size for size in CARVE_OUTS if size * KILOBYTE >= wanted), CARVE_OUTS[-1])
    return (256 - carve_out) * KILOBYTE


def words(t):
    return t.uniform_loaded + t.uniform_stored + t.varying_loaded + t.varying_stored


def hits(c, t):
    """The shares of local accesses and of loads of many lines that the L1 holds: what is used most
    per byte stays there."""
    lanes = 32 * t.warps
    local = np.where(t.variant == "original", t.per_thread * lanes, 0)
    lines = np.where(t.apart > 0, LINE_BYTES * lanes, t.table)
    local_first = (words(t) * lanes / np.maximum(local, 1)
                   >= (t.apart + t.gathered) * lanes / np.maximum(lines, 1))

    def share(left, footprint, exponent):
        return np.clip(left / np.maximum(footprint, 1), 0, 1) ** exponent
    behind_local, behind_lines = (np.maximum(t.cache - other, 0) for other in (local, lines))
    unknown = (t.gathered > 0) & (t.table == 0)
    expected = np.log2(t.cache / c["LeastGathered"]) / np.log2(c["MostGathered"]
                                                              / c["LeastGathered"])
    return (share(np.where(local_first, t.cache, behind_lines), local, c["HitExponent"]),
            np.where(unknown, np.clip(expected, 0, 1),
                     share(np.where(local_first, behind_local, t.cache), lines,
                           c["LinesExponent"])))


def issue_of_local(c, loaded, stored, rows, hit):
    """issueOfLocal() of Profit.cpp."""
    again = np.maximum(0, loaded - c["LoadsPerStore"] * stored)
    return ((loaded + stored - again)
            * (c["issue.LocalWord"] + c["issue.LocalRow"] * (rows - 1))
            * (1 + (1 - hit) * c["issue.MissFactor"])
            + again * rows * (c["issue.LoadedRow"] + (1 - hit) * c["issue.LoadedRowMiss"]))


def cycles(c, t):
    """What a warp keeps a multiprocessor busy: timeOf() of Profit.cpp for one array."""
    local = t.variant == "original"
    packed = t.variant == "packed"
    hit, lines_hit = hits(c, t)
    accesses = words(t) / (np.maximum(t.bytes, 4) / 4)
    of_slot = np.where(t.bytes == 8, c["SlotPassesOfDoubles"], c["SlotPasses"])
    passes = 1 + t.spread * (np.select([t.variant == "slot", t.variant == "unpacked"],
                                       [of_slot, c["UnpackedPasses"]], 1) - 1)
    lines = t.apart + t.gathered
    spread = np.where((t.gathered > 0) & (t.table == 0), c["UsualSpread"], 1)
    issue = (c["issue.Instruction"] * t.instructions + c["issue.DoubleOperation"] * t.doubles
             + c["issue.Global"] * (t.loads + (1 - spread) * lines)
             + spread * lines * (c["issue.Lines"] + (1 - lines_hit) * c["issue.LinesMiss"])
             + np.where(local,
                        issue_of_local(c, t.uniform_loaded, t.uniform_stored, 1, hit)
                        + issue_of_local(c, t.varying_loaded, t.varying_stored, t.rows, hit),
                        (t.uniform_loaded + t.uniform_stored
                         + (t.varying_loaded + t.varying_stored) * passes) * c["issue.SharedWord"]
                        + packed * accesses * c["issue.Packing"]))
    latency = (c["latency.Instruction"] * t.instructions
               + c["latency.DoubleOperation"] * t.doubles + c["latency.Global"] * t.loads
               + lines * (c["latency.Lines"] + (1 - lines_hit) * c["latency.LinesMiss"])
               + accesses * np.where(local, c["latency.Local"] + (1 - hit) * c["latency.Miss"],
                                     c["latency.Shared"] + packed * c["latency.Packing"]))
    sharpness = c["Sharpness"]
    return (issue ** sharpness + (latency / t.warps) ** sharpness) ** (1 / sharpness)


# From the sweep to the model

def counts(work):
    """Instructions, double operations, loads whose lanes are near, lines apart and led by data, and
    words of a kernel: those at uniform indices that are loaded and stored, then the others."""
    array = work["arrays"][0]
    words_of = [array["uniform"][way] for way in ("loaded", "stored")]
    words_of += [array["nonUniform"][way] + array["counted"][way] for way in ("loaded", "stored")]
    return np.array([work["instructions"], work["doubleOperations"], work["global"], work["rows"],
                     work["gathered"], *words_of], float)


def kernel_counts(decided):
    """The counts of each original, apart: once per element, and once per step."""
    work = {k["name"]: counts(k["work"]) for k in decided["kernels"] if k["work"]}
    result = {}
    for name, (configuration, _) in generate.points().items():
        # Two sizes that are taken to step equally often tell the two apart.
        small, large = (work[configuration.kernel("original", n)] for n in (32, 64))
        per_element = (large - small) / 32
        result[name] = per_element, (large - per_element * 64) / UNKNOWN_TRIPS
    return result


def traffic(timing, kernels):
    point = timing.point
    per_element, per_step = kernels[point.kernel]
    work = per_element * point.elements + per_step * max(256, 2 * point.elements)
    per_thread = max(4, (point.bytes * point.elements + 3) // 4 * 4)
    rows = rows_of_random(point.bytes, per_thread)
    if point.pattern != "random":
        rows = 1 if point.pattern == "uniform" else min(per_thread / max(4, point.bytes), 32)
    # The control runs as the original does.
    variant = "original" if timing.variant == "reserved" else timing.variant
    table = generate.TABLE_BYTES if point.stream == "table" else 0
    return Traffic(*work[:5], table, *work[5:], rows, 1, point.bytes, per_thread, variant,
                   point.block // 32 * timing.blocks, cache_left(timing.shared, timing.blocks))


class Data:
    """Timings as arrays: what the model is asked, the cycles that it should say, what the kernels
    do with an element, and the half of them that each belongs to."""

    def __init__(self, timings, kernels):
        timings = [t for t in timings if t.same and t.variant != "carve-out"]
        columns = zip(*(traffic(timing, kernels) for timing in timings))
        self.traffic = Traffic(*map(np.array, columns))
        self.cycles = np.array([t.ms * 1e3 * CLOCK_MHZ * MULTIPROCESSORS
                                / (t.grid * t.point.block // 32) for t in timings])
        self.use = np.array([t.point.use for t in timings])
        self.half = np.array([zlib.crc32(t.point.kernel.encode()) % 2 for t in timings])

    def only(self, chosen):
        part = object.__new__(Data)
        part.traffic = Traffic(*(column[chosen] for column in self.traffic))
        part.cycles, part.use, part.half = (column[chosen] for column in (self.cycles, self.use,
                                                                          self.half))
        return part

    def only_use(self, use):
        return self.only(self.use == use)

    def errors(self, values):
        return np.log(cycles(values, self.traffic) / self.cycles)


def fit_some(data, given, starts):
    """The constants, those that have no start as given."""
    def values(logarithms):
        return {**given, **dict(zip(starts, np.exp(logarithms)))}
    found = scipy.optimize.least_squares(
        lambda x: data.errors(values(x)), np.log(list(starts.values())), loss="soft_l1",
        f_scale=0.1, max_nfev=300)
    return values(found.x)


def fit(data, given):
    """The constants, those that are not fitted as given."""
    reads = data.only_use("reads")
    reads = reads.only(reads.traffic.variant == "original")
    return fit_some(reads, fit_some(data.only_use(generate.UPDATES), given, FITTED),
                    FITTED_TO_READS)


def root_mean_square(errors):
    return np.sqrt(np.mean(errors ** 2))


def check(values, given):
    wrong = [name for name in (*FITTED, *FITTED_TO_READS) if abs(values[name] / given[name] - 1) >= .01]
    for name in wrong:
        print(f"{name} is {given[name]:.3g} in Profit.cpp, but {values[name]:.3g} is fitted")
    return int(bool(wrong))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("decisions", type=pathlib.Path)
    parser.add_argument("sweep", nargs="+")
    options = parser.parse_args()
    kernels = kernel_counts(json.loads(options.decisions.read_text(encoding="utf-8")))
    timings = [timing for path in options.sweep for timing in figures.read(path)]
    data, given = Data(timings, kernels), constants()
    values = fit(data, given)
    if options.check:
        return check(values, given)
    for name in (*FITTED, *FITTED_TO_READS):
        print(f"{name:26} {values[name]:9.3g}")
    for use in dict.fromkeys(data.use):
        part = data.only_use(use)
        print(f"{use}: {len(part.cycles)} timings; root mean square error of the logarithm "
              f"{root_mean_square(part.errors(values)):.3f}")
    data = data.only_use(generate.UPDATES)
    for half in (0, 1) if options.halves else ():
        one, other = data.only(data.half == half), data.only(data.half != half)
        values = fit_some(one, given, FITTED)
        print(f"fitted to {len(one.cycles)} timings: {root_mean_square(one.errors(values)):.3f} "
              f"on them, {root_mean_square(other.errors(values)):.3f} on the others")
    return 0


if __name__ == "__main__":
    sys.exit(main())
