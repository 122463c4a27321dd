"""`bankstripe wrap` as a launcher before compilers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

from headers import LOCAL, WEIGH
from support import BROKEN, PLAIN, TOOL, USAGE, ToolTest, find_nvcc

NVCC = find_nvcc()

# Only this file can launch it.
COUNT = """// A kernel.
#include "local.h"

static __global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7] + LOCAL;
}
void launch(const int *in, int *out) { count<<<1, 128>>>(in, out); }
const char *where() { return __FILE__; }
const char *whereLocal() { return local(); }
int line() { return __LINE__; }
"""

# Its array stays.
KEPT = COUNT.replace("{0};", "{0}; // NOLINT(bankstripe)")

# A compiler that says what it was asked, and writes its output.
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, signal, sys, time
words = sys.argv[1:]
log = pathlib.Path(os.environ["LOG"])
calls = json.loads(log.read_text()) if log.exists() else []
calls.append(words)
log.write_text(json.dumps(calls))
if "--fail-on-copy" in words and any(".bankstripe/" in w for w in words):
    sys.exit("a.cu(5): error: no copies")
if "--kill" in words:
    os.kill(os.getpid(), 15)
if "--sleep" in words:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
    print("ready", flush=True, file=open(os.environ["LOG"] + ".ready", "w"))
    time.sleep(60)
print("out", os.environ.get("BANKSTRIPE_WRAPPED"))
print("err", file=sys.stderr)
if "-o" in words:
    pathlib.Path(words[words.index("-o") + 1]).write_text("object")
if "-MF" in words:
    source = [w for w in words if w.endswith(".cu")][-1]
    pathlib.Path(words[words.index("-MF") + 1]).write_text(f"a.o: {{source}} \\\\\\n  other.h\\n")
sys.exit(7 if "--seven" in words else 0)
"""


class WrapTest(ToolTest):
    """A folder with a source that is rewritten, and a compiler."""

    def setUp(self):
        super().setUp()
        self.compiler = self.write("bin/nvcc", STAND_IN)
        self.compiler.chmod(self.compiler.stat().st_mode | stat.S_IXUSR)
        self.log = self.folder / "log.json"
        self.write("src/a.cu", COUNT)
        self.write("src/local.h", LOCAL)
        (self.folder / "obj").mkdir()

    def wrap(self, *words, folder=".", **environment):
        flags = {"BANKSTRIPE_FLAGS": "--no-confirm --min-speedup=0 --quiet"}
        return subprocess.run(
            [TOOL, "wrap", *(str(w) for w in words)], cwd=self.folder / folder,
            env=os.environ | {"LOG": str(self.log)} | flags | environment,
            capture_output=True, text=True, check=False, timeout=200)

    def calls(self):
        return json.loads(self.log.read_text())

    def copy(self, name="obj/a.o"):
        return self.read(name + ".bankstripe/a.cu")


