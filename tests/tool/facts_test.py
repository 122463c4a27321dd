"""A program that is read in pieces and rewritten file by file.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from support import DONE, GROWS, PLAIN, SELECTED, SOME_FAILED, USAGE, ToolTest, find_nvcc, moves

HEADER = """#pragma once
__global__ void count(const int *in, int *out);
"""

# The kernel; who launches it, and how, stands elsewhere.
KERNEL = """#include "count.h"
__global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[blockIdx.x * blockDim.x + threadIdx.x] = last[in[threadIdx.x] & 7];
}
"""

# The run knows the block size, and the launch has memory of its own.
LAUNCH = """#include "count.h"
void launch(const int *in, int *out, int threads) {
  count<<<2, threads, 64>>>(in, out);
}
"""

CALLING = KERNEL.replace("last[in[i] & 7]", "weigh(in[i] & 7, i)").replace(
    "__global__", "__device__ int weigh(int digit, int round);\n__global__", 1)

CALLED = """__device__ int weigh(int digit, int round) {
  int table[4];
  for (int i = 0; i < 4; ++i)
    table[i] = digit * i + round;
  table[digit & 3] += 3;
  return table[round & 3];
}
"""

MAIN = LAUNCH + """#include <cstdio>
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

ALL_MOVES = "--min-speedup=0"
ARCHITECTURE = ("--", "-gencode=arch=compute_90,code=sm_90")


class FactsTest(ToolTest):
    """A tree below src/, and its facts beside it."""

    def write_tree(self, **files):
        for name, text in files.items():
            name = name.replace("_h", ".h") if name.endswith("_h") else f"{name}.cu"
            self.write(f"src/{name}", text)

    def read_pieces(self, *names, options=ARCHITECTURE):
        """The facts of each unit, from a process of its own."""
        for name in names:
            self.expect(DONE, self.run_tool(
                "facts", "-o", f"{name}.json", "--scope=src", f"src/{name}.cu", *options))

    def merge(self, *names):
        return self.run_tool("merge-facts", "-o", "all.json",
                             *(f"{name}.json" for name in names))

    def prepare(self):
        """A kernel in one unit, its launch in another."""
        self.write_tree(count_h=HEADER, a=KERNEL, b=LAUNCH)
        self.read_pieces("a", "b")
        self.expect(DONE, self.merge("a", "b"))

    def rewrite_program(self):
        """Three units with a main, in pieces."""
        self.write_tree(count_h=HEADER, a=CALLING, b=MAIN, c=CALLED)
        self.read_pieces("a", "b", "c", options=(*ARCHITECTURE, "-rdc=true"))
        self.expect(DONE, self.merge("a", "b", "c"))
        self.rewrite_each("a.cu", "b.cu", "c.cu", "count.h")

    def rewrite_each(self, *files, mode="--output-dir=pieces", jobs=1):
        """Each file in a process of its own."""
        def one(name):
            return self.run_tool("rewrite", ALL_MOVES, mode, "--facts=all.json", f"src/{name}")

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(one, files):
                self.expect(DONE, done)

    def rewrite_at_once(self, options=ARCHITECTURE):
        self.expect(DONE, self.run_tool(
            "rewrite", ALL_MOVES, "--output-dir=whole", "src", *options))

    def folder_of(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}

    def assert_as_at_once(self, *headers):
        """The pieces are what one process makes of all."""
        whole = self.folder_of("whole")
        self.assertIn("bankstripe.cuh", whole)
        self.assertEqual(self.folder_of("pieces"), whole)
        for header in headers:
            self.assertNotEqual(whole[header], (self.folder / "src" / header).read_bytes())


