#!/usr/bin/env python3
"""Sources that are strings of a program: standard input, the Python package, and what is said of others.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import subprocess
import sys
import unittest
import unittest.mock

from support import BROKEN, DONE, PLAIN, SOME_FAILED, TOOL, USAGE, ToolTest, moves

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGE))
import bankstripe  # noqa: E402  pylint: disable=wrong-import-position

# As NVRTC takes it: no include, and nobody launches it.
KERNEL = """extern "C" __global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}
"""


class StandardInput(ToolTest):
    def rewrite(self, source, *options):
        return subprocess.run([TOOL, "rewrite", *options], input=source, capture_output=True, text=True,
                              cwd=self.folder, check=False)

    def test_comes_back_rewritten_with_the_helper_where_its_block_is_said(self):
        done = self.rewrite(KERNEL, "--block-size=256", "-")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertTrue(done.stdout.startswith("// bankstripe.cuh "), done.stdout[:80])
        self.assertIn("__shared__ int last_stripes", done.stdout)
        self.assertIn("__launch_bounds__(256)", done.stdout)
        self.assertIn("<stdin>:2:", done.stderr)
        self.assertEqual(list(self.snapshot()), [])

    def test_stays_where_nobody_says_its_block(self):
        done = self.rewrite(KERNEL, "-")
        self.assertEqual(done.stdout, KERNEL)
        self.assertIn("give --block-size", done.stderr)

    def test_comes_back_as_it_is_where_nothing_moves(self):
        self.assertEqual(self.rewrite(PLAIN, "-").stdout, PLAIN)

    def test_includes_lie_in_the_current_folder(self):
        self.write("size.h", "#define SIZE 8\n")
        done = self.rewrite('#include "size.h"\n' + KERNEL.replace("[8]", "[SIZE]"), "--block-size=64", "--quiet", "-")
        self.assertIn("last_stripes", done.stdout, done.stderr)

    def test_broken_source_prints_nothing(self):
        done = self.rewrite(BROKEN, "-")
        self.assertEqual((done.returncode, done.stdout), (SOME_FAILED, ""))
        self.assertIn("<stdin>:1:", done.stderr)

    def test_is_the_only_source_and_is_not_written_to(self):
        for words in (("-", "a.cu"), ("--in-place", "-"), ("--format=json", "-")):
            done = self.rewrite(KERNEL, *words)
            self.assertEqual(done.returncode, USAGE, words)
            self.assertIn("'-' is the one source", done.stderr)


class Strings(ToolTest):
    HOST = 'const char *source = R"(\n__global__ void k(int *p) { int a[8]; }\n)";\n'

    def test_kernels_in_strings_are_not_passed_over(self):
        self.write("host.cu", self.HOST)
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "host.cu"))
        self.assertIn("'host.cu' has kernels in strings, which are not read", done.stderr)

    def test_other_kernels_are_read_all_the_same(self):
        self.write("host.cu", self.HOST)
        self.write("a.cu", moves())
        done = self.expect(DONE, self.run_tool("analyze", "."))
        self.assertIn("has kernels in strings", done.stderr)
        self.assertIn("1 per-thread array", done.stdout)

    def test_comments_are_no_strings(self):
        self.write("host.cu", "// A __global__ function would be a kernel.\nint one() { return 1; }\n")
        self.assertNotIn("strings", self.expect(DONE, self.run_tool("analyze", "host.cu")).stderr)

    def test_python_is_not_read(self):
        self.write("run.py", 'source = "__global__ void k() {}"\n')
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "run.py"))
        self.assertIn("'run.py' is Python", done.stderr)


class Package(ToolTest):
    def test_rewrites_a_string(self):
        with unittest.mock.patch.dict("os.environ", BANKSTRIPE=TOOL):
            with self.assertLogs("bankstripe", "INFO") as logs:
                text = bankstripe.rewrite(KERNEL.replace("[8]", "[N]"), "--no-confirm", "--block-size=64",
                                          compiler_options=["-DN=8"])
        self.assertIn("last_stripes", text)
        self.assertIn("1 per-thread array", logs.output[0])

    def test_raises_what_was_said(self):
        with unittest.mock.patch.dict("os.environ", BANKSTRIPE=TOOL):
            with self.assertRaisesRegex(bankstripe.Error, "could not parse"):
                bankstripe.rewrite(BROKEN)

    def test_takes_no_text_for_a_list_of_options(self):
        with self.assertRaisesRegex(TypeError, "a list of options"):
            bankstripe.rewrite(KERNEL, compiler_options="-DN=8")

    def test_runs_as_a_module(self):
        done = subprocess.run([sys.executable, "-m", "bankstripe", "--version"], capture_output=True, text=True,
                              env={"BANKSTRIPE": TOOL, "PYTHONPATH": str(PACKAGE)}, check=False)
        self.assertRegex(done.stdout, r"^bankstripe \d")

    def test_finds_no_program(self):
        with unittest.mock.patch.dict("os.environ", {"PATH": "", "BANKSTRIPE": ""}):
            with self.assertRaises(FileNotFoundError):
                bankstripe.program()


if __name__ == "__main__":
    unittest.main()
