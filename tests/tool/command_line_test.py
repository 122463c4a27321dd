"""Options, exit codes and compile commands.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import unittest

from support import CHANGES, DONE, PLAIN, SOME_FAILED, USAGE, ToolTest, moves

# Its array is as large as the command line says.
SIZED = """#ifndef SIZE
#error no size
#endif
__global__ void sized(const int *in, int *out) {
  int last[SIZE] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i] % SIZE] += i;
  out[threadIdx.x] = last[in[threadIdx.x] % SIZE];
}
void launch(const int *in, int *out) { sized<<<1, 64>>>(in, out); }
"""

# A kernel calls the function of the array for some architectures only, and for others names
# what there is not.
BY_ARCHITECTURE = """__device__ int pick(const int *in, int n) {
  int last[8] = {0};
  for (int i = 0; i < n; ++i)
    last[in[i] & 7] += i;
  return last[in[n] & 7];
}
__global__ void always(const int *in, int *out) { out[threadIdx.x] = pick(in, 9); }
__global__ void older(const int *in, int *out) {
#if __CUDA_ARCH__ < 800
  out[threadIdx.x] = pick(in, 8);
#endif
}
void launch(const int *in, int *out) {
  always<<<1, 64>>>(in, out);
  older<<<1, 256>>>(in, out);
}
"""


class Usage(ToolTest):
    def bad(self, message, *args):
        self.write("a.cu", moves())
        before = self.snapshot()
        done = self.expect(USAGE, self.run_tool(*args))
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.snapshot(), before)

    def test_reasons(self):
        page = self.expect(0, self.run_tool("reason", "over-budget")).stdout
        self.assertTrue(page.startswith("`over-budget`\n\nVerdict: unchanged\n\n"), page)
        self.assertIn("\n    __global__ __launch_bounds__(256) void kernel(", page)
        self.assertIn("\n      history[i % 100] = i;\n", page)
        self.assertIn("\nrow or a version may take", page)
        self.assertNotRegex(page, r"```|\]\(")
        self.assertIn("\nover-budget ", self.expect(0, self.run_tool("reason")).stdout)
        self.bad("there is no reason 'over-budgt'; did you mean 'over-budget'?",
                 "reason", "over-budgt")
        self.bad("there is no reason 'over'; did you mean 'over-budget'?", "reason", "over")

    def test_reasons_as_messages_print_them(self):
        page = self.run_tool("reason", "over-budget").stdout
        for words in (["[unchanged, over-budget]"], ["[unchanged,", "over-budget]"], ["over-budget]"]):
            self.assertEqual(self.expect(DONE, self.run_tool("reason", *words)).stdout, page)

    def test_no_command(self):
        done = self.expect(USAGE, self.run_tool())
        for command in ("analyze", "rewrite", "verify", "tune", "wrap", "stats", "reason", "replay"):
            self.assertRegex(done.stdout, rf"\n  {command} +- ")

    def test_unknown_command(self):
        self.bad("Unknown", "frobnicate", "a.cu")

    def test_one_mistake_is_one_line(self):
        done = self.expect(USAGE, self.run_tool("analyse", "a.cu"))
        self.assertEqual(done.stderr, "bankstripe: Unknown subcommand 'analyse'; "
                                      "did you mean 'analyze'?; see bankstripe --help\n")

    def test_unknown_option(self):
        self.bad("--frobnicate", "analyze", "--frobnicate", "a.cu")

    def test_options_of_the_compiler_follow_two_dashes(self):
        for option in ("-Iinclude", "-DN=3", "-arch=sm_90", "-std=c++17", "-O3", "-rdc=true"):
            self.bad(f"options of the compiler follow '--': bankstripe COMMAND PATH -- {option}\n",
                     "analyze", "a.cu", option)

    def test_options_follow_the_command(self):
        self.bad("options follow the command: bankstripe COMMAND --layout=slot\n",
                 "--layout=slot", "analyze", "a.cu")

    def test_json_is_a_format(self):
        for command in ("analyze", "rewrite", "verify", "tune"):
            for option in ("--json", "--json=out.json"):
                self.bad("--format=json prints that on standard output;", command, option, "a.cu")

    def test_no_path(self):
        self.bad("give at least one file or folder", "analyze")

    def test_empty_path(self):
        self.bad("a PATH is empty", "rewrite", "--in-place", "")

    def test_two_modes(self):
        self.bad("choose one of", "rewrite", "--in-place", "--check", "a.cu")
        self.bad("choose one of", "rewrite", "--in-place", "--output-dir=out", "a.cu")

    def test_output_folder_without_a_name(self):
        self.bad("--output-dir needs a folder", "rewrite", "--output-dir=", "a.cu")

    def test_option_of_another_command(self):
        self.bad("'--in-place'; it belongs to 'bankstripe rewrite'\n", "analyze", "--in-place", "a.cu")
        self.bad("'--time=9'; it belongs to 'bankstripe tune'\n", "rewrite", "--time=9", "a.cu")

    def test_block_size_out_of_range(self):
        self.bad("--block-size must be from 1 to 1024", "analyze", "--block-size=0", "a.cu")
        self.bad("--block-size must be from 1 to 1024", "analyze", "--block-size=1025", "a.cu")
        self.bad("block-size", "analyze", "--block-size=many", "a.cu")

    def test_carveout_that_does_not_exist(self):
        for wrong in ("101", "-1", "half", ""):
            self.bad("--carveout must be auto, driver or from 0 to 100",
                     "analyze", f"--carveout={wrong}", "a.cu")

    def test_architecture(self):
        for wrong in ("hopper", "sm_12", "90"):
            self.bad(f"--gpu-arch: '{wrong}' is none of sm_70, sm_72, ",
                     "analyze", f"--gpu-arch={wrong}", "a.cu")
        for right in ("sm_52", "sm_90a", "sm_121"):
            self.expect(DONE, self.run_tool("analyze", "--no-confirm", f"--gpu-arch={right}", "a.cu"))

    def test_numbers(self):
        self.bad("for the -j option: 'many' is not a whole number\n", "analyze", "-jmany", "a.cu")
        self.bad("'much' is not a number\n", "analyze", "--min-speedup=much", "a.cu")
        self.bad("-j must be at least 1", "analyze", "-j0", "a.cu")
        self.bad("--min-speedup must not be negative", "analyze", "--min-speedup=-1", "a.cu")

    def test_quiet_and_verbose(self):
        self.bad("choose one of --quiet and --verbose",
                 "analyze", "--quiet", "--verbose", "a.cu")

    def test_format(self):
        self.bad("'xml' is none of text, json, sarif\n",
                 "analyze", "--format=xml", "a.cu")

    def test_layout(self):
        self.bad("'stripes' is none of auto, stripe, slot, split, bits, keep",
                 "analyze", "--layout=stripes", "a.cu")


class Information(ToolTest):
    def test_help_has_examples(self):
        done = self.expect(DONE, self.run_tool("--help"))
        for text in ("EXAMPLES:", "bankstripe rewrite --in-place", "EXIT CODES:",
                     "analyze", "verify", "tune"):
            self.assertIn(text, done.stdout)

    def test_help_of_a_command_has_its_options(self):
        done = self.expect(DONE, self.run_tool("rewrite", "--help"))
        for option in ("--in-place", "--output-dir", "--check", "--embed-helper",
                       "--block-size", "--exclude", "--gpu-arch"):
            self.assertIn(option, done.stdout)
        self.assertNotIn("EXAMPLES:", done.stdout)

    def test_help_fits_a_terminal(self):
        done = self.expect(DONE, self.run_tool("--help"))
        self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80
                          and "<subcommand> --help" not in line], [])  # LLVM's own.

    def test_help_of_a_command_fits_a_terminal(self):
        for command in ("analyze", "rewrite", "verify", "tune", "undo", "wrap", "stats", "reason"):
            done = self.expect(DONE, self.run_tool(command, "--help"))
            self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [])

    def test_help_has_other_names(self):
        page = self.run_tool("rewrite", "--help").stdout
        for words in (["rewrite", "-h"], ["help", "rewrite"]):
            self.assertEqual(self.expect(DONE, self.run_tool(*words)).stdout, page)
        self.assertEqual(self.run_tool("help").stdout, self.run_tool("--help").stdout)
        self.assertEqual(self.run_tool("-V").stdout, self.run_tool("--version").stdout)

    def test_help_of_the_launcher_lists_options_and_variables(self):
        page = self.expect(DONE, self.run_tool("wrap", "--help")).stdout
        for word in ("--block-size", "--min-speedup", "BANKSTRIPE_VERBOSE=1", "BANKSTRIPE_FLAGS"):
            self.assertIn(word, page)

    def test_version(self):
        done = self.expect(DONE, self.run_tool("--version"))
        self.assertRegex(done.stdout, r"^bankstripe \d+\.\d+\.\d+ \(Clang 2\d")


class Levels(ToolTest):
    def test_quiet_prints_nothing(self):
        self.write("a.cu", moves())
        self.write("b.cu", PLAIN)
        for args in (["analyze"], ["rewrite", "--check"], ["rewrite", "--in-place"]):
            done = self.run_tool(*args, "--quiet", ".")
            self.assertEqual((done.stdout, done.stderr), ("", ""), args)

    def test_quiet_still_prints_the_diff_that_was_asked_for(self):
        self.write("a.cu", moves())
        done = self.expect(DONE, self.run_tool("rewrite", "--quiet", "a.cu"))
        self.assertIn("+++ b/a.cu", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_verbose_says_what_was_dropped(self):
        self.write("a.cu", PLAIN)
        done = self.expect(DONE, self.run_tool(
            "analyze", "--verbose", "a.cu", "--", "-Xptxas", "-v"))
        self.assertIn("dropped from the command: -Xptxas", done.stderr)

    def test_no_colours_in_a_pipe(self):
        self.write("a.cu", moves())
        self.write("b.cu", "int broken\n")
        for args in (["analyze", "--verbose"], ["rewrite"]):
            done = self.run_tool(*args, ".")
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("\x1b", done.stderr)
            self.assertNotIn("\r", done.stderr)


class Json(ToolTest):
    def test_has_what_the_text_has(self):
        self.write("a.cu", moves() + "__global__ void other(int *p, int i) {\n"
                   "  int a[4];\n  a[i & 3] = i;\n  *p = a[p[1] & 3];\n}\n")
        text = self.expect(DONE, self.run_tool("analyze", "a.cu")).stdout
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", "a.cu"))
        report = json.loads(done.stdout)
        self.assertEqual([a["name"] for a in report["arrays"]], ["last", "a"])
        for array in report["arrays"]:
            self.assertIn(f"per-thread array '{array['name']}' ({array['type']}", text)
            self.assertIn(f"[{array['verdict']}, {array['reason']}]", text)
            self.assertIn(array["message"], text)
            self.assertIn(array["advice"], text)
            place = array["place"]
            self.assertEqual(place["file"], str(self.folder / "a.cu"))
            self.assertIn(f"a.cu:{place['line']}:{place['column']}: ", text)
        moved, kernel = report["arrays"][0], report["kernels"][0]
        self.assertEqual(moved["sharedBytes"], 128 * 8 * 4)
        self.assertIn(f"it takes {moved['sharedBytes']} bytes", text)
        self.assertEqual(kernel["blockSize"], 128)
        self.assertIn(f"128 threads, from {kernel['blockSizeText']}", text)

    def test_rewrite_has_the_diff(self):
        self.write("a.cu", moves())
        diff = self.expect(DONE, self.run_tool("rewrite", "a.cu")).stdout
        done = self.expect(DONE, self.run_tool("rewrite", "--format=json", "a.cu"))
        changes = json.loads(done.stdout)["changes"]
        self.assertEqual(changes, [{"file": str(self.folder / "a.cu"), "diff": diff}])

    def test_is_utf8_whatever_the_source(self):
        self.write("a.cu", moves().encode().replace(b"A kernel.", b"caf\xe9"))
        done = self.expect(DONE, self.run_tool("rewrite", "--format=json", "a.cu"))
        json.loads(done.stdout.encode("latin-1").decode("utf-8"))


class Selection(ToolTest):
    def analyzed(self, *args):
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", *args))
        return [k["name"] for k in json.loads(done.stdout)["kernels"]]

    def setUp(self):
        super().setUp()
        self.write("src/a.cu", moves("a"))
        self.write("src/deep/b.cu", moves("b"))
        self.write("src/deep/c_test.cu", moves("c"))
        self.write("src/d.cpp", "int main() {}\n")

    def test_folder_with_all_below(self):
        self.assertEqual(self.analyzed("src"), ["a", "b", "c"])

    def test_excluded_files_are_not_changed(self):
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--exclude=deep/*", "src"))
        self.assert_rewritten("src/a.cu")
        self.assertEqual(self.read("src/deep/b.cu"), moves("b"))

    def test_excluded_headers_are_not_changed_either(self):
        header = "#pragma once\n" + moves("shared")
        self.write("src/deep/kernel.cuh", header)
        self.write("src/d.cu", '#include "deep/kernel.cuh"\n' + moves("d"))
        for options in (["--exclude=deep/*"], ["--exclude=*.cuh"]):
            self.expect(DONE, self.run_tool("rewrite", "--in-place", *options, "src"))
            self.assertEqual(self.read("src/deep/kernel.cuh"), header)
        self.assert_rewritten("src/d.cu")
        self.assertRegex(self.run_tool("analyze", "--exclude=*.cuh", "src").stdout,
                         r"deep/kernel\.cuh:.*\[unchanged, outside-paths\]")
        # What was read before with other globs is not what is wanted now.
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "src"))
        self.assert_rewritten("src/deep/kernel.cuh")

    def test_a_folder_of_headers_is_no_failure_beside_others(self):
        self.write("include/kernel.cuh", "#pragma once\n" + moves("shared"))
        self.write("src/d.cu", '#include "../include/kernel.cuh"\n' + moves("d"))
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "src", "include"))
        self.assertNotIn("no CUDA source", done.stderr)
        self.assert_rewritten("include/kernel.cuh")
        self.assertIn("no CUDA source (.cu) below 'include'", self.run_tool("rewrite", "include").stderr)

    def test_headers_count_where_files_are_given(self):
        self.write("include/kernel.cuh", "#pragma once\n" + moves("shared"))
        self.write("src/d.cu", '#include "kernel.cuh"\n')
        included = ("src/d.cu", "--", "-Iinclude")
        done = self.expect(DONE, self.run_tool("analyze", *included))
        self.assertIn("[stripe, dynamic-index]", done.stdout)
        self.assertIn("the headers below 'include' count as these sources' own", done.stderr)
        # What a folder does not hold is none of it, and system headers are nobody's.
        self.assertIn("outside-paths", self.run_tool("analyze", "src", "--", "-Iinclude").stdout)
        done = self.run_tool("analyze", "src/d.cu", "--", "-isystem", "include")
        self.assertNotIn("dynamic-index", done.stdout)
        self.assertNotIn("the headers below", done.stderr)
        # rewrite writes, and shows, what it was given.
        before = self.snapshot()
        for mode in ("--in-place", "--dry-run"):
            done = self.expect(DONE, self.run_tool("rewrite", mode, *included))
            self.assertIn("outside-paths", done.stderr)
            self.assertEqual((done.stdout, self.snapshot()), ("", before))

    def test_number_of_threads_changes_nothing(self):
        one = self.run_tool("rewrite", "-j1", "src")
        four = self.run_tool("rewrite", "-j4", "src")
        self.assertEqual((one.stdout, one.stderr), (four.stdout, four.stderr))


class CompileCommands(ToolTest):
    def extents(self, *args):
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", *args))
        return [a["extents"] for a in json.loads(done.stdout)["arrays"]]

    def test_arguments_behind_two_dashes(self):
        self.write("a.cu", SIZED)
        self.assertEqual(self.extents("a.cu", "--", "-DSIZE=12"), [[12]])
        self.assertEqual(self.extents(
            "a.cu", "--", "-D", "SIZE=12", "-O3", "-std=c++17", "-arch=sm_80",
            "--use_fast_math", "-Xcompiler", "-Wall", "-lineinfo"), [[12]])

    def test_database_for_nvcc(self):
        self.write("src/a.cu", SIZED)
        self.write("src/b.cu", SIZED)
        self.write("other/c.cu", SIZED)

        def entry(file, size):
            return {
                "directory": str(self.folder / "build"),
                "file": str(self.folder / file),
                "command":
                    "nvcc -forward-unknown-to-host-compiler -ccbin=g++ "
                    "--generate-code=arch=compute_80,code=[compute_80,sm_80] "
                    f"-DSIZE={size} -O3 -DNDEBUG -std=c++17 -Xcompiler=-fPIC -rdc=true "
                    f"-x cu -c {self.folder / file} -o {file}.o",
            }

        self.write("build/compile_commands.json", json.dumps(
            [entry("src/a.cu", 9), entry("src/b.cu", 13), entry("other/c.cu", 15)]))
        self.assertEqual(self.extents("-p", "build", "src"), [[9], [13]])
        self.assertEqual(self.extents("-p", "build", "src/b.cu"), [[13]])
        # Of all that it names, and found by itself.
        self.assertEqual(self.extents("-p", "build"), [[15], [9], [13]])
        self.assertEqual(self.extents("src"), [[9], [13]])
        self.assertEqual(self.extents("src/b.cu"), [[13]])
        done = self.expect(DONE, self.run_tool("analyze", "src"))
        self.assertIn("bankstripe: using the commands of build/compile_commands.json; "
                      "-p names another folder\n", done.stderr)

    def test_block_size(self):
        text = moves().replace("<<<1, 128>>>", "<<<1, threads()>>>")
        self.write("a.cu", "int threads();\n" + text)
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertIn('::bankstripe::storage count_row("count", count, 1024);', done.stdout)
        done = self.expect(
            CHANGES, self.run_tool("rewrite", "--check", "--block-size=96", "a.cu"))
        self.assertIn("__launch_bounds__(96)", done.stdout)

    def test_who_else_launches(self):
        self.write("src/a.cu", moves())
        self.expect(USAGE, self.run_tool("analyze", "--whole-program", "--versions", "src"))
        for words, elsewhere in ((["src/a.cu"], True), (["src"], False),
                                 (["--whole-program", "src/a.cu"], False),
                                 (["--versions", "src"], True)):
            done = self.expect(CHANGES, self.run_tool("rewrite", "--check", *words, whole=False))
            self.assertEqual("count_row" in done.stdout, elsewhere, words)

    def test_a_launch_that_qualifies_the_name_is_one(self):
        self.write("src/a.cu", "namespace app {" + moves().replace("{ count", "{ app::count") + "}")
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "src", whole=False))
        self.assertIn("__launch_bounds__(128)", done.stdout)

    def test_exclusion_of_nothing_is_told(self):
        self.write("src/a.cu", moves())
        self.write("src/deep/b.cu", moves("other"))
        for glob, told in (("b.cu", True), ("*/b.cu", False), ("deep/*", False)):
            done = self.expect(DONE, self.run_tool("analyze", f"--exclude={glob}", "src"))
            self.assertEqual("--exclude matches no file" in done.stderr, told, glob)
        self.assertEqual(self.run_tool("analyze", "--quiet", "--exclude=b.cu", "src").stderr, "")

    def test_files_that_were_not_read_may_launch(self):
        self.write("src/a.cu", moves())
        self.write("src/b.cu", "#include <missing.h>\n")
        for words, status in ((["src"], SOME_FAILED), (["--exclude=b.cu", "src"], CHANGES)):
            done = self.expect(status, self.run_tool("rewrite", "--check", *words, whole=False))
            self.assertIn('count_row("count", count, count_striped, 1024)', done.stdout, words)
            self.assertIn("files that were not read may launch kernels", done.stderr)
            done = self.expect(status, self.run_tool("rewrite", "--check", *words))
            self.assertNotIn("count_striped", done.stdout, words)
            self.assertNotIn("files that were not read", done.stderr)
        self.write("none/b.cu", "#include <missing.h>\n")
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "none", whole=False))
        self.assertNotIn("files that were not read", done.stderr)

    def test_what_a_change_must_be_worth(self):
        self.write("a.cu", moves())
        report = json.loads(self.expect(DONE, self.run_tool(
            "analyze", "--format=json", "--min-speedup=1000", "a.cu")).stdout)
        if report["kernels"][0]["warpsPerMultiprocessorBefore"] is None:
            self.skipTest("the tool knows no occupancy, and predicts nothing")
        self.assertEqual([a["reason"] for a in report["arrays"]], ["not-profitable"])
        self.expect(CHANGES, self.run_tool("rewrite", "--check", "--min-speedup=0", "a.cu"))

    def test_shared_memory_that_launches_bring(self):
        text = moves().replace("<<<1, 128>>>", "<<<1, in[0]>>>")
        self.write("a.cu", text)
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertIn("::bankstripe::storage count_row", done.stdout)
        self.expect(DONE, self.run_tool("rewrite", "--check", "--shared-limit=1024", "a.cu"))



class Architectures(ToolTest):
    """Each that the command names, where the source asks for it."""

    def array(self, *options, source=BY_ARCHITECTURE):
        self.write("a.cu", source)
        done = self.expect(DONE, self.run_tool(
            "analyze", "--format=json", "--no-confirm", "--min-speedup=0", "a.cu", "--", *options))
        return json.loads(done.stdout)["arrays"][0]

    def test_calls_of_all_of_them_count(self):
        old, new = (f"-gencode=arch=compute_{n},code=sm_{n}" for n in (75, 90))
        self.assertEqual(len(self.array(new)["kernels"]), 1)
        self.assertEqual(len(self.array(old)["kernels"]), 2)
        self.assertEqual(len(self.array(old, new)["kernels"]), 2)

    def test_an_array_stays_where_one_of_them_cannot_be_read(self):
        old, new = (f"-gencode=arch=compute_{n},code=sm_{n}" for n in (75, 90))
        broken = BY_ARCHITECTURE.replace(
            "#if __CUDA_ARCH__ < 800", "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800\n  oops;")
        self.assertEqual(self.array(new, source=broken)["verdict"], "stripe")
        self.assertEqual(self.array(old, new, source=broken)["reason"], "no-evidence")


if __name__ == "__main__":
    unittest.main()