class Reports(FactsTest):
    # A kernel in one file reaches an array in another.
    def setUp(self):
        super().setUp()
        self.write_tree(weigh_h=CALLED, a='#include "weigh.h"\n' + KERNEL.replace(
            '#include "count.h"\n', "").replace("last[in[i] & 7]", "weigh(in[i] & 7, i)")
            + LAUNCH.replace('#include "count.h"\n', ""))
        self.read_pieces("a")

    def kernel(self, *args):
        done = self.expect(DONE, self.run_tool(
            "analyze", "--explain", "--format=json", *args))
        return json.loads(done.stdout)["kernels"][0]

    def test_explanations_name_arrays_of_other_files(self):
        one = self.kernel("--facts=a.json", "src/a.cu")
        if one["predicted"] is None or one["predicted"]["explanation"] is None:
            self.skipTest("nothing is predicted")
        before = one["predicted"]["explanation"]["before"]
        self.assertEqual({a["array"] for a in before["arrays"]}, {"last", "table"})
        self.assertEqual(one["predicted"], self.kernel("--facts=a.json")["predicted"])


class Pieces(FactsTest):
    def test_kernel_and_launch_agree(self):
        self.prepare()
        self.rewrite_each("a.cu", "b.cu", "count.h")
        self.rewrite_at_once()
        self.assert_as_at_once("count.h")
        self.assertIn("count<<<2, threads, count_shared_bytes(2, threads, 64)>>>",
                      self.read("pieces/b.cu"))
        self.assertIn("dynamic_stripe<int[8]", self.read("pieces/a.cu"))

    def test_in_place_by_several_processes_at_once(self):
        self.prepare()
        self.rewrite_at_once()
        self.rewrite_each("a.cu", "b.cu", "count.h", mode="--in-place", jobs=3)
        self.assertEqual(self.folder_of("src"), self.folder_of("whole"))

    def test_in_place_one_after_the_other(self):
        self.prepare()
        self.rewrite_at_once()
        self.rewrite_each("count.h", "b.cu", "a.cu", mode="--in-place")
        self.assertEqual(self.folder_of("src"), self.folder_of("whole"))

    def test_all_files_of_the_facts(self):
        self.prepare()
        self.rewrite_at_once()
        self.expect(DONE, self.run_tool(
            "rewrite", ALL_MOVES, "--output-dir=pieces", "--facts=all.json"))
        self.assert_as_at_once("count.h")

    def test_tree_is_kept(self):
        self.write("src/one/a.cu", moves("first"))
        self.write("src/two/b.cu", PLAIN)
        self.expect(DONE, self.run_tool("facts", "-o", "all.json", "src"))
        self.expect(DONE, self.run_tool("rewrite", "--facts=all.json", "--output-dir=out"))
        self.assert_rewritten("out/one/a.cu")
        self.assertEqual(self.read("out/two/b.cu"), PLAIN)

    def test_given_header_that_does_not_change_is_copied(self):
        self.write_tree(count_h=HEADER, a='#include "count.h"\n' + moves("other"))
        self.read_pieces("a")
        self.expect(DONE, self.run_tool(
            "rewrite", "--facts=a.json", "--output-dir=out", "src/count.h"))
        self.assertEqual(self.folder_of("out"), {"count.h": HEADER.encode()})

    def test_report_is_about_the_given_files(self):
        self.prepare()
        done = self.expect(DONE, self.run_tool(
            "analyze", "--format=json", "--facts=all.json", "src/b.cu"))
        self.assertEqual(json.loads(done.stdout)["arrays"], [])
        done = self.expect(DONE, self.run_tool(
            "analyze", "--format=json", "--facts=all.json", "src/a.cu"))
        report = json.loads(done.stdout)
        self.assertEqual([a["name"] for a in report["arrays"]], ["last"])
        self.assertEqual([k["name"] for k in report["kernels"]], ["count"])

    def test_function_of_a_third_unit(self):
        self.write_tree(count_h=HEADER, a=CALLING, b=LAUNCH, c=CALLED)
        options = (*ARCHITECTURE, "-rdc=true")
        self.read_pieces("a", "b", "c", options=options)
        self.expect(DONE, self.merge("a", "b", "c"))
        self.rewrite_each("a.cu", "b.cu", "c.cu", "count.h", jobs=2)
        self.rewrite_at_once(options)
        self.assert_as_at_once("count.h")
        self.assertIn("dynamic_stripe<int[4]", self.read("pieces/c.cu"))

    def test_function_of_a_missing_unit(self):
        self.write_tree(count_h=HEADER, a=CALLING, b=LAUNCH, c=CALLED)
        options = (*ARCHITECTURE, "-rdc=true")
        self.read_pieces("b", "c", options=options)
        self.expect(DONE, self.merge("b", "c"))
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertEqual(done.stdout, "")
        self.assertIn("[unchanged, no-kernel]", done.stderr)

    def test_launch_of_a_missing_unit(self):
        self.write_tree(count_h=HEADER, a=KERNEL, b=LAUNCH)
        self.read_pieces("a")
        self.expect(DONE, self.merge("a"))
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertEqual(done.stdout, "")
        self.assertIn("[unchanged, block-size-unknown]", done.stderr)

    def test_kernels_that_several_units_include(self):
        self.write_tree(kernel_h="#pragma once\n" + moves().replace("__global__", "static __global__"),
                        a='#include "kernel.h"\n', b='#include "kernel.h"\n')
        self.write("src/b.cu", self.read("src/b.cu") + moves("other"))
        self.read_pieces("a", "b")
        self.expect(DONE, self.merge("a", "b"))
        self.rewrite_each("a.cu", "b.cu", "kernel.h")
        self.rewrite_at_once()
        self.assert_as_at_once("kernel.h")

    def test_header_outside_the_scope_stays(self):
        self.write_tree(kernel_h="#pragma once\n" + moves(), a='#include "kernel.h"\n')
        self.expect(DONE, self.run_tool("facts", "-o", "all.json", "src/a.cu"))
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertEqual(done.stdout, "")
        self.assertIn("outside-paths", done.stderr)

    def test_decisions_are_obeyed(self):
        self.prepare()
        self.write("src/.bankstripe.yaml", "version: 1\narrays:\n  - {file: a.cu, "
                   "function: count, array: last, decision: keep}\n")
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertEqual(done.stdout, "")
        self.assertIn("decided-keep", done.stderr)


