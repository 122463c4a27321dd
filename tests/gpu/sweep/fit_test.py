#!/usr/bin/env python3
"""Holds fit.py to the tool, whose model it repeats: fit_test.py DECISIONS.json

DECISIONS.json is what decide.py has written for blocks of 128. Both must predict the same for every
kernel of the sweep, and what is fitted to the committed timings must stand in Profit.cpp. Exit
status 77 without numpy and scipy, 2 for bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import io
import json
import math
import pathlib
import sys
import unittest

try:
    import fit
except ImportError as error:
    print(error)
    sys.exit(77)

import analyse
import figures

SWEEP = [fit.PROFIT.parents[2] / "docs/measurements" / name
         for name in ("sweep-h200.txt.xz", "sweep-cached-h200.txt.xz", "sweep-one-way-h200.txt.xz")]
WARPS = 128 // 32
DECIDED = {}


def predicted(kernel, array, values):
    """What fit.py makes of a kernel whose array moves."""
    work = fit.counts(kernel["work"])
    spread = values["UsualSpread"] if array["index"] == "non-uniform" else 0
    per_thread = array["bytesPerThread"]
    rows = 1 + (fit.rows_of_random(array["elementBytes"], per_thread) - 1) * spread
    before, after = (kernel[f"warpsPerMultiprocessor{when}"] for when in ("Before", "After"))

    def cycles(variant, warps, shared):
        return fit.cycles(values, fit.Traffic(
            *work[:5], 0, *work[5:], rows, spread, array["elementBytes"], per_thread, variant,
            warps, fit.cache_left(shared, warps // WARPS)))
    return cycles("original", before, 0) / cycles(analyse.variant_of(array), after,
                                                  kernel["sharedBytesAfter"])


class Fit(unittest.TestCase):
    def test_has_the_model_of_the_tool(self):
        values = fit.constants()
        arrays = {array["kernels"][0]: array for array in DECIDED["arrays"]
                  if array["verdict"] in ("stripe", "slot")}
        self.assertGreater(len(arrays), 200)
        for kernel in DECIDED["kernels"]:
            if array := arrays.get(kernel["name"]):
                ratio = predicted(kernel, array, values) / kernel["predicted"]["speedup"]
                self.assertLess(abs(math.log(ratio)), 1e-6, kernel["name"])

    def test_says_what_stands_in_the_tool(self):
        timings = [timing for path in SWEEP for timing in figures.read(path)]
        data = fit.Data(timings, fit.kernel_counts(DECIDED))
        given, printed = fit.constants(), io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = fit.check(fit.fit(data, given), given)
        self.assertEqual((status, printed.getvalue()), (0, ""))

    def test_notices_another_constant(self):
        given = fit.constants()
        for name in ("latency.Miss", "issue.LoadedRow"):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                status = fit.check({**given, name: given[name] * 1.02}, given)
            self.assertEqual(status, 1)
            self.assertIn(f"{name} is", printed.getvalue())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    DECIDED = json.loads(pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8"))
    unittest.main()
