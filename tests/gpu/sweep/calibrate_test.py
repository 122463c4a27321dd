#!/usr/bin/env python3
"""Fits constants to the timings that were recorded on an H200: calibrate_test.py TOOL

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MEASUREMENTS = pathlib.Path(__file__).resolve().parents[3] / "measurements"
RECORDED = "".join(lzma.open(MEASUREMENTS / f"{name}-h200.txt.xz", "rt").read()
                   for name in ("sweep", "sweep-cached", "sweep-one-way"))
LINES = [line for line in RECORDED.splitlines() if not line.startswith("#")]
# What runtime/calibrate/CalibrationKernels.cu measures.
TYPES, BLOCKS = ("1", "4", "8"), ("128", "512")
VARIANTS = ("original", "reserved", "stripe", "word", "packed", "unpacked")
TOOL = None


def is_calibrated(line):
    cells = [cell.strip() for cell in line.split("|")]
    stream, _, use = cells[4].partition(" ")
    return (cells[0] in TYPES and cells[5] in BLOCKS and cells[7] in VARIANTS and
            (use == "" or (use == "reads" and cells[7] == "original")))


def constants(path):
    pairs = (line.split(":") for line in path.read_text(encoding="utf-8").splitlines() if ":" in line)
    return {name: value.strip() if name in ("gpu", "arch") else float(value) for name, value in pairs}


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.config = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.gpus = self.config / "bankstripe" / "gpus"

    def calibrate(self, lines, *options):
        return subprocess.run([TOOL, "calibrate", "--from=-", *options], input="\n".join(lines),
                              env={**os.environ, "XDG_CONFIG_HOME": str(self.config)},
                              capture_output=True, text=True, check=False)

    def fitted(self, lines, *options):
        done = self.calibrate(lines, "-o", str(self.config / "made.yaml"), *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return constants(self.config / "made.yaml"), done.stdout

    def assert_close(self, found, expected, within):
        for name, value in expected.items():
            if name not in ("gpu", "arch"):
                self.assertAlmostEqual(found[name] / value, 1, delta=within, msg=name)

    # From one timing nothing can be fitted, so what comes out is what is compiled in.
    def test_the_shipped_constants_are_those_of_the_recorded_timings(self):
        shipped, _ = self.fitted(LINES[:1])
        self.assert_close(self.fitted(LINES)[0], shipped, .01)

    def test_finds_them_from_afar(self):
        expected, _ = self.fitted(LINES)
        self.gpus.mkdir(parents=True)
        afar = [f"{name}: {value if isinstance(value, str) else value * (1.5, .7)[i % 2]}"
                for i, (name, value) in enumerate(expected.items())]
        (self.gpus / "afar.yaml").write_text("\n".join(afar), encoding="utf-8")
        self.assert_close(self.fitted(LINES, "--gpu-arch=afar")[0], expected, .01)

    # Against all that was recorded, no more than 1 % worse.
    def test_what_calibrate_measures_is_enough(self):
        self.calibrate(list(filter(is_calibrated, LINES)))
        self.assertEqual([path.name for path in self.gpus.iterdir()], ["NVIDIA-H200.yaml"])
        (self.gpus / "NVIDIA-H200.yaml").rename(self.gpus / "part.yaml")
        _, printed = self.fitted(LINES, "--gpu-arch=part")
        of_all, of_part = map(float, re.findall(r"([\d.]+)%", printed))
        self.assertLess(of_part, of_all * 1.01)

    def test_what_is_no_timing_is_refused(self):
        done = self.calibrate(["nonsense"], "-o", str(self.config / "made.yaml"))
        self.assertEqual((done.returncode, done.stderr),
                         (3, "bankstripe: this is no line of timings: nonsense\n"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    TOOL = sys.argv.pop()
    unittest.main()
