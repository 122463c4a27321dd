#!/usr/bin/env python3
"""Tests of the sweep that need no GPU: what is generated, and what is made of the figures.

Usage: sweep_test.py [TestCase...]. With nvcc, one program is compiled as well.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.dom.minidom

import analyse
import figures
import generate
import plot

HERE = pathlib.Path(__file__).resolve().parent

# Two points with words, one with bytes that only packed fits, one that does not fit at all.
FIGURES = """# a comment
4 | 8 | uniform | 0 | none | 128 | 100 | original | 1.0 | 0.5 | 20 | 32 | 0 | 16 | same
4 | 8 | uniform | 0 | none | 128 | 100 | stripe | 0.5 | 0.1 | 20 | 0 | 4096 | 16 | same
4 | 8 | uniform | 0 | none | 128 | 100 | slot | 0.75 | 0.2 | 20 | 0 | 4096 | 16 | same
4 | 8 | uniform | 0 | none | 128 | 100 | reserved | 0.8 | 0.3 | 20 | 32 | 4096 | 16 | same
4 | 8 | uniform | 32 | loads | 128 | 100 | original | 1.0 | 0.4 | 20 | 32 | 0 | 16 | same
4 | 8 | uniform | 32 | loads | 128 | 100 | stripe | 2.0 | 0.1 | 20 | 0 | 4096 | 16 | same
4 | 8 | uniform | 32 | loads | 128 | 100 | slot | 4.0 | 0.1 | 20 | 0 | 4096 | 16 | same
4 | 8 | uniform | 32 | loads | 128 | 100 | reserved | 1.6 | 0.1 | 20 | 32 | 4096 | 16 | same
4 | 8 | uniform | 32 | loads | 128 | 100 | carve-out | 0.4 | 0.1 | 20 | 0 | 4096 | 16 | same
1 | 400 | random | 8 | none | 256 | 50 | original | 3.0 | 0.5 | 20 | 400 | 0 | 8 | same
1 | 400 | random | 8 | none | 256 | 50 | word | - | - | 20 | 0 | 409600 | 0 | does not fit
1 | 400 | random | 8 | none | 256 | 50 | packed | 1.0 | 0.1 | 20 | 0 | 102400 | 2 | same
8 | 400 | worst | 8 | none | 1024 | 12 | original | 3.0 | 0.5 | 20 | 3200 | 0 | 8 | same
8 | 400 | worst | 8 | none | 1024 | 12 | stripe | - | - | 20 | 0 | 3276800 | 0 | does not fit
"""
WORDS = figures.Point(4, 8, "uniform", 0, "none", 128)
WORDS_WITH_LOADS = figures.Point(4, 8, "uniform", 32, "loads", 128)
BYTES = figures.Point(1, 400, "random", 8, "none", 256)
TOO_LARGE = figures.Point(8, 400, "worst", 8, "none", 1024)


def sweep(text=FIGURES):
    return analyse.Sweep(figures.parse(text.splitlines()))


def output(*arguments):
    """Exit status and text of analyse.py."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = analyse.main([str(argument) for argument in arguments])
    return status, printed.getvalue()


