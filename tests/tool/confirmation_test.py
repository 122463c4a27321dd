"""nvcc has the last word, where there is one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import unittest

from support import CHANGES, DONE, GROWS, SELECTED, ToolTest, find_nvcc, moves

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "reasons"

# `large` has no room in shared memory, `second` may be used at one index only.
BESIDE_LARGE = """
#include <compiler.h>
#ifdef READ_BY_CLANG
#define FOR_NVCC(I, J) (J)
#else
#define FOR_NVCC(I, J) (I)
#endif
__global__ void beside(const int *in, int *out, int n) {
  int large[8192], first[32], second[32];
  large[n] = n;
  large[in[n]] = 1;
  second[SECOND(0)] = n;
#pragma unroll 1
  for (int i = 0; i < 32; ++i)
    first[i] = in[i];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    const int at = in[i * 64 + threadIdx.x];
    first[at & 31] += in[i];
    second[SECOND(1)] ^= at;
    second[SECOND(0)] += second[SECOND(1)];
  }
  out[threadIdx.x] = large[in[1]] + first[n & 31] + second[SECOND(0)];
}
void launchBeside(const int *in, int *out, int n) { beside<<<n, 64>>>(in, out, n); }
"""


FRAMES = """
struct V3 { float x, y, z; __device__ float &operator[](int i) { return (&x)[i]; } };
struct Setup { float gain[16]; int n; };
__global__ void changed(Setup s, const int *pick, float *out) {
  for (int i = 0; i < s.n; ++i)
    s.gain[pick[i * 64 + threadIdx.x] & 15] += i;
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += s.gain[i] * i;
  out[threadIdx.x] = sum;
}
__device__ __noinline__ float pick(const Setup s, int i) { return s.gain[i & 15] * s.gain[i / 2 & 15]; }
__global__ void calls(const Setup s, const int *pick_at, float *out) { out[threadIdx.x] = pick(s, pick_at[threadIdx.x]); }
__global__ void only_read(Setup s, const int *pick, float *out) {
  out[threadIdx.x] = s.gain[pick[threadIdx.x] & 15];
}
__global__ void components(const float *in, const int *axis, int n, float *out) {
  V3 p{in[0], in[1], in[2]};
  float4 sum = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    p[axis[i * 64 + threadIdx.x] % 3] += 0.25f;
    reinterpret_cast<float *>(&sum)[axis[i * 64 + threadIdx.x] & 3] += p[i % 3];
  }
  out[threadIdx.x] = p.x + p.y + p.z + sum.x + sum.y + sum.z + sum.w;
}
"""


def beside_large(second):
    return BESIDE_LARGE.replace("SECOND(0)", second.format(0)).replace(
        "SECOND(1)", second.format(1))


# nvcc has `x` in registers, since it unrolls all loops.
CALLERS = """
__device__ __noinline__ void emit(const unsigned *item, unsigned size, unsigned *list) {
  unsigned at = atomicAdd(list, size);
  for (unsigned i = 0; i < size; ++i)
    list[1 + at + i] = item[i];
}
__device__ void report(const unsigned *x, unsigned *list) {
  unsigned r[25];
  for (int i = 0; i < 25; ++i)
    r[i] = x[i & 7] ^ x[i >> 2 & 7];
  emit(r, 25, list);
}
__device__ void step(const unsigned *in, unsigned *list, int n) {
  unsigned x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = in[i];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          x[(i + j) & 7] += x[i] * x[j] + __umulhi(x[j], x[i]) + (x[(i * j + w) & 7] >> 3);
  if (x[0] < 16)
    report(x, list);
}
__global__ void keys(const unsigned *in, unsigned *list, int n) { step(in + threadIdx.x * 24, list, n); }
void run(const unsigned *in, unsigned *list, int n) { keys<<<n / 256, 256>>>(in, list, n); }
"""


# cos of a double has 40 bytes for large arguments; `data` would need 128.
COSINES = """
__global__ void cosines(const double *x, double *out, int n) {
  double2 data[8];
  for (int i = 0; i < 8; ++i)
    data[i] = make_double2(x[i * n + threadIdx.x], 0);
  for (int i = 0; i < 8; ++i)
    data[i].x = cos(data[i].y + x[threadIdx.x]);
  const int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    out[i * n + threadIdx.x] = data[order[i]].x;
}
void run(const double *x, double *out) { cosines<<<4, 64>>>(x, out, 64); }
"""


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class Confirmation(ToolTest):
    def setUp(self):
        super().setUp()
        self.write_compiler_header()

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
        self.assertIn("32 -> 0 bytes per thread, by ptxas", text)

    def test_kernels_with_constraints_are_found_in_what_ptxas_says(self):
        self.write("a.cu", "template <class T> concept Number = sizeof(T) == 4;\n"
                   "template <class T> requires Number<T>\n" +
                   moves().replace("const int *in", "const T *in", 1).replace("count<<<", "count<int><<<"))
        kernel = self.report("a.cu", "--", "-std=c++20")["kernels"][0]
        self.assertEqual(kernel["ptxasBefore"]["stackFrame"], 32)
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_a_version_is_compared_with_its_kernel(self):
        for code in (moves(), moves().replace("__global__", "template <int N> __global__")
                     .replace("count<<<", "count<4><<<")):
            self.write("a.cu", code)
            done = self.expect(DONE, self.run_tool(
                "analyze", "--format=json", "--versions", "--min-speedup=0", "a.cu", confirm=True, whole=False))
            kernel = json.loads(done.stdout)["kernels"][0]
            self.assertTrue(kernel["hasVersion"])
            self.assertEqual((kernel["ptxasBefore"]["stackFrame"], kernel["ptxasAfter"]["stackFrame"]), (32, 0))

    def test_what_has_no_frame_is_in_registers(self):
        self.write("a.cu", SELECTED)
        before = self.snapshot()
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertNotIn("local memory", done.stderr)
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.report("a.cu")["arrays"][0]["verdict"], "registers")
        # Clang alone would move it.
        self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))

    def test_what_nvcc_has_in_registers_beside_a_frame_stays(self):
        def arrays(second):
            self.write("a.cu", beside_large(second))
            report = self.report("a.cu")
            self.assertEqual(report["kernels"][0]["ptxasAfter"]["sharedBytes"],
                             report["kernels"][0]["sharedBytesAfter"])
            return {a["name"]: (a["verdict"], a["residency"]) for a in report["arrays"][1:]}
        moved = ("stripe", "local memory")
        self.assertEqual(arrays("(in[{0}] & 31)"), {"first": moved, "second": moved})
        self.assertEqual(arrays("FOR_NVCC({0}, in[{0}] & 31)"),
                         {"first": moved, "second": ("registers", "registers")})

    def test_arrays_of_which_nothing_would_move_are_asked_about(self):
        self.write("a.cu", moves() + SELECTED.replace("int pair", "alignas(16) int pair"))
        def outcomes(**kwargs):
            done = self.expect(DONE, self.run_tool("analyze", "--layout=keep", "a.cu", **kwargs))
            return [re.search(r"per thread\) (.*?):", line)[1] for line in done.stdout.splitlines()
                    if "per-thread array '" in line]
        self.assertEqual(outcomes(confirm=True), ["stays in local memory"])
        self.assertEqual(outcomes(), ["probably stays in local memory"] * 2)
        sources = [a["residencySource"] for a in self.report("a.cu")["arrays"]]
        self.assertEqual(sources, ["ptxas"] * 2)

    def test_frames_that_no_array_explains_are_counted(self):
        self.write("a.cu", FRAMES)
        report = self.report("a.cu")
        self.assertEqual({a["name"]: a["residency"] for a in report["arrays"]},
                         {"p": "local memory", "sum": "local memory", "s": "local memory"})
        self.assertEqual({k["name"]: k["unnamedFrameBytes"] for k in report["kernels"]},
                         {"changed": 0, "calls": 72, "only_read": 0, "components": 0})
        done = self.expect(DONE, self.run_tool("analyze", "a.cu", "--verbose", confirm=True))
        self.assertIn("72 bytes of the stack frame of kernel 'calls' (72 bytes, by ptxas) belong to no known array",
                      done.stdout)
        self.assertIn("knew 1 of 1 files, and 2 of 2 answers", done.stderr)

    def test_parameters_that_are_only_read_need_no_frame(self):
        page = PAGES / "read-only-parameter.md"
        self.write("a.cu", page.read_text(encoding="utf-8").split("```cuda\n")[1].split("```")[0])
        report = self.report("a.cu")
        self.assertEqual([(a["verdict"], a["reason"]) for a in report["arrays"]],
                         [("constant", "read-only-parameter")])
        self.assertEqual([report["kernels"][0]["ptxas" + when]["stackFrame"] for when in ("Before", "After")],
                         [128, 0])
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu", confirm=True))
        self.assertIn("+__global__ void fir(const float *in, float *out, int length, const __grid_constant__ Filter f) {",
                      self.run_tool("rewrite", "a.cu", confirm=True).stdout, done.stdout)
        # Without ptxas' word nobody knows that it has a frame.
        report = json.loads(self.run_tool("analyze", "--format=json", "--no-confirm", "a.cu").stdout)
        self.assertEqual(report["arrays"], [])

    def test_frames_of_the_device_library_hold_no_array(self):
        self.write("a.cu", COSINES)
        report = self.report("a.cu")
        self.assertEqual(report["kernels"][0]["unnamedFrameBytes"], 40)
        self.assertNotIn("local memory", {a["residency"] for a in report["arrays"]})

    def test_arrays_of_callers_are_alive_beside_those_of_functions(self):
        self.write("a.cu", CALLERS)
        where = {a["name"]: a["residency"] for a in self.report("a.cu")["arrays"]}
        self.assertEqual(where, {"r": "local memory", "x": "unknown"})

    def test_only_that_kernel_is_withdrawn(self):
        self.write("a.cu", moves() + SELECTED)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assert_rewritten("a.cu")
        self.assertTrue(self.read("a.cu").endswith(SELECTED))

    def test_file_that_nvcc_does_not_compile_is_rewritten_unconfirmed(self):
        self.write("a.cu", "#include <compiler.h>\n#ifndef READ_BY_CLANG\n#error for Clang only\n#endif\n" + moves())
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertIn("nvcc does not compile it, so ptxas cannot confirm", done.stderr)
        self.assert_rewritten("a.cu")

    def test_file_that_nvcc_no_longer_compiles_is_left_alone(self):
        # nvcc sees what Clang does not: the helper's names are taken.
        text = "#include <compiler.h>\n#ifndef READ_BY_CLANG\nint bankstripe;\n#endif\n" + moves()
        self.write("a.cu", text)
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertIn("nvcc does not accept the rewritten file", done.stderr)
        self.assertIn("[unchanged, compile-failed]", done.stderr)
        self.assertEqual(self.read("a.cu"), text)

    def test_file_that_gets_more_shared_memory_than_planned_is_left_alone(self):
        more = ("#if !defined READ_BY_CLANG && defined BANKSTRIPE_COMMON\n  __shared__ int more[999];\n"
                "  more[in[0]] = in[1];\n  out += more[in[2]];\n#endif\n")
        text = "#include <compiler.h>\n" + moves().replace("  for", more + "  for", 1)
        self.write("a.cu", text)
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", confirm=True))
        self.assertRegex(done.stderr, r"a.cu:3: nvcc gives kernel 'count' \d+ bytes of shared memory, and at most 4096")
        self.assertIn("[unchanged, compile-failed]", done.stderr)
        self.assertEqual(self.read("a.cu"), text)

    def test_predictions_count_the_code_that_nvcc_adds(self):
        self.write("a.cu", GROWS)
        kernel = self.report("a.cu")["kernels"][0]
        # 512 bytes run once.
        self.assertGreater(kernel["ptxasAfter"]["codeBytes"] - 512,
                           kernel["ptxasBefore"]["codeBytes"])
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", "a.cu"))
        unasked = json.loads(done.stdout)["kernels"][0]["predicted"]
        self.assertGreater(unasked["speedup"], kernel["predicted"]["speedup"])

    def test_headers_are_compiled_as_rewritten_whoever_includes_them(self):
        self.write("kernels/kernel.cuh", "#pragma once\n" + moves())
        self.write("api/launch.h", '#include "../kernels/kernel.cuh"\n')
        self.write("a.cu", "#include <launch.h>\n")
        kernel = self.report("a.cu", "kernels/kernel.cuh", "--", "-Iapi")["kernels"][0]
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_includes_beside_the_file_are_found(self):
        self.write("src/size.h", "#define WORDS 8\n")
        self.write("src/a.cu", '#include "size.h"\n' + moves().replace("[8]", "[WORDS]"))
        kernel = self.report("src")["kernels"][0]
        self.assertEqual(kernel["ptxasAfter"]["stackFrame"], 0)

    def test_bounds_leave_room_for_the_registers(self):
        # 40 doubles in flight take more registers than 1024 threads can have.
        values = range(40)
        lines = [f"double s{i} = in[{i}];" for i in values]
        lines.append("int last[32] = {0};")
        lines.append("for (int r = 0; r < rounds; ++r) {")
        lines.append("last[int(in[r + threadIdx.x]) & 31] += last[int(in[r]) & 31];")
        lines += [f"s{i} = s{i} * s{(i + 7) % 40} + s{(i + 13) % 40};" for i in values]
        lines.append("}")
        lines.append("out[threadIdx.x] = last[int(in[threadIdx.x]) & 31] + "
                     + " + ".join(f"s{i}" for i in values) + ";")
        self.write("a.cu", "__global__ void k(const double *in, double *out, int rounds) {\n"
                   + "\n".join(lines) + "\n}\nvoid f(const double *in, double *out, int n) {\n"
                   + "k<<<1, n>>>(in, out, 50);\n}\n")
        done = self.expect(DONE, self.run_tool(
            "rewrite", "--in-place", "--min-speedup=0", "--shared-limit=232448", "a.cu",
            "--", "-arch=sm_90", confirm=True))
        self.assertIn("[stripe, dynamic-index]", done.stderr)
        bound = int(re.search(r"__launch_bounds__\((\d+)\)", self.read("a.cu"))[1])
        self.assertLess(bound, 1024)

    def test_nothing_is_left_behind(self):
        self.write("a.cu", moves())
        scratch = self.folder / "scratch"
        scratch.mkdir()
        done = self.run_tool("analyze", "a.cu", confirm=True,
                             env={**os.environ, "TMPDIR": str(scratch)})
        self.expect(DONE, done)
        self.assertEqual(list(scratch.iterdir()), [])



class RegisterLimits(ToolTest):
    """Launch bounds would undo the limit of a command."""

    def diff(self, *command):
        self.write("a.cu", moves())
        run = self.expect(DONE, self.run_tool("rewrite", "--dry-run", "--min-speedup=0", "a.cu",
                                              "--", "-arch=sm_90", *command))
        return run.stdout + run.stderr

    def test_no_bound_is_added_beside_one(self):
        self.assertIn("__launch_bounds__(128)", self.diff())
        for limit in (["-maxrregcount=32"], ["--maxrregcount", "32"], ["-Xptxas=--maxrregcount=32"]):
            limited = self.diff(*limit)
            self.assertIn("1 stripe", limited)
            self.assertNotIn("__launch_bounds__", limited)
            self.assertIn("no launch bounds are added, because of -maxrregcount", limited)


if __name__ == "__main__":
    unittest.main()
