"""nvcc has the last word, where there is one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import unittest

from support import CHANGES, DONE, ToolTest, find_nvcc, moves

# Clang leaves it in local memory, ptxas does not.
SELECTED = """
__global__ void chosen(const int *in, int *out) {
  int pair[2];
  pair[0] = in[threadIdx.x];
  pair[1] = in[threadIdx.x + 1];
  pair[in[0] & 1] = 5;
  out[threadIdx.x] = pair[in[1] & 1];
}
void launchChosen(const int *in, int *out) { chosen<<<1, 64>>>(in, out); }
"""

# Its loads need many warps. By the size of its blocks it has 64, by its registers 16.
LARGE = """
__global__ void busy(const double *in, double *out, int n) {
  double live[48];
#pragma unroll
  for (int k = 0; k < 48; ++k)
    live[k] = in[k * 128 + threadIdx.x];
  float a[64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = i;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < 14; ++k)
      live[k] += in[(i * 8 + k) * 128 + threadIdx.x];
#pragma unroll 1
    for (int j = 0; j < 6; ++j)
      a[i * j & 63] += a[j];
#pragma unroll
    for (int k = 0; k < 48; ++k)
      live[k] *= live[(k + 1) % 48];
  }
#pragma unroll
  for (int k = 1; k < 48; ++k)
    live[0] += live[k];
  out[threadIdx.x] = live[0] + a[n & 63];
}
void launchBusy(const double *in, double *out) { busy<<<100, 128>>>(in, out, 1000); }
"""


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class Confirmation(ToolTest):
    def report(self, *args):
        done = self.expect(DONE, self.run_tool(
            "analyze", "--format=json", *args, confirm=True))
        return json.loads(done.stdout)

    def test_stack_frame_shrinks(self):
        self.write("a.cu", moves())
        kernel = self.report("a.cu")["kernels"][0]
        self.assertEqual(kernel["ptxasBefore"]["stackFrame"], 32)
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)
        self.assertEqual(kernel["ptxasBefore"]["sharedBytes"], 0)
        self.assertEqual(kernel["ptxasAfter"]["sharedBytes"], 128 * 8 * 4)
        text = self.run_tool("analyze", "a.cu", confirm=True).stdout
        self.assertIn("32 > 0 bytes per thread, by ptxas", text)

    def test_what_does_not_shrink_it_is_withdrawn(self):
        self.write("a.cu", SELECTED)
        before = self.snapshot()
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertIn("(0 > 0 bytes) [keep, stack-frame-kept]", done.stderr)
        self.assertEqual(self.snapshot(), before)
        # Clang alone would move it.
        self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))

    def test_only_that_kernel_is_withdrawn(self):
        self.write("a.cu", moves() + SELECTED)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assert_rewritten("a.cu")
        self.assertTrue(self.read("a.cu").endswith(SELECTED))

    def test_file_that_nvcc_does_not_compile_is_rewritten_unconfirmed(self):
        self.write("a.cu", "#ifndef __clang__\n#error for Clang only\n#endif\n" + moves())
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertIn("nvcc does not compile it, so ptxas cannot confirm", done.stderr)
        self.assert_rewritten("a.cu")

    def test_file_that_nvcc_no_longer_compiles_is_left_alone(self):
        # nvcc sees what Clang does not: the helper's names are taken.
        text = "#ifndef __clang__\nint bankstripe;\n#endif\n" + moves()
        self.write("a.cu", text)
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertIn("nvcc does not accept the rewritten file", done.stderr)
        self.assertIn("[keep, compile-failed]", done.stderr)
        self.assertEqual(self.read("a.cu"), text)

    def test_registers_decide_what_pays(self):
        self.write("a.cu", LARGE)
        self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu"))  # For all that Clang knows.
        self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu", confirm=True))
        kernel = self.report("a.cu")["kernels"][0]
        self.assertEqual(kernel["warpsPerMultiprocessorBefore"], 16)
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_headers_are_compiled_as_rewritten(self):
        self.write("include/kernel.cuh", "#pragma once\n" + moves())
        self.write("a.cu", "#include <kernel.cuh>\n")
        kernel = self.report("a.cu", "include/kernel.cuh", "--", "-Iinclude")["kernels"][0]
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_includes_beside_the_file_are_found(self):
        self.write("src/size.h", "#define WORDS 8\n")
        self.write("src/a.cu", '#include "size.h"\n' + moves().replace("[8]", "[WORDS]"))
        kernel = self.report("src")["kernels"][0]
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_nothing_is_left_behind(self):
        self.write("a.cu", moves())
        scratch = self.folder / "scratch"
        scratch.mkdir()
        done = self.run_tool("analyze", "a.cu", confirm=True,
                             env={**os.environ, "TMPDIR": str(scratch)})
        self.expect(DONE, done)
        self.assertEqual(list(scratch.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