class Figures(unittest.TestCase):
    def test_leaves_out_what_does_not_fit(self):
        times = sweep().times
        self.assertEqual(list(times), [WORDS, WORDS_WITH_LOADS, BYTES, TOO_LARGE])
        self.assertEqual(times[BYTES], {"original": 3.0, "packed": 1.0})
        self.assertEqual(times[TOO_LARGE], {"original": 3.0})

    def test_no_control_is_the_best(self):
        times = sweep().times
        self.assertEqual([analyse.best(times[point]) for point in times],
                         ["stripe", "original", "packed", "original"])

    def test_means_are_geometric_and_say_what_they_are_about(self):
        speedups = [analyse.best_speedup(variants) for variants in sweep().times.values()]
        self.assertEqual(speedups, [2.0, 0.5, 3.0, None])
        self.assertEqual(analyse.cell(speedups[:2]), "1.00")
        self.assertEqual(analyse.cell(speedups[2:]), "3.00 (1)")
        self.assertEqual(analyse.cell([None]), "")

    def test_says_what_is_done_with_an_element(self):
        updates, reads = figures.parse(
            f"4 | 8 | uniform | 0 | {stream} | 128 | 100 | original | 1.0 | 0 | 9 | 32 | 0 | 9 | same"
            for stream in ("loads", "loads reads"))
        self.assertEqual((updates.point.stream, updates.point.use), ("loads", "updates"))
        self.assertEqual(reads.point, updates.point._replace(use="reads"))
        self.assertEqual(reads.point.kernel, "original_f32_uniform_0_loads_reads_8")


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def decisions(self, resident=False, **verdicts):
        """Kernels of the points, and what is decided about them."""
        arrays = [{"kernels": [kernel], "verdict": verdict, "form": form}
                  for kernel, (verdict, form) in verdicts.items()]
        kernels = [{"name": kernel, "whereResident": resident} for kernel in verdicts]
        return self.write("decisions.json", json.dumps({"arrays": arrays, "kernels": kernels}))

    def test_tells_the_price_from_the_gain(self):
        _, text = output(self.write("figures", FIGURES))
        price, gain = text.index("original over reserved, uniform"), text.index("reserved over")
        self.assertIn("| 8 |  | 0.88 |  |", text[price:gain])  # 1 / sqrt(0.8 * 1.6)
        self.assertIn("| 8 |  | 1.13 |  |", text[gain:])  # sqrt(0.8 / 0.5 * 1.6 / 2)

    def test_says_where_the_original_wins(self):
        _, text = output(self.write("figures", FIGURES))
        self.assertIn("| uniform | 4 | 8 | 1 of 2 |  |  | 2.00 |", text)
        self.assertNotIn("| worst | 8 | 400 | 1 of", text)

    def test_has_tables_for_each_use(self):
        reads = FIGURES.replace("| none |", "| none reads |")
        _, text = output(self.write("figures", FIGURES + reads))
        self.assertLess(text.index("## updates"), text.index("## reads"))
        self.assertNotIn("## updates", output(self.write("figures", FIGURES))[1])

    def test_compares_uses_where_there_are_all(self):
        reads = ["4 | 8 | uniform | 0 | none reads | 128 | 9 | original | 3.0 | 0 | 9 | 32 | 0 | 9 | same",
                 "4 | 8 | uniform | 0 | none reads | 128 | 9 | stripe | 2.0 | 0 | 9 | 32 | 0 | 9 | same"]
        status, text = output("--uses", self.write("figures", FIGURES),
                              self.write("reads", "\n".join(reads)))
        self.assertEqual(status, 0)
        self.assertEqual(text.splitlines()[-1], "| 4 | uniform | 8 | 2.00 | 1.50 |")
        self.assertEqual(text.count("uniform"), 1)  # With 32 multiply-adds nothing is only read.

    def test_compares_slots_and_carve_outs(self):
        _, text = output(self.write("figures", FIGURES))
        self.assertIn("| uniform | 4 | 1.73 | 1.50 | 2.00 |", text)
        self.assertIn("| uniform | 4 | 5.00 | 5.00 | 5.00 |", text)

    def test_judges_decisions(self):
        decisions = self.decisions(**{WORDS.kernel: ("slot", None),
                                      WORDS_WITH_LOADS.kernel: ("keep", None)})
        status, text = output(self.write("figures", FIGURES), f"128={decisions}")
        self.assertEqual(status, 0)
        self.assertIn("| the tool | 2 | 50.0 % | 50.0 % | 1.155 | 1.414 | 1.50 | 0 |", text)
        self.assertIn("| never move | 2 | 50.0 % | 50.0 % | 1.000 | 1.414 | 2.00 | 0 |", text)
        self.assertIn("| a stripe where it fits | 2 | 50.0 % | 50.0 % | 1.000 | 1.414 | 2.00 | 0 |",
                      text)
        self.assertIn("| 4 | 8 | uniform | 0 | none | 128 | slot | stripe | 1.50 |", text)

    def test_counts_what_is_missed_and_what_becomes_slower(self):
        decisions = self.decisions(**{WORDS.kernel: ("slot", None),
                                      WORDS_WITH_LOADS.kernel: ("stripe", "plain")})
        _, text = output(self.write("figures", FIGURES), f"128={decisions}")
        self.assertIn("| 4 | 2 | 0 |", text)
        self.assertIn("2 points at which something moves, 1 of them below 0.98, the worst 0.50.",
                      text)
        keeps = self.decisions(**{WORDS.kernel: ("keep", None)})
        _, text = output(self.write("figures", FIGURES), f"128={keeps}")
        self.assertIn("| 4 | 0 | 1 |", text)
        self.assertIn("0 points at which something moves, 0 of them below 0.98.", text)

    # The grids of the sweep are too large for it.
    def test_a_version_for_resident_grids_does_not_run(self):
        decisions = self.decisions(resident=True, **{WORDS_WITH_LOADS.kernel: ("stripe", "plain")})
        _, text = output(self.write("figures", FIGURES), f"128={decisions}")
        self.assertIn("0 points at which something moves", text)

    def test_counts_what_cannot_run(self):
        decisions = self.decisions(**{BYTES.kernel: ("stripe", "one element per word")})
        _, text = output(self.write("figures", FIGURES), f"256={decisions}")
        self.assertIn("| the tool | 0 |  |  |  |  |  | 1 |", text)

    def test_decisions_are_for_one_size_of_blocks(self):
        decisions = self.decisions(**{WORDS.kernel: ("stripe", "plain")})
        _, text = output(self.write("figures", FIGURES), f"64={decisions}")
        self.assertIn("| the tool | 0 |", text)

    def test_reports_variants_that_differ(self):
        wrong = FIGURES.replace("4096 | 16 | same", "4096 | 16 | DIFFERENT", 1)
        status, text = output(self.write("figures", wrong))
        self.assertEqual(status, 1)
        self.assertIn("DIFFERENT: Point(bytes=4, elements=8,", text)

    def test_bad_usage(self):
        self.assertEqual(output()[0], 2)
        self.assertEqual(output(self.write("figures", FIGURES), "decisions.json")[0], 2)


