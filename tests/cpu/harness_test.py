"""The harness accepts a program that is rewritten as it should be, and notices
what is wrong with others.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import run_on_host

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = HERE.parents[1] / "runtime" / "device"
ORIGINAL = HERE / "inputs" / "count.cu"

STORAGE = ("__shared__ int counts_stripes[::bankstripe::warps(96)][8][32];\n"
           "  auto counts = ::bankstripe::begin(counts_stripes);")
CLEAR = "::bankstripe::clear(counts_stripes);"


def rewritten(storage=STORAGE, clear=CLEAR, element="counts[{}]"):
    """The program with `int counts[8] = {0}` in shared memory."""
    text = ORIGINAL.read_text().replace("int counts[8] = {0};", f"{storage}\n  {clear}")
    text = re.sub(r"(?<!int )\bcounts\[((?:data\[thread\] >> )?i(?: & 7)?)\]",
                  lambda use: element.format(use.group(1)), text)
    return '#include "bankstripe.cuh"\n' + text


def by_hand(storage, element):
    """The same with an index of its own at every use."""
    clear = "for (int i = 0; i < 8; ++i) " + element.format("i") + " = 0;"
    return rewritten(storage, clear, element)


# The same in memory that launches bring, for each warp as much as the row says.
DYNAMIC = ("auto counts_stripes = ::bankstripe::dynamic_stripe<int[8], 0, 1024, 1024>();\n"
           "  auto counts = ::bankstripe::begin(counts_stripes);")
INCLUDES = '#include "bankstripe.cuh"\n#include "bankstripe_launch.cuh"\n'


def kernel_of(text):
    return re.search(r"__global__ void count\(.*?\n}\n", text, re.DOTALL).group()


def in_place(row_bytes=1024):
    """The program with a kernel that needs what its launch brings."""
    text = rewritten(DYNAMIC)
    kernel = kernel_of(text)
    row = f'static ::bankstripe::storage count_row("count", count, {row_bytes});\n'
    return INCLUDES + text.replace(kernel, kernel + row)


def beside(version, original=kernel_of(ORIGINAL.read_text())):
    """The program with a version of the kernel, which is called likewise in `version`."""
    row = 'static ::bankstripe::version count_row("count", count, count_striped, 1024);\n'
    version = kernel_of(version).replace("void count", "void count_striped")
    return INCLUDES + ORIGINAL.read_text().replace(kernel_of(ORIGINAL.read_text()), original + version + row)


class Harness(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        program = run_on_host.build(ORIGINAL, [], cls.work / "original", "g++", [])
        cls.wanted = run_on_host.run_original(program, timeout=240)

    def hold(self, text):
        work = self.work / self.id()
        work.mkdir()
        source = work / "count.cu"
        source.write_text(text)
        program = run_on_host.build(source, [DEVICE], work / "build", "g++", [])
        run_on_host.hold_against(self.wanted, program, seeds=3, timeout=240)

    def assert_noticed(self, kind, text):
        with self.assertRaises(run_on_host.Failure) as noticed:
            self.hold(text)
        self.assertEqual(noticed.exception.kind, kind, noticed.exception)

    def test_accepts_what_is_right(self):
        self.hold(rewritten())

    def test_an_index_is_off_by_one(self):
        self.assert_noticed("output", rewritten().replace("counts[i]", "counts[(i + 1) % 8]"))

    def test_the_initialiser_was_lost(self):
        self.assert_noticed("output", rewritten(clear=""))

    def test_the_initialiser_runs_for_the_first_block_only(self):
        self.assert_noticed("output", rewritten(clear=f"if (blockIdx.x == 0) {CLEAR}"))

    def test_two_lanes_share_a_column(self):
        self.assert_noticed("output", by_hand(
            "__shared__ int counts[3][8][16];",
            "counts[threadIdx.x / 32][{}][threadIdx.x % 16]"))

    def test_all_warps_share_one_plane(self):
        self.assert_noticed("output", by_hand(
            "__shared__ int counts[1][8][32];", "counts[0][{}][threadIdx.x % 32]"))

    def test_the_storage_is_smaller_than_the_block(self):
        self.assert_noticed("ubsan", rewritten(STORAGE.replace("96", "64")))

    def test_the_storage_is_smaller_than_the_block_and_no_subscript_shows_it(self):
        self.assert_noticed("asan", by_hand(
            "__shared__ int storage[2 * 8 * 32];\n"
            "  int *counts = storage + threadIdx.x / 32 * 256 + threadIdx.x % 32;",
            "counts[({}) * 32]"))

    def test_the_launch_bounds_are_smaller_than_the_block(self):
        self.assert_noticed("status", rewritten().replace("void count", "void __launch_bounds__(64) count"))

    def test_accepts_storage_that_the_launch_brings(self):
        self.hold(in_place())

    def test_the_launch_brings_too_little(self):
        self.assert_noticed("status", in_place(512))

    def test_accepts_a_version(self):
        self.hold(beside(rewritten(DYNAMIC)))

    def test_the_version_is_wrong(self):
        self.assert_noticed("output", beside(rewritten(DYNAMIC, clear="")))

    def test_the_original_is_wrong_that_has_a_version(self):
        original = kernel_of(ORIGINAL.read_text()).replace("* 7", "* 5")
        self.assert_noticed("output", beside(rewritten(DYNAMIC), original))

    def test_a_version_that_needs_too_much_does_not_run(self):
        too_much = beside(rewritten(DYNAMIC, clear=""))
        self.hold(too_much.replace("count_striped, 1024)", "count_striped, 80000)"))

    def test_a_row_has_no_kernel(self):
        self.assert_noticed("build", in_place().replace("count_row(", "other_row("))


if __name__ == "__main__":
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        sys.exit(run_on_host.SKIPPED)
    unittest.main()
