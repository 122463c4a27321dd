#!/usr/bin/env python3
"""Holds the constants of the model to the timings that they are fitted to: fit_test.py MODEL
DECISIONS.json

MODEL is the program of model.cpp, DECISIONS.json what decide.py has written for blocks of 128.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import io
import json
import pathlib
import sys
import unittest

import figures
import fit

SWEEP = [pathlib.Path(__file__).resolve().parents[3] / "measurements" / name
         for name in ("sweep-h200.txt.xz", "sweep-cached-h200.txt.xz", "sweep-one-way-h200.txt.xz")]
DATA = None


def checked(values):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = fit.check(values, DATA.shipped)
    return status, printed.getvalue()


class Fit(unittest.TestCase):
    def test_says_what_stands_in_the_tool(self):
        self.assertEqual(checked(fit.fit(DATA, DATA.shipped, DATA.shipped)), (0, ""))

    # From a tenth off, it comes back.
    def test_finds_constants_that_are_off(self):
        wrong = {**DATA.shipped, "Issue.LoadedRow": 1.1 * DATA.shipped["Issue.LoadedRow"]}
        reads = DATA.only(fit.is_read_of_local_memory)
        values = fit.fit_some(reads, wrong, {name: wrong[name] for name in fit.FITTED_TO_READS})
        reads.close()
        self.assertEqual(checked(values), (0, ""))

    def test_notices_another_constant(self):
        for name in ("Latency.Miss", "Issue.LoadedRow"):
            status, printed = checked({**DATA.shipped, name: DATA.shipped[name] * 1.02})
            self.assertEqual(status, 1)
            self.assertIn(f"{name} is", printed)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    DECISIONS = json.loads(pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8"))
    DATA = fit.Data(sys.argv.pop(), [timing for path in SWEEP for timing in figures.read(path)],
                    fit.kernel_counts(DECISIONS))
    unittest.main()