class PassedOn(WrapTest):
    """Commands that are run as they are."""

    def assert_unchanged(self, *words, why="", **environment):
        done = self.wrap(self.compiler, *words, **environment)
        self.assertEqual((done.returncode, done.stdout), (0, "out 1\n"))
        self.assertRegex(done.stderr, rf"\A{why and f'bankstripe: warning: {why}'}err\n\Z")
        self.assertEqual(self.calls(), [[str(w) for w in words]])
        self.assertEqual(list(self.folder.rglob("*.bankstripe")), [])

    def test_a_host_source(self):
        self.write("src/a.cpp", COUNT)
        self.assert_unchanged("-c", "src/a.cpp", "-o", "obj/a.o")

    def test_standard_input(self):
        self.assert_unchanged("-x", "cu", "-c", "-", "-o", "obj/a.o",
                              why="'-' is compiled as it is: it is read from standard input; .*\n")

    def test_several_sources_whose_dependencies_are_asked_for(self):
        self.write("src/b.cu", COUNT)
        self.assert_unchanged("-MD", "-c", "src/a.cu", "src/b.cu",
                              why="'src/a.cu, src/b.cu' is compiled as it is: .* dependencies .*; compile each by .*\n")
        for name in ("src/a.cu", "src/b.cu"):
            self.write(name, "__global__ void one(int *out) { *out = 1; }\n")
        self.log.unlink()
        self.assert_unchanged("-MD", "-c", "src/a.cu", "src/b.cu")

    def test_a_source_that_is_missing(self):
        self.assert_unchanged("-c", "src/none.cu", "-o", "obj/a.o")

    def test_another_compiler(self):
        self.compiler = self.compiler.rename(self.compiler.with_name("gcc"))
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o",
                              why="'src/a.cu' is compiled as it is: 'gcc' is neither nvcc nor Clang\n")
        self.log.unlink()
        self.assert_unchanged("-c", "src/a.c", "-o", "nvcc")

    def test_no_arguments(self):
        self.assert_unchanged()

    def test_a_source_in_which_nothing_moves(self):
        self.write("src/a.cu", KEPT)
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o")

    def test_device_code_without_a_bracket_is_not_parsed(self):
        self.write("src/a.cu", "__global__ void one(int *out) { *out = ; }\n")
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o")

    def test_a_block_size_that_other_files_may_give(self):
        self.write("src/a.cu", COUNT.replace("int *out) { count<<<1, 128", "int *out, int n) { count<<<1, n")
                   + "void half(const int *in, int *out) { launch(in, out, 64); }\n")
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o",
                              BANKSTRIPE_FLAGS="--no-confirm --shared-limit=1")

    def test_linked_device_code_that_the_environment_asks_for(self):
        self.write("src/a.cu", WEIGH.replace("static __device__", "__device__"))
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o", NVCC_APPEND_FLAGS="-rdc=true")

    def test_an_output_that_is_no_file(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "/dev/null")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.calls(), [["-c", "src/a.cu", "-o", "/dev/null"]])

    def test_an_output_in_no_folder(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "none/a.o")
        self.assertEqual(done.returncode, 1)
        self.assertFalse((self.folder / "none").exists())

    def test_nothing_when_switched_off(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", BANKSTRIPE_DISABLE="1")
        self.assertEqual(done.stdout, "out None\n")
        self.assertEqual(list(self.folder.rglob("*.bankstripe")), [])

    def test_what_a_compiler_runs(self):
        self.assert_unchanged("-c", "src/a.cu", "-o", "obj/a.o", BANKSTRIPE_WRAPPED="1")

    def test_no_command(self):
        done = self.wrap()
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("give a compiler", done.stderr)

    def test_a_command_that_does_not_exist(self):
        done = self.wrap("./none", "-c", "src/a.cu")
        self.assertEqual(done.returncode, 127)
        self.assertIn("cannot run './none'", done.stderr)

    def test_the_exit_status(self):
        done = self.wrap(self.compiler, "-c", "src/a.cpp", "--seven")
        self.assertEqual(done.returncode, 7)


class Rewritten(WrapTest):
    """Compiles of a copy."""

    def compile(self, *words, source="src/a.cu", uncopied="", **environment):
        done = self.wrap(self.compiler, "-c", source, "-o", "obj/a.o", *words, **environment)
        warning = f"bankstripe: warning: '{source}' is compiled as it is: {uncopied}\n" if uncopied else ""
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "out 1\n", warning + "err\n"))
        return self.calls()[-1]

    def test_a_copy_is_compiled(self):
        words = self.compile()
        self.assertEqual(words, ["-Xcompiler=-iquote,src", "-c", "obj/a.o.bankstripe/a.cu", "-o", "obj/a.o"])
        self.assertIn("auto last = ::bankstripe::column(last_stripes)", self.copy())

    def test_nothing_is_written_through_a_link(self):
        for place in ("obj/a.o.bankstripe", "obj/a.o.bankstripe/a.cu"):
            self.write("kept/a.cu", "kept")
            (self.folder / place).parent.mkdir(exist_ok=True)
            (self.folder / place).symlink_to(self.folder / "kept" / ("a.cu" if place[-1] == "u" else ""))
            self.compile(uncopied="" if place[-1] == "u" else
                         f"cannot write '{place}': '{place}' is a link, which another program made; remove it")
            self.assertEqual([self.read("kept/a.cu"), os.listdir(self.folder / "kept")], ["kept", ["a.cu"]])
            shutil.rmtree(self.folder / "kept")
            if place[-1] != "u":
                (self.folder / place).unlink()

    def test_counts_are_not_written_through_a_link(self):
        self.write("kept", "kept")
        (self.folder / "obj/.bankstripe-stats").symlink_to("../kept")
        self.compile()
        self.assertEqual(self.read("kept"), "kept")

    def test_the_original_is_left_alone(self):
        self.compile()
        self.assertEqual(self.read("src/a.cu"), COUNT)
        self.assertEqual(sorted(p.name for p in self.folder.joinpath("src").iterdir()),
                         ["a.cu", "local.h"])

    def test_a_source_by_its_whole_path_needs_no_folder(self):
        words = self.compile(source=self.folder / "src/a.cu")
        self.assertEqual(words, ["-c", "obj/a.o.bankstripe/a.cu", "-o", "obj/a.o"])
        self.assertIn(f'#include "{self.folder}/src/local.h"', self.copy())

    def test_a_folder_that_no_option_can_name_stops_the_copy(self):
        self.write("a,b/a.cu", COUNT)
        self.write("a,b/local.h", LOCAL)
        words = self.compile(source="a,b/a.cu",
                             uncopied="'a,b/a.cu' cannot be copied: its folder cannot be named in an option")
        self.assertEqual(words, ["-c", "a,b/a.cu", "-o", "obj/a.o"])

    def test_the_same_copy_is_not_written_again(self):
        self.compile()
        copy = self.folder / "obj/a.o.bankstripe/a.cu"
        os.utime(copy, (1, 1))
        self.compile()
        self.assertEqual(copy.stat().st_mtime, 1)

    def test_two_objects_of_a_source_have_their_own_copies(self):
        self.compile()
        self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/b.o", "-DLARGE")
        self.assertEqual(self.copy("obj/a.o"), self.copy("obj/b.o"))

    def test_a_response_file(self):
        self.write("args.rsp", "-c src/a.cu -o obj/a.o")
        self.wrap(self.compiler, "--options-file", "args.rsp")
        self.assertIn("obj/a.o.bankstripe/a.cu", self.calls()[-1])

    def test_behind_other_launchers(self):
        ccache = self.write("bin/ccache", '#!/bin/sh\nexec "$@"\n')
        ccache.chmod(0o755)
        starts = [[ccache], ["env", "A=1", ccache], ["env", "-u", "X", "nice", "-n", "5"], ["timeout", "-k", "5", "100"],
                  ["nice", "-n", "5", "env", "A=1", "B=2"]]
        if shutil.which("cmake"):
            starts += [["cmake", "-E", "env", "A=1", "--unset=B", ccache], ["cmake", "-E", "env", "A=1", "--"],
                       ["cmake", "-E", "chdir", "."]]
        for start in starts:
            self.wrap(*start, self.compiler, "-c", "src/a.cu", "-o", "obj/a.o")
            self.assertEqual(self.calls()[-1][-4:], ["-c", "obj/a.o.bankstripe/a.cu", "-o", "obj/a.o"], start)
            shutil.rmtree(self.folder / "obj/a.o.bankstripe")

    def test_what_the_words_before_the_compiler_set_counts(self):
        self.write("src/a.cu", COUNT.replace("[8] =", "[N] ="))
        self.wrap("env", "NVCC_PREPEND_FLAGS=-DN=8", self.compiler, "-c", "src/a.cu", "-o", "obj/a.o")
        self.assertIn("obj/a.o.bankstripe/a.cu", self.calls()[-1])
        self.write("src/a.cu", COUNT)
        self.wrap("--min-speedup=0", "--no-confirm", "--layout=slot", "env", "-C", self.folder / "src", "A=1",
                  self.compiler, "-c", "a.cu", "-o", self.folder / "obj/b.o")
        self.assertIn("::bankstripe::slots<", self.copy("obj/b.o"))

    # Which takes them for sources in CUDA, and knows no option in one word.
    def test_behind_the_wrapper_of_kokkos(self):
        self.compiler = self.compiler.rename(self.compiler.with_name("nvcc_wrapper"))
        self.write("src/a.cpp", COUNT)
        self.wrap(self.compiler, "-c", "src/a.cpp", "-o", "obj/a.o", "lib.so.1")
        self.assertEqual(self.calls()[-1], ["-Xcompiler", "-iquote,src", "-c", "obj/a.o.bankstripe/a.cpp",
                                            "-o", "obj/a.o", "lib.so.1"])
        self.wrap(self.compiler, "--host-only", "-c", "src/a.cpp", "-o", "obj/a.o")
        self.assertEqual(self.calls()[-1], ["--host-only", "-c", "src/a.cpp", "-o", "obj/a.o"])

    def test_all_sources_of_a_command(self):
        self.write("src/b.cu", COUNT)
        self.write("src/plain.cu", PLAIN)
        done = self.wrap(self.compiler, "src/a.cu", "src/plain.cu", "src/b.cu", "-o", "obj/app",
                         BANKSTRIPE_FLAGS="--no-confirm --min-speedup=0")
        self.assertEqual(self.calls()[-1],
                         ["-Xcompiler=-iquote,src", "obj/app.a.bankstripe/a.cu", "src/plain.cu",
                          "obj/app.b.bankstripe/b.cu", "-o", "obj/app"])
        self.assertEqual(done.stderr, "err\nbankstripe: src/a.cu, src/plain.cu, src/b.cu: "
                                      "2 arrays of 2 kernels moved\n")

    # Quoted names could mean other files with the folder of another source.
    def test_sources_of_several_folders_name_their_headers_in_full(self):
        self.write("b/b.cu", COUNT)
        self.write("b/local.h", LOCAL)
        for words in (["src/a.cu", "b/b.cu"], [self.folder / "src/a.cu", self.folder / "b/b.cu"]):
            done = self.wrap(self.compiler, *words, "-o", "obj/app")
            self.assertEqual(done.stderr, "err\n")
            self.assertEqual(self.calls()[-1],
                             ["obj/app.a.bankstripe/a.cu", "obj/app.b.bankstripe/b.cu", "-o", "obj/app"])
            self.assertIn(f'#include "{self.folder}/b/local.h"', self.read("obj/app.b.bankstripe/b.cu"))

    def test_a_source_of_several_whose_headers_a_macro_names_stays(self):
        self.write("b/b.cu", COUNT.replace('#include "local.h"', '#define WHAT "local.h"\n#include WHAT'))
        self.write("b/local.h", LOCAL)
        done = self.wrap(self.compiler, "src/a.cu", "b/b.cu", "-o", "obj/app")
        self.assertEqual(self.calls()[-1], ["obj/app.a.bankstripe/a.cu", "b/b.cu", "-o", "obj/app"])
        self.assertRegex(done.stderr, r"\Abankstripe: warning: 'b/b.cu' is compiled as it is: .* a macro names .*\nerr\n\Z")

    def test_a_program_of_one_source_has_all_launches(self):
        count = COUNT.replace("static __global__", "__global__")
        for main, versions in (("int main() { launch(nullptr, nullptr); }\n", 0), ("// In the main loop.\n", 1)):
            self.write("src/a.cu", count + main)
            self.wrap(self.compiler, "src/a.cu", "-o", "obj/a")
            self.assertEqual(self.copy("obj/a").count("void count_striped("), versions, main)

    def test_a_kernel_that_other_files_may_launch_gets_a_version(self):
        row = '::bankstripe::version count_row("count", count, count_striped, 1024);'
        count = COUNT.replace("static __global__", "__global__")
        self.write("src/count.h", "__global__ void count(const int *in, int *out);\n")
        for source in (count, '#include "count.h"\n' + count, count.split("void launch")[0]):
            self.write("src/a.cu", source)
            self.compile()
            self.assertIn(row, self.copy())
            self.assertNotIn("count_striped<<<", self.copy())

    def test_a_kernel_that_is_found_by_its_name_needs_a_bound(self):
        self.wrap(self.compiler, "-cubin", "src/a.cu", "-o", "obj/a.cubin")
        self.assertEqual(self.calls()[-1], ["-cubin", "src/a.cu", "-o", "obj/a.cubin"])
        self.write("src/a.cu", COUNT.replace("static __global__ void", "__global__ void __launch_bounds__(128)"))
        self.wrap(self.compiler, "-cubin", "src/a.cu", "-o", "obj/a.cubin")
        self.assertIn("__shared__ int last_stripes", self.copy("obj/a.cubin"))

    def test_a_kernel_that_nobody_else_can_launch_needs_no_version(self):
        self.compile()
        self.assertNotIn("count_row", self.copy())

    def test_launch_bounds_are_enough_for_a_kernel_of_all(self):
        self.write("src/a.cu", COUNT.replace("static __global__ void",
                                             "__global__ void __launch_bounds__(128)"))
        self.compile()
        self.assertIn("auto last = ::bankstripe::column(last_stripes)", self.copy())

    def test_a_kernel_that_waits_for_other_blocks_gets_a_version(self):
        self.write("src/a.cu", COUNT.replace("static __global__ void",
                                             "__global__ void __launch_bounds__(128)")
                   .replace("  out[", "  while (!*(volatile const int *)in)\n    ;\n  out["))
        self.compile()
        self.assertIn("count_striped, 1024, ::bankstripe::may_wait);", self.copy())

    def test_the_report_is_there_for_whoever_asks(self):
        self.write("src/a.cu", KEPT)
        done = self.wrap("--min-speedup=0", "--no-confirm", self.compiler, "-c", "src/a.cu", "-o", "obj/a.o",
                         BANKSTRIPE_VERBOSE="1")
        self.assertIn("'last' (int[8], 32 bytes per thread) probably stays in local memory: a NOLINT", done.stderr)
        self.assertIn("[unchanged, nolint]", done.stderr)

    # Where nothing can move, the optimiser is not asked; the reason is the same as of 'rewrite'.
    def test_the_report_has_the_reason_that_rewrite_gives(self):
        self.write("src/a.cu", COUNT.replace("[8]", "[1000]"))
        words = ("--min-speedup=0", "--no-confirm")
        done = self.wrap(*words, self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", BANKSTRIPE_VERBOSE="1")
        self.assertIn("[unchanged, over-budget]", done.stderr)
        self.assertNotIn("no-evidence", done.stderr)

    def test_the_dependencies_are_the_users(self):
        self.compile("-MD", "-MF", "obj/a.d")
        self.assertEqual(self.read("obj/a.d"), "a.o: src/a.cu \\\n  other.h\n")

    # Neither bounds nor a launch in sight: others may launch it with any block.
    def test_a_block_size_that_was_decided(self):
        self.write("src/a.cu", COUNT.replace("static __global__", "__global__").split("void launch")[0])
        for decided in ("defaults:\n  block-size: 64\n",
                        "kernels:\n  - {file: src/a.cu, kernel: count, block-size: 64}\n"):
            self.write(".bankstripe.yaml", "version: 1\n" + decided)
            self.compile()
            self.assertIn("::bankstripe::version count_row", self.copy())

    def test_decisions_are_obeyed_and_depended_on(self):
        self.write(".bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.assertIn("src/a.cu", self.compile("-MD", "-MF", "obj/a.d"))
        self.assertIn(f"{self.folder}/.bankstripe.yaml", self.read("obj/a.d"))
        # make goes on without it, and ninja takes that.
        self.assertIn(f"\n{self.folder}/.bankstripe.yaml:\n", self.read("obj/a.d"))

    def test_an_error_of_the_decisions_file_is_named(self):
        self.write(".bankstripe.yaml", "version: 1\ndefalts:\n  layout: keep\n")
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o")
        self.assertEqual(done.stderr, "err\nbankstripe: warning: 'src/a.cu' is compiled as it is: "
                                      f"{self.folder}/.bankstripe.yaml:2:1: error: unknown key 'defalts'\n")

    def test_decisions_that_are_named_are_depended_on(self):
        self.write("keep.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.assertIn("src/a.cu", self.compile("-MD", "-MF", "obj/a.d", BANKSTRIPE_FLAGS="--config=keep.yaml --quiet"))
        self.assertIn("keep.yaml", self.read("obj/a.d"))

    def test_a_source_that_does_not_parse(self):
        self.write("src/a.cu", COUNT + BROKEN)
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o")
        self.assertEqual((done.returncode, done.stdout), (0, "out 1\n"))
        self.assertRegex(done.stderr, r"\Aerr\nbankstripe: warning: 'src/a.cu' is compiled as it is: "
                                      r"Clang could not parse '.*/src/a.cu': .*:14:45: error: expected expression\n\Z")

    def test_a_mistake_of_the_user_is_for_the_compiler_to_report(self):
        self.write("src/a.cu", COUNT + BROKEN)
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", "--seven")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "out 1\n", "err\n"))

    def test_flags_that_are_none(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", BANKSTRIPE_FLAGS="--nonsense")
        self.assertEqual(done.returncode, 0)
        self.assertIn("'src/a.cu' is compiled as it is: '--nonsense' is not understood", done.stderr)

    def test_what_is_excluded_is_compiled_as_it_is(self):
        for glob in ("*/a.cu", "src/*"):
            done = self.wrap("--no-confirm", "--min-speedup=0", f"--exclude={glob}",
                             self.compiler, "-c", "src/a.cu", "-o", "obj/a.o")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "out 1\n", "err\n"))
            self.assertIn("src/a.cu", self.calls()[-1])

    def test_options_that_mean_nothing_here_are_refused(self):
        for option in ("--in-place", "--output-dir=out", "--check", "--dry-run", "--embed-helper",
                       "--format=json", "-p=build", "--trust-commands"):
            for done in (self.wrap(option, self.compiler, "-c", "src/a.cu", "-o", "obj/a.o"),
                         self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o",
                                   BANKSTRIPE_FLAGS=f"--quiet {option}")):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(f"'{option}' is not for 'wrap', which compiles", done.stderr)
        done = self.wrap("--in-place", self.compiler, "-c", "src/a.cu", "-o", "obj/a.o",
                         BANKSTRIPE_DISABLE="1")
        self.assertEqual(done.returncode, 0)

    def test_options_before_the_compiler_are_in_the_place_of_the_flags(self):
        options = ["--no-confirm", "--min-speedup=0", "--layout=slot", "--quiet"]
        done = self.wrap(*options, self.compiler, "-c", "src/a.cu", "-o", "obj/a.o",
                         BANKSTRIPE_FLAGS="--layout=keep")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "out 1\n", "err\n"))
        self.assertIn("::bankstripe::slots<", self.copy())
        self.assertEqual(self.calls()[-1][-2:], ["-o", "obj/a.o"])

    def test_a_copy_that_does_not_compile(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", "--fail-on-copy")
        self.assertEqual((done.returncode, done.stdout), (0, "out 1\n"))
        self.assertEqual(self.calls()[-1], ["-c", "src/a.cu", "-o", "obj/a.o", "--fail-on-copy"])
        self.assertEqual(done.stderr.count("bankstripe: warning"), 1)
        self.assertIn("'src/a.cu' is compiled as it is: the rewritten copy 'obj/a.o.bankstripe/a.cu' does not compile: "
                      "a.cu(5): error: no copies\n", done.stderr)

    def test_a_request_to_end_is_handed_on_and_nothing_is_run_again(self):
        words = [TOOL, "wrap", self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", "--sleep"]
        ready = pathlib.Path(str(self.log) + ".ready")
        with subprocess.Popen(
                [str(w) for w in words], cwd=self.folder,
                env=os.environ | {"LOG": str(self.log), "BANKSTRIPE_FLAGS": "--no-confirm --min-speedup=0"}) as process:
            for _ in range(600):
                if ready.exists():
                    break
                time.sleep(0.1)
            process.terminate()
            self.assertEqual(process.wait(timeout=30), 5)
        self.assertEqual(len(self.calls()), 1)

    def test_the_signal_that_ends_the_compiler(self):
        done = self.wrap(self.compiler, "-c", "src/a.cu", "-o", "obj/a.o", "--kill")
        self.assertEqual(done.returncode, -signal.SIGTERM)


class Stats(WrapTest):
    """What is said of a build."""

    def compile(self, name, **environment):
        flags = {"BANKSTRIPE_FLAGS": "--no-confirm --min-speedup=0"}
        done = self.wrap(self.compiler, "-c", f"src/{name}.cu", "-o", f"obj/{name}.o", **flags | environment)
        self.assertEqual(done.returncode, 0)
        return done.stderr

    def test_a_rewritten_file_has_a_line_until_something_changes(self):
        said = "bankstripe: src/a.cu: 1 array of 1 kernel moved\n"
        self.assertEqual(self.compile("a"), "err\n" + said)
        self.assertEqual(self.compile("a"), "err\n")
        self.write("src/a.cu", COUNT.replace("int last[8] = {0};", "int last[8] = {0}, more[8] = {0};")
                   .replace("last[in[i] & 7];", "more[in[i] & 7]++;"))
        self.assertEqual(self.compile("a"), "err\n" + said.replace("1 array", "2 arrays"))

    def test_kernels_that_choose_are_counted(self):
        said = self.compile("a", BANKSTRIPE_FLAGS="--choose --no-confirm --min-speedup=0")
        self.assertEqual(said, "err\nbankstripe: src/a.cu: 1 array of 1 kernel moved, "
                               "1 kernel chooses at run time\n")
        self.assertIn('::bankstripe::choice count_row("count", count, count_striped, 1024, ', self.copy())
        self.assertIn("struct comparison", self.read("obj/a.o.bankstripe/bankstripe_choose.cuh"))

    def test_a_file_that_is_compiled_as_it_is_has_none(self):
        self.write("src/b.cu", KEPT)
        self.assertEqual(self.compile("b"), "err\n")

    def test_a_table_of_a_function_that_nobody_calls_has_no_kernels(self):
        self.write("src/c.cu", "__device__ int prime(int i) { const int p[4] = {2, 3, 5, 7}; return p[i]; }\n")
        self.assertEqual(self.compile("c"), "err\nbankstripe: src/c.cu: 1 array moved\n")

    def test_decisions_that_are_not_followed_are_named(self):
        self.write("src/a.cu", COUNT.replace("__shared__", "").replace("int last[8]", "int rest[8], last[8]")
                   .replace("+ LOCAL", "+ *(&rest[1] + in[1])"))
        self.write(".bankstripe.yaml", "version: 1\narrays:\n"
                   "  - {file: src/a.cu, function: count, array: rest, decision: stripe}\n")
        said = self.compile("a")
        self.assertIn("moved, 1 decision not followed\n", said)
        self.assertIn("bankstripe: 'rest' of count is not as decided: ", said)

    def test_a_build_is_summed_up(self):
        self.write("src/b.cu", KEPT)
        self.write("src/plain.cu", "__global__ void one(int *out) { *out = 1; }\n")
        for name in ("a", "b", "plain", "a"):
            self.compile(name)
        done = self.expect(0, self.run_tool("stats", "obj"))
        self.assertRegex(done.stdout, "\\A3 CUDA files: 2 parsed, 1 rewritten\n"
                                      "arrays: stripe 1, unchanged 1\n"
                                      "why arrays stay: nolint 1\n"
                                      r"time added: \d+\.\d s\n\Z")

    def test_stats_need_a_folder(self):
        self.assertIn("no such folder: 'none'", self.expect(USAGE, self.run_tool("stats", "none")).stderr)
        self.assertIn("stats takes one folder", self.expect(USAGE, self.run_tool("stats", "src", "obj")).stderr)

    def test_choices_of_programs_are_a_table(self):
        self.write("choices.jsonl", '{"kernel": "k", "gpu": "G", "architecture": "sm_90", "grid": [4, 1, 1], "block": [64, 1, 1], '
                   '"pairs": 1, "original_us": 9, "version_us": 3, "chosen": "version"}\n')
        self.assertRegex(self.expect(0, self.run_tool("stats", "--choices=choices.jsonl")).stdout, r"\nk +4 +64 +9.0 +3.0  version")
        self.assertIn("'none': ", self.expect(USAGE, self.run_tool("stats", "--choices=none")).stderr)

    def test_a_folder_in_which_nothing_was_compiled(self):
        self.assertEqual(self.expect(0, self.run_tool("stats", "src")).stdout,
                         "nothing was compiled by 'bankstripe wrap' below 'src'; a project that sets "
                         "CMAKE_CUDA_COMPILER_LAUNCHER itself drops that of the command line\n")

    def test_the_value_of_an_option_follows_an_equals_sign(self):
        done = self.expect(USAGE, self.run_tool("wrap", "--block-size", "256", "nvcc", "-c", "src/a.cu"))
        self.assertIn("as in --block-size=256", done.stderr)

    def test_copies_are_no_sources(self):
        self.compile("a")
        self.assertTrue(any(self.folder.rglob("*.bankstripe/*.cu")))
        done = self.expect(0, self.run_tool("analyze", "--format=json", "."))
        self.assertNotIn(".bankstripe/", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
