"""A program of several units, whose device code is linked.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

from support import DONE, ToolTest, find_nvcc, moves

HEADER = """#pragma once
__global__ void count(const int *in, int *out);
"""

# The kernel; who launches it, and how, stands elsewhere.
KERNEL = """#include "count.h"
__device__ int weigh(int digit, int round);
__global__ void count(const int *in, int *out) {
  int last[4] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 3] += weigh(in[i] & 7, i);
  out[blockIdx.x * blockDim.x + threadIdx.x] = last[in[threadIdx.x] & 3];
}
"""

CALLED = """__device__ int weigh(int digit, int round) {
  int table[4];
  for (int i = 0; i < 4; ++i)
    table[i] = digit * i + round;
  table[digit & 3] += 3;
  return table[round & 3];
}
"""

# The run knows the block size, and the launch has memory of its own.
MAIN = """#include "count.h"
#include <cstdio>
void launch(const int *in, int *out, int threads) {
  count<<<2, threads, 64>>>(in, out);
}
int main() {
  const int threads[] = {1, 48, 256};
  int *in, *out, numbers[512];
  cudaMalloc(&in, sizeof(numbers));
  cudaMalloc(&out, sizeof(numbers));
  for (int i = 0; i < 512; ++i)
    numbers[i] = i * 2654435761u >> 8;
  cudaMemcpy(in, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  for (int t : threads) {
    launch(in, out, t);
    cudaMemcpy(numbers, out, 2 * t * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d\\n", numbers[0], numbers[2 * t - 1]);
  }
  cudaFree(in);
  cudaFree(out);
}
"""

HOST_RUN = pathlib.Path(__file__).resolve().parents[1] / "cpu" / "run_on_host.py"
HOST_RUN_SKIPPED = 77

OPTIONS = ("--min-speedup=0", "--quiet")
COMMAND = ("--", "-gencode=arch=compute_90,code=sm_90", "-rdc=true")


class Units(ToolTest):
    def setUp(self):
        super().setUp()
        for name, text in (("count.h", HEADER), ("a.cu", KERNEL), ("b.cu", MAIN), ("c.cu", CALLED)):
            self.write(f"src/{name}", text)

    def rewrite(self, *paths):
        return self.expect(DONE, self.run_tool("rewrite", *OPTIONS, *paths, *COMMAND)).stdout

    def rewrite_in_place(self, *paths):
        self.rewrite("--in-place", *(paths or ["src"]))

    # Another file may launch the kernel.
    def rewrite_as_versions(self):
        self.rewrite_in_place(*(f"src/{name}" for name in ("a.cu", "c.cu", "count.h")))

    # Both arrays have room: which of them would come first is another matter.
    def test_function_and_row_agree(self):
        before = {name: self.read(f"src/{name}") for name in ("b.cu", "count.h")}
        self.rewrite_in_place()
        for file in ("src/a.cu", "src/c.cu"):
            self.assertIn("dynamic_stripe<int[4]", self.read(file))
        self.assertRegex(self.read("src/a.cu"), r'storage count_row\("count", count, \d+\);')
        self.assertEqual({name: self.read(f"src/{name}") for name in before}, before)

    def test_memory_of_the_device_is_no_other_file(self):
        self.write("a.cu", "struct B { __device__ virtual int f() { return 1; } __device__ virtual ~B() {} };\n"
                   "__global__ void __launch_bounds__(64) k(const int *in, int *out) {\n"
                   "  int seen[16] = {0};\n  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
                   "  B *b = new B; int *more = new int[3]; *out = b->f() + *more; delete b; delete[] more;\n"
                   "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n")
        done = self.run_tool("analyze", "--format=json", "--min-speedup=0", "a.cu", "--", "-arch=sm_90", "-rdc=true")
        self.assertEqual([a["reason"] for a in json.loads(done.stdout)["arrays"]], ["dynamic-index"], done.stderr)

    # It may wait for other blocks. That of a header with a body does not.
    def test_a_library_of_a_system_folder_is_not_known(self):
        text = ('#include <library.h>\n__global__ void __launch_bounds__(64) k(const int *in, int *out) {\n'
                "  int seen[16] = {0};\n  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
                "  meet(out);\n  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n")
        self.write("own/k.cu", text)
        for header, reason in [("__device__ void meet(int *);\n", "unseen-callee"),
                               ("__device__ inline void meet(int *) {}\n", "dynamic-index")]:
            self.write("lib/library.h", header)
            done = self.run_tool("analyze", "--format=json", "--min-speedup=0", "own", "--", "-arch=sm_90",
                                 "-rdc=true", "-isystem", str(self.folder / "lib"))
            self.assertEqual([a["reason"] for a in json.loads(done.stdout)["arrays"]], [reason], done.stderr)

    # It may wait for other blocks, and have memory that launches bring.
    def test_what_is_decided_of_a_kernel_that_calls_what_nobody_defines_is_done_in_a_version(self):
        self.write(".bankstripe.yaml", "version: 1\narrays:\n  - {file: k.cu, function: k, array: seen, decision: stripe}\n")
        self.write("k.cu", "__device__ int weigh(int);\n__global__ void k(const int *in, int *out) {\n"
                   "  int seen[16] = {0};\n  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += weigh(i);\n"
                   "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n")
        done = self.run_tool("rewrite", "--min-speedup=0", "k.cu", "--", "-arch=sm_90", "-rdc=true")
        self.assertRegex(done.stdout, r'version k_row\("k", k, k_striped, \d+, ::bankstripe::may_wait\);')
        self.assertIn(", ::bankstripe::behind>", done.stdout)

    def test_a_version_needs_no_launch(self):
        self.assertIn("version count_row", self.rewrite("src/a.cu", "src/c.cu", "src/count.h"))

    def test_a_version_calls_a_copy_in_another_file(self):
        self.rewrite_as_versions()
        self.assertRegex(self.read("src/c.cu"), r"\n__device__ int weigh_striped\(int digit, int round\) {")
        self.assertIn("\n__device__ int weigh_striped(int digit, int round);\nstatic __global__", self.read("src/a.cu"))
        self.assertIn("+= weigh_striped(in[i] & 7, i);", self.read("src/a.cu"))
        self.assertIn("dynamic_stripe<int[4]", self.read("src/c.cu"))

    # Nobody knows which of them a program has.
    def test_a_copy_is_of_one_file(self):
        self.write("src/other.cu", CALLED)
        self.rewrite_in_place(*(f"src/{name}" for name in ("a.cu", "c.cu", "other.cu", "count.h")))
        self.assertIn("+= weigh(in[i] & 7, i);\n  out", self.read("src/a.cu"))
        self.assertNotIn("weigh_striped", self.read("src/a.cu"))
        self.assertEqual(self.read("src/c.cu"), CALLED)

    def test_nothing_moves_without_the_kernel(self):
        self.assertEqual(self.rewrite("src/b.cu", "src/c.cu", "src/count.h"), "")

    @unittest.skipUnless(find_nvcc(), "nvcc is not there")
    def test_they_link(self):
        for rewrite in (self.rewrite_in_place, self.rewrite_as_versions):
            self.setUp()
            rewrite()
            sources = [str(p) for p in sorted(self.folder.glob("src/*.cu"))]
            done = subprocess.run(
                [find_nvcc(), "-arch=sm_90", "-rdc=true", "-o", str(self.folder / "program"), *sources],
                capture_output=True, text=True, check=False, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_they_compute_the_same(self):
        self.compute_the_same(self.rewrite_in_place)

    def test_versions_compute_the_same(self):
        self.compute_the_same(self.rewrite_as_versions)

    def compute_the_same(self, rewrite):
        texts = {p.name: p.read_text() for p in self.folder.glob("src/*")}
        rewrite()
        for name, text in texts.items():
            self.write(f"original/{name}", text)
        for folder in ("original", "src"):
            self.write(f"{folder}/program.cu", "".join(
                f'#include "{name}.cu"\n' for name in ("c", "a", "b")))
        done = subprocess.run(
            [sys.executable, "-B", str(HOST_RUN), "--check-bounds", "--rewritten",
             str(self.folder / "src/program.cu"), str(self.folder / "original/program.cu")],
            capture_output=True, text=True, check=False, timeout=300)
        if done.returncode == HOST_RUN_SKIPPED:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("identical: 3 launches", done.stdout)


TALLY = """#pragma once
template <class T> __device__ inline T busiest(const T *in, int n) {
  int bins[16] = {};
  for (int i = 0; i < n; ++i) bins[int(in[i * 64 + threadIdx.x]) & 15]++;
  return T(bins[int(in[0]) & 15]);
}
template <class T> __global__ void __launch_bounds__(64) tally(const T *in, int n, T *out) {
  out[threadIdx.x] = busiest(in, n);
}
"""
USE = """void run(const float *in, int n, float *out) { tally<<<1, 64>>>(in, n, out); }
"""
BODY = """__global__ void __launch_bounds__(128) NAME(const TYPE *in, int n, TYPE *out) {
  TYPE ring[24];
  for (int i = 0; i < 24; ++i) ring[i] = 0;
  for (int i = 0; i < n; ++i) ring[int(in[i]) % 24] += in[i];
  out[threadIdx.x] = ring[n % 24];
}
#undef NAME
#undef TYPE
"""


class HeadersBesideSources(ToolTest):
    """A header that is given with a source that includes it."""

    def rewrite(self, *words):
        done = self.run_tool("rewrite", "--min-speedup=0", *words)
        self.expect(DONE, done)
        return done.stdout

    def test_templates_are_those_that_the_source_instantiates(self):
        self.write("tally.cuh", TALLY)
        self.write("use.cu", '#include "tally.cuh"\n' + USE)
        self.assertIn("bins_stripes", self.rewrite("use.cu", "tally.cuh"))

    def test_a_body_for_macros_is_not_read_by_itself(self):
        self.write("inc/body.inl", BODY)
        self.write("twice.cu", "".join(
            f'#define NAME ring_{type}\n#define TYPE {type}\n#include "inc/body.inl"\n'
            for type in ("int", "float")))
        self.rewrite("twice.cu", "inc/body.inl")

    def test_one_that_nobody_includes_is_read(self):
        self.write("alone.cuh", TALLY + USE)
        self.write("other.cu", "__global__ void other(int *out) { *out = 1; }\n")
        self.assertIn("bins_stripes", self.rewrite("other.cu", "alone.cuh"))

    def test_one_that_is_reached_by_a_link_too_has_one_copy(self):
        self.write("inc/tally.cuh", TALLY)
        (self.folder / "link").symlink_to("inc")
        for name, folder in (("a", "inc"), ("b", "link")):
            self.write(f"{name}.cu", f'#include "{folder}/tally.cuh"\n' + USE)
        self.rewrite("--output-dir=out", "a.cu", "b.cu", "inc/tally.cuh")
        texts = [self.read(f"out/{folder}/tally.cuh") for folder in ("inc", "link")]
        self.assertEqual(texts[1], '#include "../inc/tally.cuh"\n')
        self.assertIn("bins_stripes", texts[0])


class MacrosThatDeclare(ToolTest):
    """The text that a macro stands for is read where no other unit may see another one."""

    TEXT = ("#define BUFFER(type, name) type name[8]\n"
            + moves().replace("int last[8]", "BUFFER(int, last)"))

    def reasons(self, *words):
        done = self.run_tool("analyze", "--format=json", "--min-speedup=0", *words)
        return [array["reason"] for array in json.loads(self.expect(DONE, done).stdout)["arrays"]]

    def test_in_a_source_move(self):
        self.write("a.cu", self.TEXT)
        self.assertEqual(self.reasons("a.cu"), ["dynamic-index"])

    def test_that_the_command_defines_stay(self):
        self.write("a.cu", moves().replace("int last[8]", "BUFFER(last)"))
        self.assertEqual(self.reasons("a.cu", "--", "-DBUFFER(array)=int array[8]"), ["declaration-in-macro"])

    def test_in_a_header_stay(self):
        self.write("h.cuh", self.TEXT)
        self.write("a.cu", '#include "h.cuh"\n')
        self.assertEqual(self.reasons("a.cu", "h.cuh"), ["declaration-in-macro"])

    def test_in_a_source_that_another_one_includes_stay(self):
        self.write("a.cu", self.TEXT)
        self.write("b.cu", '#include "a.cu"\n')
        self.assertEqual(self.reasons("a.cu", "b.cu"), ["declaration-in-macro"])

    def test_what_was_written_is_up_to_date(self):
        self.write("a.cu", self.TEXT)
        words = ["rewrite", "--min-speedup=0", "--versions", "--quiet"]
        self.expect(DONE, self.run_tool(*words, "--in-place", "--allow-dirty", "a.cu", whole=False))
        self.assertIn("BUFFER(int, last)", self.read("a.cu"))
        self.assertIn("count_striped", self.read("a.cu"))
        self.expect(DONE, self.run_tool(*words, "--check", "a.cu", whole=False))


class Links(ToolTest):
    """A source that is a link: compilers look for headers beside the link."""

    SOURCE = ('#include "size.h"\n'
              "static __global__ void count(const int *in, int *out) {\n"
              "  int seen[16] = {0};\n"
              "  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
              "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n"
              "int main() { count<<<1, SIZE>>>(nullptr, nullptr); }\n")

    def setUp(self):
        super().setUp()
        self.write("common/a.cu", self.SOURCE)
        self.write("common/size.h", "#define SIZE 64\n")
        self.write("large/size.h", "#define SIZE 512\n")
        (self.folder / "large/a.cu").symlink_to("../common/a.cu")

    def test_its_headers_are_those_beside_it(self):
        for path, bound in [("common/a.cu", 64), ("large/a.cu", 512), (".", 512)]:
            done = self.run_tool("rewrite", "--dry-run", path, "--", "-arch=sm_90")
            self.assertEqual(re.findall(r"^--- (.*)|__launch_bounds__\((\d+)\) count", done.stdout, re.MULTILINE),
                             [("a/common/a.cu", ""), ("", str(bound))], path)

    def test_the_helper_is_beside_it_too(self):
        self.run_tool("rewrite", "--in-place", "large/a.cu", "--", "-arch=sm_90")
        self.assertIn("__launch_bounds__(512) count", self.read("common/a.cu"))
        self.assertTrue((self.folder / "large/a.cu").is_symlink())
        for folder in ("common", "large"):
            self.assertIn("BANKSTRIPE", self.read(f"{folder}/bankstripe.cuh"))

    def test_it_may_have_a_command_of_its_own(self):
        self.write("compile_commands.json", json.dumps([
            {"directory": str(self.folder), "file": file, "command": f"nvcc -arch=sm_90 -c {file}"}
            for file in ("common/a.cu", "large/a.cu")]))
        done = self.run_tool("rewrite", "--dry-run", "-p", ".", "common")
        self.assertIn("__launch_bounds__(512) count", done.stdout)

    @unittest.skipUnless(find_nvcc(), "needs nvcc")
    def test_nvcc_is_asked_about_it_as_it_is(self):
        self.write("large/size.h", "#define SIZE 512\n__device__ int only_here;\n")
        self.write("common/a.cu", self.SOURCE.replace("= {0}", "= {only_here}"))
        done = self.run_tool("rewrite", "--dry-run", "large/a.cu", "--", "-arch=sm_90", confirm=True)
        self.assertIn("__launch_bounds__(512) count", done.stdout)
        self.assertIn("by ptxas", done.stderr)


class KernelOfAnotherFile(ToolTest):
    """What a file does with a kernel that another one defines, where its block is not seen."""

    HEADER = "#pragma once\n__global__ void count(const int *in, int *out);\n"
    WRAPPER = ("template <class K, class... A> static void launch(K kernel, int block, A... a) {\n"
               "  kernel<<<1, block>>>(a...);\n}\n")

    def bound_with(self, before="", main="", whole=True, words=("--", "-arch=sm_90")):
        """The block that a kernel with launches of 64 threads is bound to: any, 1024, where it has a row;
        "version" where it has one of these."""
        self.write("p/count.h", self.HEADER)
        self.write("p/a.cu", '#include "count.h"\n'
                   "__global__ void count(const int *in, int *out) {\n"
                   "  int seen[16] = {0};\n"
                   "  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
                   "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n")
        self.write("p/main.cu", f'#include "count.h"\n{before}int main() {{\n'
                   f"  count<<<1, 64>>>(nullptr, nullptr);\n{main}}}\n")
        done = self.run_tool("rewrite", "--dry-run", str(self.folder / "p"), *words, whole=whole)
        self.assertIn("int seen[16] = {0};", done.stdout)
        if "::bankstripe::version count_row" in done.stdout:
            return "version"
        found = re.findall(r"__launch_bounds__\((\d+)\) count", done.stdout)
        self.assertEqual(len(found), 1, done.stdout)
        return int(found[0])

    def test_its_own_launches_count(self):
        self.assertEqual(self.bound_with(), 64)

    def test_files_that_are_not_read_may_launch_what_they_name(self):
        by_host = '#include "count.h"\nvoid more() { %s(512); }\n'
        for name, text, bound in [
                ("p/host.cpp", by_host % "launch(count)", "version"),
                ("p/run.py", "import cupy\nmodule.get_function('count')((1,), (512,))\n", "version"),
                ("p/build/CMakeCache.txt", "", 64),
                ("p/build/more.cu", "void more() { count<<<1, 512>>>(nullptr, nullptr); }\n", 1024),
                ("p/host.cpp", by_host % "counts", 64),
                ("p/host.cpp", by_host % "/* count */ run", 64),
                ("p/host.cpp", "int count(int n) { return n; }\n", 64),
                ("p/include/app.hpp", by_host % "cudaLaunchKernel((const void *)count)", "version"),
                ("p/app.pyx", "cdef extern from 'cuda.h': pass\nlaunch(count, 512)\n", "version"),
                ("p/more.cpp.in", by_host % "launch(count)", "version"),
                ("p/host.cpp", by_host % "\n#define RUN(x) launch(co##x)\n", "version"),
                ("p/host.cpp", by_host % "\n#define RUN(x) launch(other_##x)\n", 64),
        ]:
            with self.subTest(name=name, text=text):
                self.write(name, text)
                self.assertEqual(self.bound_with(whole=False), bound)
                if not name.endswith(".txt"):
                    (self.folder / name).unlink()

    def test_a_whole_program_is_all_that_was_read(self):
        self.write("p/host.cpp", '#include "count.h"\nvoid more() { launch(count)(512); }\n')
        self.assertEqual([self.bound_with(whole=w) for w in (True, False)], [64, "version"])

    def test_a_kernel_that_is_loaded_by_its_name_may_have_any_block(self):
        for before, main, bound in [
                ("#include <cuda.h>\n", '  CUfunction f; cuModuleGetFunction(&f, nullptr, "_Z5countPKiPi");\n', "version"),
                ("#include <cuda.h>\n#define LOAD(X) cuModuleGetFunction(&f, nullptr, #X)\n",
                 "  CUfunction f; LOAD(count);\n", "version"),
                ("#include <cuda.h>\n", '  CUfunction f; cuModuleGetFunction(&f, nullptr, "other");\n', 64),
        ]:
            with self.subTest(main=main):
                self.assertEqual(self.bound_with(before, main), bound)

    def test_a_template_of_a_header_may_be_used_where_nobody_reads(self):
        run = '#pragma once\n#include "count.h"\ntemplate <int B> void more() { %s; }\n'
        launch = "cudaLaunchKernel((const void *)count, dim3(1), dim3(B), nullptr, 0, 0)"
        for body, host, bound in [(launch, "more<512>()", "version"), (launch, None, "version"),
                                  ("cudaDeviceSynchronize()", "more<512>()", 64)]:
            with self.subTest(body=body, host=host):
                self.write("p/run.h", run % body)
                self.write("p/all.h", '#include "run.h"\n')
                if host:
                    self.write("p/host.cpp", f'#include <cuda.h>\n#include "all.h"\nvoid f() {{ {host}; }}\n')
                self.assertEqual(self.bound_with('#include "all.h"\n', whole=False), bound)
                (self.folder / "p/host.cpp").unlink(missing_ok=True)

    def test_names_are_handed_to_who_loads_or_made_there(self):
        loader = "#include <cuda.h>\nvoid load(const char *name) { cuModuleGetFunction(0, 0, name); }\n"
        for files, bound in [
                ({"rt.cpp": loader, "host.cpp": 'void f() { load("count"); }\n'}, "version"),
                ({"rt.cpp": loader, "host.cpp": 'void f() { load("counts"); }\n'}, 64),
                ({"rt.cpp": "void load(const char *);\n", "host.cpp": 'void f() { load("count"); }\n'}, 64),
                ({"rt.cpp": loader, "names.json": '{"kernels": ["count"]}\n'}, "version"),
                ({"rt.cpp": "", "names.json": '{"kernels": ["count"]}\n'}, 64),
                ({"rt.cpp": loader, "names.json": '{"kernels": ["count"]}' + " " * (1 << 20)}, 64),
                ({"run.py": "import cupy\nmodule.get_function(f'co_{t}')\n"}, 64),
                ({"run.py": "import cupy\nmodule.get_function(kind + '_kernel')\n"}, 64),
                ({"rt.cpp": "#include <cuda.h>\nvoid all() { cuModuleEnumerateFunctions(f, 9, m); }\n"}, "version"),
        ]:
            with self.subTest(files=files):
                for name, text in files.items():
                    self.write(f"p/{name}", text)
                self.assertEqual(self.bound_with(whole=False), bound)
                for name in files:
                    (self.folder / "p" / name).unlink()

    def test_a_made_name_may_be_any_with_that_beginning_or_end(self):
        self.write("a.cu", 'extern "C" __global__ void sum_f32(const int *in, int *out) {\n'
                   "  int seen[16] = {0};\n"
                   "  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
                   "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n"
                   "int main() { sum_f32<<<1, 64>>>(nullptr, nullptr); }\n")
        for made, has_version in [("f'sum_{t}'", True), ("name + '_f32'", True), ("f'mean_{t}'", False)]:
            with self.subTest(made=made):
                self.write("run.py", f"import cupy\nmodule.get_function({made})\n")
                done = self.run_tool("rewrite", "--dry-run", str(self.folder), "--", "-arch=sm_90", whole=False)
                self.assertEqual("version sum_f32_row" in done.stdout, has_version)

    def test_a_file_that_is_not_read_may_give_a_node_of_a_graph_another_block(self):
        self.write("a.cu", "__global__ void count(const int *in, int *out) {\n"
                   "  int seen[16] = {0};\n"
                   "  for (int i = 0; i < 99; ++i) seen[in[i] & 15] += i;\n"
                   "  out[threadIdx.x] = seen[in[threadIdx.x] & 15];\n}\n"
                   "void run(cudaStream_t s) { count<<<1, 64, 0, s>>>(nullptr, nullptr); }\n")
        rewrite = ["rewrite", "--dry-run", str(self.folder), "--", "-arch=sm_90"]
        self.assertIn("__launch_bounds__(64) count", self.run_tool(*rewrite, whole=False).stdout)
        self.write("main.cpp", "#include <cuda_runtime.h>\n"
                   "void f() { cudaGraphExecKernelNodeSetParams(e, n, &p); }\n")
        self.assertNotIn("__launch_bounds__(64)", self.run_tool(*rewrite, whole=False).stdout)

    def test_a_database_has_files_outside_of_the_folder(self):
        command = {"directory": str(self.folder), "file": "app/main.cu",
                   "command": "nvcc -arch=sm_90 -c app/main.cu"}
        self.write("p/compile_commands.json", json.dumps([command, {
            **command, "file": "p/a.cu", "command": "nvcc -arch=sm_90 -c p/a.cu"}, {
            **command, "file": "p/main.cu", "command": "nvcc -arch=sm_90 -c p/main.cu"}]))
        for text, bound in [("void more() { count<<<1, 512>>>(0, 0); }\n", 1024), ("void more();\n", 64)]:
            self.write("app/main.cu", text)
            self.assertEqual(self.bound_with(whole=False, words=("-p", "p")), bound)
        # One that nobody has generated yet.
        (self.folder / "app/main.cu").unlink()
        self.assertEqual(self.bound_with(whole=False, words=("-p", "p")), "version")
        done = self.run_tool("rewrite", str(self.folder / "p"), "-p", "p", whole=False)
        self.assertIn("app/main.cu' of the compile database is not there until", done.stderr)

    # It names the kernel, which stays as it is.
    def test_an_occupancy_query_gets_the_answer_of_the_original_where_there_is_a_version(self):
        query = "int most(int *n) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, count, 128, 0); }\n"
        self.write("a.cu", moves() + query)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--versions", "a.cu", whole=False))
        text = self.read("a.cu")
        self.assertIn(moves().split("void launch")[0], text)
        self.assertIn("count_striped", text)
        self.assertIn(query, text)

    def test_launches_that_are_not_seen_count_as_any(self):
        for before, main, bound in [
                (self.WRAPPER, "  launch(count, 512, nullptr, nullptr);\n", "version"),
                ("", "  const void *any = (const void *)count;\n"
                     "  cudaLaunchKernel(any, dim3(1), dim3(512), nullptr, 0, 0);\n", "version"),
                ("void (*table[])(const int *, int *) = {count};\n",
                 "  table[0]<<<1, 512>>>(nullptr, nullptr);\n", "version"),
                ("", "#ifdef LARGE\n  count<<<1, 512>>>(nullptr, nullptr);\n#endif\n", 1024),
                ("namespace own { static __global__ void count(const int *, int *) {} }\n",
                 "#ifdef LARGE\n  ::count<<<1, 512>>>(nullptr, nullptr);\n#endif\n", 1024),
                ("#if __has_builtin(__builtin_unknown)\n#define SIZE 64\n#else\n"
                 "#define SIZE 512\n#endif\n", "  count<<<1, SIZE>>>(nullptr, nullptr);\n", 1024),
        ]:
            with self.subTest(before=before, main=main):
                self.assertEqual(self.bound_with(before, main), bound)


if __name__ == "__main__":
    unittest.main()
