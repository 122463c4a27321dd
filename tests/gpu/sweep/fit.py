#!/usr/bin/env python3
"""Fits the constants of the profit model: fit.py SWEEP DECISIONS.json

SWEEP is what run.sh has measured, DECISIONS.json what decide.py has written for blocks of 128, for
the work that the tool counts in each kernel. Prints the constants by the names that they have in
rewriter/plan/Profit.cpp, which is also where the model is explained. Needs numpy and scipy.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

import numpy as np
import scipy.optimize

import generate

CLOCK_MHZ, MULTIPROCESSORS = 1980, 132
UNKNOWN_TRIPS = 100
CARVE_OUTS = (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
NAMES = ("issue.Instruction issue.DoubleOperation issue.Global issue.LocalWord issue.LocalRow "
         "issue.SharedWord latency.Instruction latency.DoubleOperation latency.Global "
         "latency.Local latency.Shared issue.MissFactor latency.Miss HitExponent Sharpness "
         "issue.Packing latency.Packing UnpackedPasses").split()
START = [.25, .5, 2, 2, 1, .6, 2, 8, 240, 100, 50, 2, 250, .9, 4, 2, 10, 1.5]


def counts(work):
    """Instructions, double operations, global accesses, uniform and other words of a kernel."""
    array = work["arrays"][0]
    return np.array([work["instructions"], work["doubleOperations"],
                     work["global"] + work["gathered"], array["uniform"],
                     array["nonUniform"] + array["counted"]], float)


def kernel_counts(decided):
    """The counts of each original, apart: once per element, and once per step."""
    work = {k["name"]: counts(k["work"]) for k in decided["kernels"] if k["work"]}
    result = {}
    for name, (configuration, elements) in generate.points().items():
        # Two sizes that are taken to step equally often tell the two apart.
        small, large = (work[configuration.kernel("original", n)] for n in (32, 64))
        per_element = (large - small) / 32
        steps = max(UNKNOWN_TRIPS, 64)
        result[name] = per_element, (large - per_element * 64) / steps
    return result


def rows_asked(rows, pattern):
    if pattern == "uniform":
        return 1.0
    return rows * (1 - (1 - 1 / rows) ** 32) if pattern == "random" else min(rows, 32)


def read(lines, kernels):
    """One row of features per timing, and the cycles that a warp keeps a multiprocessor busy."""
    table = []
    for line in lines:
        cells = [cell.strip() for cell in line.split("|")]
        if line.startswith("#") or len(cells) < 15 or cells[14] != "same":
            continue
        size, elements, arithmetic, block, grid = (int(cells[i]) for i in (0, 1, 3, 5, 6))
        pattern, variant = cells[2], cells[7]
        if variant == "carve-out":
            continue
        name = next(k for k, (c, n) in generate.points().items()
                    if n == elements and generate.TYPES[c.type].bytes == size
                    and c.uniform == (pattern == "uniform") and c.arithmetic == arithmetic
                    and c.loads == (cells[4] == "loads"))
        per_element, per_step = kernels[name]
        work = per_element * elements + per_step * max(256, 2 * elements)
        shared, blocks, warps = int(cells[12]), int(cells[13]), block // 32
        per_thread = max(4, (size * elements + 3) // 4 * 4)
        wanted = shared * blocks + 1024 * blocks * (shared > 0)
        carve_out = next((k for k in CARVE_OUTS if k * 1024 >= wanted), 228) * 1024
        table.append([*work, rows_asked(per_thread / max(4, size), pattern),
                      variant in ("original", "reserved"), variant == "slot", variant == "packed",
                      variant == "unpacked", pattern != "uniform", size, warps * blocks,
                      per_thread * 32 * warps * blocks, 256 * 1024 - carve_out,
                      float(cells[8]) * 1e3 * CLOCK_MHZ * MULTIPROCESSORS / (grid * warps)])
    return np.array(table, float).T


def model(logarithms, features):
    (instructions, doubles, loads, uniform, other, rows, local, slot, packed, unpacked, spread,
     size, warps, footprint, cache, _) = features
    (ci, cd, cg, cl, cr, cs, li, ld, lg, ll, ls, mf, lm, he, p, ip, lp, up) = np.exp(logarithms)
    miss = 1 - np.minimum(1, cache / footprint) ** he
    accesses = (uniform + other) / (np.maximum(size, 4) / 4)
    passes = np.where((slot > 0) & (spread > 0), np.where(size == 8, 2.4, 1.6), 1)
    passes = np.where((unpacked > 0) & (spread > 0), up, passes)
    issue = (ci * instructions + cd * doubles + cg * loads
             + np.where(local > 0, (uniform * cl + other * (cl + cr * (rows - 1))) * (1 + miss * mf),
                        (uniform + other * passes) * cs + packed * accesses * ip))
    latency = (li * instructions + ld * doubles + lg * loads
               + accesses * np.where(local > 0, ll + miss * lm, ls + packed * lp))
    return (issue ** p + (latency / warps) ** p) ** (1 / p)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[1], encoding="utf-8") as file:
        kernels = kernel_counts(json.load(file))
    with open(arguments[0], encoding="utf-8") as lines:
        features = read(lines, kernels)
    fit = scipy.optimize.least_squares(
        lambda x: np.log(model(x, features) / features[-1]), np.log(START), loss="soft_l1",
        f_scale=0.1, max_nfev=300)
    for name, value in zip(NAMES, np.exp(fit.x)):
        print(f"{name:26} {value:9.3f}")
    errors = np.log(model(fit.x, features) / features[-1])
    print(f"{len(errors)} timings; root mean square error of the logarithm "
          f"{np.sqrt(np.mean(errors ** 2)):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