class StaleFacts(FactsTest):
    def test_changed_source_is_refused_by_name(self):
        self.prepare()
        self.write("src/a.cu", KERNEL + "// a person's work\n")
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool(
            "rewrite", "--in-place", "--facts=all.json", "src/a.cu"))
        self.assertIn("src/a.cu' has changed since its facts were written; run "
                      "'bankstripe facts' again", done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_so_is_a_header_that_nobody_edits(self):
        self.write_tree(size_h="#define N 8\n",
                        a='#include "size.h"\n' + moves().replace("last[8]", "last[N]"))
        self.read_pieces("a")
        self.write("src/size.h", "#define N 16\n")
        done = self.expect(SOME_FAILED, self.run_tool(
            "rewrite", "--facts=a.json", "src/a.cu"))
        self.assertIn("src/size.h' has changed since its facts were written", done.stderr)

    def test_others_go_on(self):
        self.prepare()
        self.write("src/a.cu", KERNEL + "// a person's work\n")
        self.rewrite_each("b.cu")
        self.assertIn("count_shared_bytes", self.read("pieces/b.cu"))

    def test_file_that_is_not_in_the_facts(self):
        self.prepare()
        self.write("src/new.cu", moves())
        done = self.expect(SOME_FAILED, self.run_tool(
            "rewrite", "--facts=all.json", "src/new.cu"))
        self.assertIn("no unit in 'all.json' reads 'src/new.cu'; run 'bankstripe facts' on it",
                      done.stderr)

    def test_pieces_of_two_states_do_not_merge(self):
        self.prepare()
        self.write("src/count.h", HEADER + "// new\n")
        self.read_pieces("b")
        done = self.expect(SOME_FAILED, self.merge("a", "b"))
        self.assertIn("'a.json' and 'b.json' have read different states of", done.stderr)
        self.assertIn("src/count.h'", done.stderr)


class FactsFiles(FactsTest):
    def test_same_input_gives_the_same_bytes(self):
        self.write("src/a.cu", moves())
        for name in ("one", "two"):
            self.expect(DONE, self.run_tool("facts", "-o", f"{name}.json", "src"))
        self.assertEqual(self.read("one.json"), self.read("two.json"))

    def test_merging_is_the_same_as_reading_at_once(self):
        self.write_tree(count_h=HEADER, a=KERNEL, b=LAUNCH)
        self.read_pieces("a", "b")
        self.expect(DONE, self.merge("b", "a"))
        self.expect(DONE, self.run_tool("facts", "-o", "whole.json", "src", *ARCHITECTURE))
        self.assertEqual(self.read("all.json"), self.read("whole.json"))

    def test_file_that_cannot_be_parsed_leaves_the_others(self):
        self.write_tree(a=moves(), b="int x = ;\n")
        self.expect(SOME_FAILED, self.run_tool("facts", "-o", "all.json", "src"))
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertIn("+++ b/src/a.cu", done.stdout)

    def test_nothing_is_written_when_nothing_was_read(self):
        self.write_tree(b="int x = ;\n")
        self.expect(SOME_FAILED, self.run_tool("facts", "-o", "all.json", "src"))
        self.assertFalse((self.folder / "all.json").exists())

    def test_damaged_file(self):
        self.write("all.json", '{"format":1,')
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "--facts=all.json"))
        self.assertIn("'all.json' is no file of facts, or not all of one", done.stderr)

    def test_depfile_names_the_sources(self):
        self.write("src/my size.h", "#define N 8\n")
        self.write("src/a.cu", '#include "my size.h"\n' + moves())
        self.expect(DONE, self.run_tool("facts", "-o", "a.json", "--depfile=a.d", "src/a.cu"))
        root = f"{self.folder}/src"
        self.assertEqual(self.read("a.d"),
                         f"a.json: \\\n  {root}/a.cu \\\n  {root}/my\\ size.h\n")

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_make_understands_the_depfile(self):
        self.write("src/$my size.h", "#define N 8\n")
        self.write("src/a.cu", '#include "$my size.h"\n' + moves())
        self.expect(DONE, self.run_tool("facts", "-o", "a.json", "--depfile=a.d", "src/a.cu"))
        self.write("Makefile", "a.json:\n\techo made\ninclude a.d\n")
        def make():
            return subprocess.run(["make", "-s"], cwd=self.folder, capture_output=True,
                                  check=True, text=True).stdout
        self.assertEqual(make(), "")
        header = self.folder / "src" / "$my size.h"
        later = (self.folder / "a.json").stat().st_mtime + 60
        os.utime(header, (later, later))
        self.assertEqual(make(), "made\n")