class Picture(unittest.TestCase):
    def judgement(self, chosen, loss, speedup, pattern="uniform"):
        return analyse.Judgement(WORDS._replace(pattern=pattern), chosen, "stripe", loss, speedup)

    def test_what_is_near_the_best_lies_near_the_diagonal(self):
        self.assertEqual(plot.kind(self.judgement("slot", 1.04, 3)), "best")
        self.assertEqual(plot.kind(self.judgement("slot", 1.06, 3)), "missed")
        self.assertEqual(plot.kind(self.judgement("original", 2, 1)), "missed")
        self.assertEqual(plot.dots([self.judgement("stripe", 1, plot.HIGHEST)], 0),
                         f"M{plot.SIDE} {plot.TOP}h0")

    def test_only_what_moved_can_be_slower(self):
        self.assertEqual(plot.kind(self.judgement("slot", 1.03, 0.97)), "slower")
        self.assertEqual(plot.kind(self.judgement("original", 1.03, 0.97)), "best")

    def test_each_pattern_has_its_panel(self):
        text = plot.draw([self.judgement("slot", 1.5, 2), self.judgement("slot", 1, 2, "worst")])
        xml.dom.minidom.parseString(text)
        self.assertIn("the same index in all lanes: 1<", text)
        self.assertIn("random indices: 0<", text)
        self.assertIn("32 different indices: 1<", text)
        self.assertIn("another choice is faster: 1<", text)
        self.assertEqual(text.count('class="dots missed" d="M'), 2)  # and in the legend

    def test_decisions_have_to_be_given(self):
        with contextlib.redirect_stderr(io.StringIO()) as text:
            self.assertEqual(plot.main(["figures"]), 2)
        self.assertIn("plot.py FILE BLOCK=DECISIONS", text.getvalue())


class Generated(unittest.TestCase):
    def test_every_point_has_its_kernel(self):
        kernels = set(generate.points())
        streams, cached = 4 * 8 * 2 * 3 * 2, 2 * 8 * 2 * 2 * 2
        one_way, rereads = 3 * 8 * 2 * 2 * 2 * 2, 2 * 8 * 2 * 2 * 2
        self.assertEqual(len(kernels), streams + cached + one_way + rereads)
        for point in sweep().times:
            self.assertIn(point.kernel, kernels)

    def test_kernels_do_with_an_element_what_they_are_named_for(self):
        def accesses(use):
            configuration = generate.Configuration("f32", True, 8, "quiet", use)
            lines = generate.step(configuration, 16, generate.layouts(
                generate.TYPES["f32"], 16)["original"])
            stores = [line for line in lines if line.startswith("A[")]
            return "\n".join(lines).count("A[") - len(stores), len(stores)
        self.assertEqual([accesses(use) for use in ("updates", "reads", "writes", "rereads")],
                         [(1, 1), (1, 0), (0, 1), (2, 1)])

    def test_variants_differ_in_the_array_alone(self):
        configuration = generate.Configuration("u8", False, 8, "loads")
        layouts = generate.layouts(generate.TYPES["u8"], 16)
        self.assertEqual(list(layouts), ["original", "word", "packed", "unpacked", "slot"])
        texts = {"\n".join(generate.kernel(configuration, 16, variant, layout))
                 .replace(layout.declaration, "DECLARATION").replace(layout.element, "ELEMENT")
                 .replace(f"{variant}_u8", "KERNEL") for variant, layout in layouts.items()}
        self.assertEqual(len(texts), 1)

    def test_leaves_alone_what_does_not_change(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            generate.generate(folder)
            files = sorted(folder.glob("*/*.cu"))
            self.assertEqual(len(files), 2 * len(generate.configurations()))
            for file in files:
                os.utime(file, (0, 0))
            files[0].write_text("something else", encoding="utf-8")
            generate.generate(folder)
            self.assertEqual([file for file in files if file.stat().st_mtime != 0], files[:1])

    @unittest.skipUnless(shutil.which("nvcc"), "there is no nvcc")
    def test_a_program_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([HERE / "build.sh", folder, "u8_varying_8_loads"],
                                  env={**os.environ, "ARCH": "sm_90", "JOBS": "1"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # It needs no GPU to say that there is no such option.
            program = pathlib.Path(folder, "bin", "u8_varying_8_loads")
            done = subprocess.run([program, "--block=64"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
