#!/usr/bin/env python3
"""Tests of plot_speedups.py, and that the picture shows what the tables say.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import unittest
import xml.dom.minidom

import plot_speedups

PICTURE = plot_speedups.ROOT / "docs" / "pictures" / "speedups.svg"
TABLES = """

| kernel | all, stripes | all, slots | default before | default |
|---|---|---|---|---|
| one, `first` | 0.97 | 1.08 | **0.52** | kept |
| two, phase 0 and phase 1 | 1.03 | 1.03 | kept | kept |

| kernel | all, stripes | all, slots | default, never seen |
|---|---|---|---|
| three, `a` and `b` | 3.52, 1.07 | 3.52, 1.09 | 3.52, **0.90** |
| four, `a` and `b` | 1.01, 0.99 | 1.01, 0.99 | kept (1.00, 0.98) |

| | kernels |
|---|---|
| together | 5 |
"""


class Plot(unittest.TestCase):
    def test_rows_are_read(self):
        self.assertEqual([tuple(kernel) for kernel in plot_speedups.read(TABLES)], [
            ("three a", 3.52, 3.52, 3.52),
            ("one first", 0.97, 1.0, 1.08),
            ("two phase 0", 1.03, 1.0, 1.03),
            ("two phase 1", 1.03, 1.0, 1.03),
            ("four a", 1.01, 1.0, 1.01),
            ("four b", 0.99, 1.0, 1.0),
            ("three b", 1.07, 0.90, 1.09)])

    def test_gains_are_a_share_of_what_can_be_reached(self):
        half = [plot_speedups.Kernel("a", 1.0, 2.0, 4.0), plot_speedups.Kernel("b", 0.5, 0.5, 1.0)]
        self.assertEqual(plot_speedups.summary(half), ["0.71", "1.00", "2.00", "50 %", "0 %"])

    def test_means_are_those_of_the_tables(self):
        text = (plot_speedups.ROOT / plot_speedups.ENTRY).read_text(encoding="utf-8")
        rows = {row[0]: row for table in plot_speedups.tables(text)
                for row in table}
        every = plot_speedups.read(text)
        for name, kernels in zip(("HeCBench", "the others, now", "together, now"),
                                 (*plot_speedups.by_table(text), every), strict=True):
            self.assertEqual([cell.strip("*") for cell in rows[name][2:7]],
                             plot_speedups.summary(kernels), name)
            losses = sum(kernel.default < 0.98 for kernel in kernels)
            self.assertEqual(int(rows[name][7].split(",")[0]), losses, name)

    def test_scale_is_logarithmic(self):
        half, one, two = map(plot_speedups.place, (0.5, 1, 2))
        self.assertAlmostEqual(one - half, two - one, delta=0.2)

    def test_every_kernel_is_on_the_scale(self):
        text = (plot_speedups.ROOT / plot_speedups.ENTRY).read_text(encoding="utf-8")
        for kernel in plot_speedups.read(text):
            for value in kernel[1:]:
                self.assertLess(plot_speedups.LOWEST, value, kernel)
                self.assertLess(value, plot_speedups.HIGHEST, kernel)

    def test_picture_is_that_of_the_tables(self):
        text = (plot_speedups.ROOT / plot_speedups.ENTRY).read_text(encoding="utf-8")
        picture = PICTURE.read_text(encoding="utf-8")
        self.assertEqual(picture, plot_speedups.draw(plot_speedups.read(text)),
                         "make it anew: tests/bench/plot_speedups.py > docs/pictures/speedups.svg")
        self.assertLess(len(picture), 60_000)
        xml.dom.minidom.parseString(picture)


if __name__ == "__main__":
    unittest.main()