class Usage(FactsTest):
    def bad(self, message, *args):
        self.assertIn(message, self.expect(USAGE, self.run_tool(*args)).stderr)

    def test_output_is_needed(self):
        self.bad("give -o FILE", "facts", "a.cu")
        self.bad("give -o FILE", "merge-facts", "a.json")

    def test_nothing_is_read_anew(self):
        for option in ("-p=build", "--extra-arg=-DN", "--gpu-arch=sm_90", "--include=*"):
            self.bad(f"give {option.split('=')[0]} to 'bankstripe facts'",
                     "rewrite", "--facts=all.json", option)
        self.bad("give compiler arguments to 'bankstripe facts'",
                 "analyze", "--facts=all.json", "--", "-DN")

    def test_facts_need_a_name(self):
        self.bad("--facts needs a file", "analyze", "--facts=", "a.cu")


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class WithNvcc(FactsTest):
    def compile(self, folder, *options):
        """The rewritten program as nvcc builds it, host code and all."""
        sources = [str(p) for p in sorted((self.folder / folder).glob("*.cu"))]
        done = subprocess.run(
            [find_nvcc(), "-arch=sm_90", *options, "-o", str(self.folder / "program"), *sources],
            capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_two_units_link(self):
        self.write_tree(count_h=HEADER, a=KERNEL, b=MAIN)
        self.read_pieces("a", "b")
        self.expect(DONE, self.merge("a", "b"))
        self.rewrite_each("a.cu", "b.cu", "count.h")
        self.compile("pieces")

    def test_three_units_link(self):
        self.rewrite_program()
        self.compile("pieces", "-rdc=true")

    def test_originals_are_asked_about(self):
        self.write("src/a.cu", moves())
        self.expect(DONE, self.run_tool("facts", "-o", "all.json", "src", confirm=True))
        done = self.expect(DONE, self.run_tool(
            "analyze", "--format=json", "--facts=all.json", confirm=True))
        self.assertEqual(json.loads(done.stdout)["kernels"][0]["ptxasBefore"]["stackFrame"], 32)
        self.assertIn("ptxas was not asked to confirm the rewrite", done.stderr)

    def confirm(self, **files):
        self.write_tree(**files)
        self.read_pieces(*files)
        return self.expect(DONE, self.run_tool(
            "merge-facts", "--confirm", ALL_MOVES, "-o", "all.json",
            *(f"{name}.json" for name in files)))

    def test_what_ptxas_does_not_confirm_stays_for_everybody(self):
        self.confirm(a=SELECTED, b=moves())
        done = self.expect(DONE, self.run_tool(
            "rewrite", ALL_MOVES, "--facts=all.json", "src/a.cu", confirm=True))
        self.assertEqual(done.stdout, "")
        self.assertIn("(0 > 0 bytes) [unchanged, stack-frame-kept]", done.stderr)
        done = self.expect(DONE, self.run_tool(
            "rewrite", ALL_MOVES, "--facts=all.json", "src/b.cu", confirm=True))
        self.assertIn("+++ b/src/b.cu", done.stdout)
        self.assertNotIn("not asked", done.stderr)

    def test_the_code_that_nvcc_adds_counts_for_everybody(self):
        self.write("src/a.cu", GROWS)
        self.expect(DONE, self.run_tool("facts", "-o", "a.json", "src/a.cu", confirm=True))
        self.expect(DONE, self.run_tool("merge-facts", "--confirm", "-o", "all.json", "a.json"))

        def predicted(*given):
            done = self.expect(DONE, self.run_tool("analyze", "--format=json", *given, confirm=True))
            return json.loads(done.stdout)["kernels"][0]["predicted"]
        self.assertGreater(predicted("--facts=all.json")["explanation"]["codeGrowth"], 1)
        self.assertEqual(predicted("--facts=all.json"), predicted("src/a.cu"))

    def test_confirmation_sees_all_units(self):
        self.prepare()
        self.expect(DONE, self.run_tool(
            "merge-facts", "--confirm", ALL_MOVES, "-o", "all.json", "a.json", "b.json"))
        done = self.expect(DONE, self.run_tool("rewrite", ALL_MOVES, "--facts=all.json"))
        self.assertIn("count_shared_bytes", done.stdout)

    def test_merging_more_forgets_the_confirmation(self):
        self.confirm(a=SELECTED)
        self.write_tree(b=moves())
        self.read_pieces("b")
        self.expect(DONE, self.run_tool("merge-facts", "-o", "more.json", "all.json", "b.json"))
        done = self.expect(DONE, self.run_tool(
            "rewrite", ALL_MOVES, "--facts=more.json", confirm=True))
        self.assertIn("+++ b/src/a.cu", done.stdout)
        self.assertIn("ptxas was not asked to confirm the rewrite", done.stderr)


class OnTheHost(FactsTest):
    def test_rewritten_units_compute_the_same(self):
        self.rewrite_program()
        for folder in ("src", "pieces"):
            self.write(f"{folder}/program.cu", "".join(
                f'#include "{name}.cu"\n' for name in ("c", "a", "b")))
        done = subprocess.run(
            [sys.executable, "-B", str(HOST_RUN), "--check-bounds", "--rewritten",
             str(self.folder / "pieces" / "program.cu"), str(self.folder / "src" / "program.cu")],
            capture_output=True, text=True, check=False, timeout=300)
        if done.returncode == HOST_RUN_SKIPPED:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("identical: 3 launches", done.stdout)


if __name__ == "__main__":
    unittest.main()
