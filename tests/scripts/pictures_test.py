#!/usr/bin/env python3
"""Tests of the scripts that draw the pictures of the documents, and that the pictures are theirs.

    pictures_test.py [BANKSTRIPE]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import shutil
import sys
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "scripts" / "pictures"))
import make  # noqa: E402
import pipeline  # noqa: E402
import speedups  # noqa: E402
import terminal  # noqa: E402

TOOL = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None
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


class Speedups(unittest.TestCase):
    def test_rows_are_read(self):
        self.assertEqual([tuple(kernel)[:4] for kernel in speedups.read(TABLES)], [
            ("three a", 3.52, 3.52, 3.52),
            ("one first", 0.97, 1.0, 1.08),
            ("two phase 0", 1.03, 1.0, 1.03),
            ("two phase 1", 1.03, 1.0, 1.03),
            ("four a", 1.01, 1.0, 1.01),
            ("four b", 0.99, 1.0, 1.0),
            ("three b", 1.07, 0.90, 1.09)])

    def test_gains_are_a_share_of_what_can_be_reached(self):
        half = [speedups.Kernel("a", 1.0, 2.0, 4.0), speedups.Kernel("b", 0.5, 0.5, 1.0)]
        self.assertEqual(speedups.summary(half), ["0.71", "1.00", "2.00", "50 %", "0 %"])

    def test_means_are_those_of_the_tables(self):
        text = speedups.ENTRY.read_text(encoding="utf-8")
        rows = {row[0]: row for table in speedups.tables(text) for row in table}
        every = [kernel for kernels in speedups.by_table(text) for kernel in kernels]
        for name, kernels in zip(("HeCBench", "the others, now", "together, now"),
                                 (*speedups.by_table(text), every), strict=True):
            self.assertEqual([cell.strip("*") for cell in rows[name][2:7]],
                             speedups.summary(kernels), name)
            losses = sum(kernel.default < 0.98 for kernel in kernels)
            self.assertEqual(int(rows[name][7].split(",")[0]), losses, name)

    def test_scale_is_logarithmic(self):
        half, one, two = map(speedups.place, (0.5, 1, 2))
        self.assertAlmostEqual(one - half, two - one, delta=0.2)

    def test_every_kernel_that_is_shown_is_on_the_scale(self):
        every = speedups.read(speedups.ENTRY.read_text(encoding="utf-8"))
        for kernel in filter(speedups.changed, every):
            for value in (kernel.everything, kernel.default, kernel.best):
                self.assertLess(speedups.LOWEST, value, kernel)
                self.assertLess(value, speedups.HIGHEST, kernel)


class Pictures(unittest.TestCase):
    def is_drawn(self, name, drawn):
        picture = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
        self.assertEqual(picture, drawn, f"make it anew: scripts/pictures/make.py {name}")
        self.assertLess(len(picture), 60_000)
        xml.dom.minidom.parseString(picture)

    def test_are_what_scripts_draw(self):
        for name, draw in make.PICTURES.items():
            if name != "terminal":
                with self.subTest(name):
                    self.is_drawn(name, draw())

    def test_folders_of_the_pipeline_are_there(self):
        for folder in pipeline.folders():
            self.assertTrue((ROOT / folder).is_dir(), folder)

    @unittest.skipUnless(TOOL and shutil.which("nvcc"), "needs bankstripe and nvcc")
    def test_terminal_shows_what_is_printed(self):
        self.is_drawn("terminal", terminal.draw(TOOL))


if __name__ == "__main__":
    unittest.main()
