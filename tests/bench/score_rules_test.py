#!/usr/bin/env python3
"""Tests of how rules are scored on the table of predictions and outcomes; and of that table.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import csv
import io
import math
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

# pylint: disable=wrong-import-position
import score_rules  # noqa: E402

CASE = "its grids are small"


def kernel(program, moved, predicted=2.0, worst=1.0, **others):
    fields = {"name": "k", "best": max(1.0, moved), "low": worst, "high": predicted,
              "resource_factor": 1.0, "access_factor": predicted, "worst_case": "", "polls": False,
              "others": {}}
    return score_rules.Kernel(program=program, moved=moved, predicted=predicted, worst=worst,
                              **(fields | others))


def row(**columns):
    return {"set": "s", "program": "p", "kernel": "k", "decision": "moves", "why": "",
            "predicted": "1.5", "low": "0.8", "high": "2", "resource_factor": "0.75",
            "access_factor": "2", "worst": "1.1", "worst_case": "", "change": "a stripe",
            "measured_default": "", "measured_change": "", "measured_all": "",
            "measured_slots": "", "best": ""} | columns


class Kernels(unittest.TestCase):
    def test_prefers_the_outcome_of_what_would_be_changed(self):
        read = score_rules.kernel_of(row(measured_change="1.4", measured_all="0.5", best="1.6"))
        self.assertEqual((read.moved, read.best, read.program), (1.4, 1.6, "s/p"))
        nothing = row(change="", measured_default="1.4", measured_all="0.5")
        self.assertEqual(score_rules.kernel_of(nothing).moved, 0.5)

    def test_leaves_out_what_no_rule_decides_about_or_nobody_measured(self):
        self.assertIsNone(score_rules.kernel_of(row()))
        self.assertIsNone(score_rules.kernel_of(row(measured_all="2", worst="")))
        self.assertIsNone(score_rules.kernel_of(row(measured_all="2", decision="constant")))


class Rules(unittest.TestCase):
    def test_default_weighs_the_worst_case_as_much_as_what_is_expected(self):
        for predicted, worst, moves in ((1.04, 1.04, False), (1.05, 1.0, True), (1.5, 0.6, False),
                                        (2.0, 0.6, True)):
            self.assertEqual(score_rules.is_worth_it(kernel("p", 1, predicted, worst)), moves)
        self.assertFalse(score_rules.is_worth_it(kernel("p", 1, polls=True)))

    def test_without_a_case_moves_what_that_case_keeps_and_nothing_else(self):
        rule = score_rules.without_case(CASE)
        for case, predicted, moves in ((CASE, 1.5, True), ("another", 1.5, False),
                                       (CASE, 1.0, False)):
            self.assertEqual(rule(kernel("p", 1, predicted, 0.5, worst_case=case)), moves)
        only = score_rules.only_case(CASE)
        for case, moves in ((CASE, False), ("another", True)):
            self.assertEqual(only(kernel("p", 1, 1.5, 0.5, worst_case=case)), moves)

    def test_fits_a_weight_of_the_resource_factor(self):
        kernels = [kernel(program, moved, predicted, resource_factor=factor)
                   for program, moved, predicted, factor in
                   (("a", 2.0, 2.0, 0.9), ("b", 0.5, 2.1, 0.2), ("c", 0.5, 2.2, 0.2),
                    ("d", 2.0, 1.9, 0.9))]
        rule = score_rules.fit_weighted(kernels)
        self.assertEqual([rule(k) for k in kernels], [True, False, False, True])

    def test_fits_the_threshold_that_gains_most(self):
        kernels = [kernel("a", 2.0, 3.0), kernel("b", 1.5, 2.0), kernel("c", 0.5, 1.5),
                   kernel("d", 1.1, 1.1)]
        rule = score_rules.fit_threshold(kernels, score_rules.VALUES["predicted"])
        self.assertEqual([rule(k) for k in kernels], [True, True, False, False])

    def test_asks_beside_the_default_and_never_for_more_than_it_changes(self):
        kernels = [kernel("a", 0.5, others={"warps_before": 32, "warps_after": 8}),
                   kernel("b", 2.0, others={"warps_before": 32, "warps_after": 32}),
                   kernel("c", 2.0, 1.0, others={"warps_before": 32, "warps_after": 32}),
                   kernel("d", 2.0)]
        rule = score_rules.fit_beside_default(kernels,
                                              score_rules.BESIDES["warps that are left"])
        self.assertEqual([rule(k) for k in kernels], [False, True, False, True])

    def test_fits_nothing_that_moves_where_everything_loses(self):
        kernels = [kernel("a", 0.5, 3.0), kernel("b", 0.9, 2.0)]
        rule = score_rules.fit_threshold(kernels, score_rules.VALUES["predicted"])
        self.assertFalse(any(map(rule, kernels)))

    def test_does_not_fit_to_the_program_that_it_decides_about(self):
        kernels = [kernel("a", 2.0, 3.0), kernel("a", 2.0, 1.3), kernel("b", 0.5, 1.2)]
        seen = []

        def fit(rest):
            seen.append({k.program for k in rest})
            return lambda k: True

        score_rules.leave_one_out(kernels, fit)
        self.assertCountEqual(seen, [{"a"}, {"b"}])


class Scores(unittest.TestCase):
    def test_are_shares_of_the_logarithm_of_the_best_and_count_losses(self):
        kernels = [kernel("a", 4.0), kernel("b", 0.5), kernel("c", 4.0, 1.0)]
        score = score_rules.score_all(kernels, {"default": score_rules.is_worth_it}, 10)["default"]
        self.assertAlmostEqual(score.share, 0.25)
        self.assertEqual((score.changed, score.losses, score.worst), (2, 1, 0.5))
        self.assertAlmostEqual(score.mean, 2 ** (1 / 3))

    def test_interval_of_the_difference_holds_zero_only_where_chance_explains_it(self):
        kernels = [kernel(f"p{i}", 1.2, 1.0) for i in range(20)] + [kernel("q", 3.0)]
        scores = score_rules.score_all(kernels, {"default": score_rules.is_worth_it,
                                                 "always": lambda k: True,
                                                 "never": lambda k: False}, 400)
        self.assertGreater(scores["always"].interval_of_more[0], 0)
        self.assertEqual(scores["default"].interval_of_more, (0, 0))
        self.assertEqual(scores["never"].interval, (0, 0))
        self.assertAlmostEqual(scores["never"].interval_of_more[1], 0)

    def test_draws_whole_programs(self):
        counts = list(score_rules.resamples(["a", "b", "c"], 50))
        self.assertTrue(all(sum(c.values()) == 3 for c in counts))
        self.assertTrue(any(0 in c.values() for c in counts))


class Table(unittest.TestCase):
    def setUp(self):
        with open(score_rules.TABLE, newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))

    def test_names_a_source_in_each_row_that_exists(self):
        folder = score_rules.TABLE.parent
        for line in self.rows:
            for source in (line["source"] + " " + line["source_prediction"]).split():
                if ":" in source:
                    self.assertTrue((folder / source.split(":")[0]).exists(), source)
            self.assertTrue(line["source"], line["kernel"])

    def test_has_predictions_whose_factors_multiply(self):
        for line in self.rows:
            if line["resource_factor"]:
                product = float(line["resource_factor"]) * float(line["access_factor"])
                self.assertAlmostEqual(math.log(product / float(line["predicted"])), 0, places=2,
                                       msg=line["kernel"])

    def test_can_be_scored(self):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            self.assertEqual(score_rules.main(["--samples=20"]), 0)
            self.assertEqual(score_rules.main(["--samples=20", "--kernels=never"]), 0)
            empty = pathlib.Path(folder, "empty.csv")
            empty.write_text(",".join(self.rows[0]) + "\n", encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(score_rules.main([str(empty)]), 1)
        self.assertIn("| default |", printed.getvalue())
        self.assertIn("moves by default", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
