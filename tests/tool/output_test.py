"""Where the rewritten files go, and that nothing else changes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import CHANGES, DONE, PLAIN, SOME_FAILED, TOOL, ToolTest, find_nvcc, moves, whole_helper

NVCC = find_nvcc()
HELPER = whole_helper()


class DryRun(ToolTest):
    def test_is_the_default_and_writes_nothing(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        plain = self.expect(DONE, self.run_tool("rewrite", "a.cu"))
        named = self.expect(DONE, self.run_tool("rewrite", "--dry-run", "a.cu"))
        self.assertEqual(plain.stdout, named.stdout)
        self.assertTrue(plain.stdout.startswith("--- a/a.cu\n+++ b/a.cu\n@@ "))
        self.assertEqual(self.snapshot(), before)

    def test_report_and_diff_come_apart(self):
        self.write("a.cu", moves())
        done = self.expect(DONE, self.run_tool("rewrite", "a.cu"))
        self.assertIn("[stripe, dynamic-index]", done.stderr)
        self.assertNotIn("dynamic-index", done.stdout)

    def test_says_that_the_diff_lacks_the_helper(self):
        hint = "the diff lacks bankstripe.cuh"
        self.write("a.cu", moves())
        self.assertIn(hint, self.run_tool("rewrite", "a.cu").stderr)
        for options in (["rewrite", "--embed-helper"], ["rewrite", "--quiet"], ["rewrite", "--check"], ["analyze"]):
            self.assertNotIn(hint, self.run_tool(*options, "a.cu").stderr)
        self.write("bankstripe.cuh", HELPER)
        self.assertNotIn(hint, self.run_tool("rewrite", "a.cu").stderr)

    def test_long_lines_are_cut_on_a_terminal(self):
        self.write("a.cu", moves().replace("int last", "  " + "; " * 200 + "int last"))
        text = self.errors_on_terminal("rewrite", "--no-confirm", "a.cu", COLUMNS="70")
        line = next(line for line in text.splitlines() if "int last[8]" in line)
        self.assertIn("...", line)
        self.assertLessEqual(len(re.sub("\x1b[^m]*m", "", line)), 72)
        self.assertIn("--quiet leaves it out", text)

    @unittest.skipUnless(shutil.which("patch"), "patch is not installed")
    def test_diff_applied_is_what_in_place_writes(self):
        for name, text in {"a.cu": moves("first"),
                           "sub/b.cu": moves("second").replace("\n", "\r\n"),
                           "c.cu": moves("third").rstrip("\n")}.items():
            self.write(name, text)
        diff = self.expect(DONE, self.run_tool("rewrite", ".")).stdout
        shutil.copytree(self.folder, self.folder.with_name(self.folder.name + "-patched"))
        patched = self.folder.with_name(self.folder.name + "-patched")
        self.addCleanup(shutil.rmtree, patched)
        subprocess.run(["patch", "-p1", "--binary", "--quiet"], cwd=patched,
                       input=diff.encode("latin-1"), check=True)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "."))
        for name in ("a.cu", "sub/b.cu", "c.cu"):
            self.assertEqual((patched / name).read_bytes(),
                             (self.folder / name).read_bytes())

    def test_diff_of_files_above_says_how_it_is_applied(self):
        self.write("a.cu", moves())
        self.write("deep/b.cu", moves("other"))
        before = self.read("a.cu")
        done = self.run_tool("rewrite", "--no-confirm", "../a.cu", "b.cu")
        self.assertNotIn("patch", done.stderr)
        done = subprocess.run([TOOL, "rewrite", "--no-confirm", "--whole-program", "../a.cu"], text=True, check=True,
                              cwd=self.folder / "deep", capture_output=True)
        self.assertIn("patch -p1 -d / applies it", done.stderr)
        subprocess.run(["patch", "-s", "-p1", "-d", "/"], input=done.stdout, text=True, check=True)
        self.assertNotEqual(self.read("a.cu"), before)

    def test_analyze_writes_nothing(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        done = self.expect(DONE, self.run_tool("analyze", "."))
        self.assertIn("1 per-thread array: 1 stripe", done.stdout)
        self.assertEqual(self.snapshot(), before)


class Check(ToolTest):
    def test_tells_of_changes(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertIn("+++ b/a.cu", done.stdout)
        self.assertEqual(self.snapshot(), before)

    def test_is_content_without_changes(self):
        self.write("a.cu", PLAIN)
        done = self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertEqual(done.stdout, "")


    def test_tells_of_launches_beyond_what_a_kernel_was_rewritten_for(self):
        self.write("a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu"))
        self.write("a.cu", self.read("a.cu") + "void more(int *out) { count<<<1, 256>>>(out, out); }\n")
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertRegex(done.stderr, r"a\.cu:13:23: warning: launch with 256 threads fails: the launch bounds of "
                         r"kernel 'count' allow 128 \[block-size-conflict\]\n +13 \|.*\n +\| {23}\^\n")
        self.assertEqual(done.stdout, "")
        self.assertIn("launch with 256 threads fails", self.expect(DONE, self.run_tool("analyze", "a.cu")).stdout)
        log = json.loads(self.run_tool("rewrite", "--check", "--format=sarif", "a.cu").stdout)
        self.assertEqual([r["ruleId"] for r in log["runs"][0]["results"]], ["block-size-conflict"])


class InPlace(ToolTest):
    def assert_helper(self, text):
        """It holds the parts of the helper for stripes, and no others."""
        self.assertIn("// bankstripe.cuh ", text)
        self.assertIn("column(Storage &&storage)", text)
        self.assertNotIn("Alignment>::grain) slots", text)

    def test_writes_the_file_and_its_helper(self):
        self.write("a.cu", moves()).chmod(0o640)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assert_rewritten("a.cu")
        self.assertIn('#include "bankstripe.cuh"', self.read("a.cu"))
        self.assert_helper(self.read("bankstripe.cuh"))
        self.assertEqual((self.folder / "a.cu").stat().st_mode & 0o777, 0o640)
        self.assertEqual(len(self.snapshot()), 2)

    def test_helper_keeps_the_parts_that_other_files_use(self):
        self.write("a.cu", moves("first"))
        self.write("b.cu", moves("second"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--layout=slot", "a.cu"))
        self.assertNotIn("column(Storage", self.read("bankstripe.cuh"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "b.cu"))
        self.assertIn("column(Storage", self.read("bankstripe.cuh"))
        self.assertIn("Alignment>::grain) slots", self.read("bankstripe.cuh"))

    def test_a_second_run_leaves_a_function_with_a_version(self):
        self.write("a.cu", "static __device__ int order(const int *in) {\n"
                   "  int a[16];\n  for (int i = 0; i < 16; ++i) a[i] = in[i];\n"
                   "  for (int i = 0; i < 99; ++i) a[in[i] & 15] += i;\n  return a[in[99] & 15];\n}\n"
                   "static __device__ int order(const int *in, float) {\n"
                   "  int b[16];\n  for (int i = 0; i < 16; ++i) b[i] = in[i];\n  return b[in[99] & 15];\n}\n"
                   "__global__ void k(const int *in, int *out) { *out = order(in); }\n"
                   "__global__ void __launch_bounds__(32) other(const int *in, int *out) { *out = order(in, 1.f); }\n"
                   "void run(const int *in, int *out) { k<<<100, 64>>>(in, out); }\n")
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu", "--", "-arch=sm_90", whole=False))
        self.assertIn("order_striped", self.read("a.cu"))
        done = self.run_tool("rewrite", "--check", "--format=json", "a.cu", "--", "-arch=sm_90", whole=False)
        self.assertEqual([(a["name"], a["reason"]) for a in json.loads(done.stdout)["arrays"]],
                         [("a", "has-version")], done.stdout)

    def test_version_of_a_function_that_was_changed_since_is_named(self):
        kernel = moves().replace("int *out) {", "T *out) {", 1).replace("__global__", "template <class T> __global__", 1)
        called = ("static __device__ int order(const int *in) {\n  int a[16];\n"
                  "  for (int i = 0; i < 99; ++i) a[in[i] & 15] += i;\n  return a[in[99] & 15];\n}\n"
                  "__global__ void k(const int *in, int *out) {\n  *out = order(in);\n}\n"
                  "void runOrder(const int *in, int *out) { k<<<100, 64>>>(in, out); }\n")
        # The version of a template stands before it.
        for text, array, find in ((moves(), "last", str.index), (kernel, "last", str.rindex), (called, "a", str.index)):
            self.write("a.cu", text)
            self.expect(DONE, self.run_tool("rewrite", "--in-place", "--versions", "--min-speedup=0", "a.cu",
                                            whole=False))
            made = self.read("a.cu")
            self.assertIn("// The same as text ", made)
            self.write("a.cu", made.replace(" += ", "  +=\n"))  # White space is no change.
            self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu", whole=False))
            at = find(made, " += ")
            self.write("a.cu", made[:at] + " += 1 + " + made[at + 4:])
            done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "a.cu", whole=False))
            self.assertRegex(done.stderr, rf"warning: per-thread array '{array}'.*version-outdated")
        # Without the version of the function, and without the kernel's and its row, as a note says.
        removed = re.sub(r"(?s)// The same as text .*?\n}\n(static ::bankstripe::\S+ \w+\(.*?\);\n)?", "", self.read("a.cu"))
        self.write("a.cu", removed)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--versions", "--min-speedup=0", "a.cu", whole=False))
        self.assertIn("order_striped", self.read("a.cu"))
        self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu", whole=False))

    def test_a_second_run_leaves_what_a_split_left(self):
        self.write("a.cu", moves())
        self.write(".bankstripe.yaml", "version: 1\narrays:\n  - {file: a.cu, function: count, array: last, "
                   "decision: split, first: 4}\n")
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertIn("_rest[", self.read("a.cu"))
        done = self.expect(DONE, self.run_tool("rewrite", "--check", "a.cu"))
        self.assertEqual(done.stdout, "")

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_an_embedded_helper_gives_no_warnings(self):
        for launch in ("out) { count<<<1, 128", "out, int n) { count<<<1, n"):
            self.write("a.cu", moves().replace("out) { count<<<1, 128", launch))
            self.expect(DONE, self.run_tool("rewrite", "--embed-helper", "--output-dir=out", "a.cu"))
            done = subprocess.run([NVCC, "-arch=sm_90", "-Werror", "all-warnings", "-c", "out/a.cu", "-o", "a.o"],
                                  cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_names_each_file_that_it_writes_and_headers_first(self):
        self.write("a.cu", '#include "kernel.cuh"\n' + moves("own"))
        self.write("kernel.cuh", "#pragma once\n" + moves("shared"))
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "."))
        self.assertIn("bankstripe: kernel.cuh: a header that other files may include; 1 array moved\n"
                      "bankstripe: a.cu: 1 array moved\n"
                      "bankstripe: bankstripe.cuh: written\n"
                      "bankstripe: to undo: bankstripe undo PATH; ", done.stderr)
        self.assertNotIn("written", self.run_tool("rewrite", "--in-place", ".").stderr)

    def test_other_file_of_the_name_of_the_helper_stays(self):
        for name, options in (("bankstripe.cuh", []), ("bankstripe_choose.cuh", ["--choose"])):
            with self.subTest(name):
                self.write("a.cu", moves())
                self.write(name, "#pragma once\n// My own stripes.\n")
                before = self.snapshot()
                done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", *options, "a.cu"))
                self.assertIn(f"cannot write '{name}': there is another file of that name", done.stderr)
                self.assertEqual(self.snapshot(), before)
                (self.folder / name).unlink()

    def test_helper_of_another_version_is_replaced(self):
        self.write("a.cu", moves())
        self.write("bankstripe.cuh", HELPER + "// An older one.\n")
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assert_helper(self.read("bankstripe.cuh").replace("Alignment>::grain) slots", ""))
        self.assertNotIn("An older one", self.read("bankstripe.cuh"))

    def test_whole_helper_stays(self):
        self.write("a.cu", moves())
        self.write("bankstripe.cuh", HELPER)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertEqual(self.read("bankstripe.cuh"), HELPER)

    def test_launches_that_choose_have_a_helper_too(self):
        self.write("a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--choose", "a.cu"))
        self.assertIn('#include "bankstripe_choose.cuh"', self.read("a.cu"))
        self.assertEqual(sorted(self.snapshot()), ["a.cu", "bankstripe.cuh", "bankstripe_choose.cuh", "bankstripe_launch.cuh"])

    def test_helper_stands_beside_each_changed_file(self):
        self.write("one/a.cu", moves("first"))
        self.write("two/b.cu", moves("second"))
        self.write("three/c.cu", PLAIN)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "."))
        helpers = [name for name in self.snapshot() if name.endswith("bankstripe.cuh")]
        self.assertEqual(helpers, ["one/bankstripe.cuh", "two/bankstripe.cuh"])

    def test_embedded_helper_needs_no_file(self):
        self.write("a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--embed-helper", "a.cu"))
        self.assert_rewritten("a.cu")
        self.assert_helper(self.read("a.cu"))
        self.assertEqual(list(self.snapshot()), ["a.cu"])

    def test_working_in_a_folder_reached_through_a_link(self):
        self.write("real/a.cu", moves())
        (self.folder / "link").symlink_to("real")
        real, self.folder = self.folder, self.folder / "link"
        done = self.expect(DONE, self.run_tool(
            "rewrite", "a.cu", env={**os.environ, "PWD": str(self.folder)}))
        self.folder = real
        self.assertIn("+++ b/a.cu", done.stdout)
        self.assertIn("a.cu:3:7: remark: ", done.stderr)


class SeveralRuns(ToolTest):
    def test_write_into_a_folder_one_after_the_other(self):
        self.write("slots/a.cu", moves("a"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "--layout=slot", "slots/a.cu"))
        slots = self.read("slots/bankstripe.cuh")
        for folder, source, mode in (("src", "src/b.cu", "--in-place"), ("out", "other/b.cu", "--output-dir=out")):
            with self.subTest(mode):
                self.write(source, moves("b"))
                (self.folder / folder).mkdir(exist_ok=True)
                lock = os.open(self.folder / folder, os.O_RDONLY)
                fcntl.flock(lock, fcntl.LOCK_EX)
                with subprocess.Popen([TOOL, "rewrite", "--no-confirm", "--whole-program", "--quiet", mode, source],
                                      cwd=self.folder, stderr=subprocess.PIPE, text=True) as run:
                    self.assertEqual(run.stderr.readline(), "bankstripe: waiting for another run, which writes into "
                                                            f"'{(self.folder / folder).resolve()}'\n")
                    # What the other one writes is not lost.
                    self.write(f"{folder}/bankstripe.cuh", slots)
                    os.close(lock)
                    self.assertEqual(run.wait(timeout=60), DONE)
                helper = self.read(f"{folder}/bankstripe.cuh")
                self.assertIn("Alignment>::grain) slots", helper)
                self.assertIn("column(Storage", helper)


class Again(ToolTest):
    """Rewriting a rewritten file changes nothing."""

    def check_twice(self, *options):
        self.write("a.cu", moves("first"))
        self.write("b.cu", moves("second").replace("\n", "\r\n"))
        self.write("chars.cu", moves("third").replace("int last[8]", "char last[8]"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", *options, "."))
        once = self.snapshot()
        for name in ("a.cu", "b.cu", "chars.cu"):
            self.assert_rewritten(name)
        self.expect(DONE, self.run_tool("rewrite", "--check", *options, "."))
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", *options, "."))
        self.assertIn("0 per-thread arrays", done.stderr)
        self.assertEqual(self.snapshot(), once)

    def test_with_the_helper_in_a_file(self):
        self.check_twice()

    def test_with_the_helper_embedded(self):
        self.check_twice("--embed-helper")


class OutputFolder(ToolTest):
    def test_keeps_the_tree(self):
        self.write("src/a.cu", moves("first"))
        self.write("src/deep/b.cu", moves("second"))
        self.write("src/deep/plain.cu", PLAIN)
        before = self.snapshot()
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out/striped", "src"))
        after = self.snapshot()
        self.assertEqual({n: after[n] for n in before}, before)
        self.assertEqual(
            sorted(n for n in after if n.startswith("out/striped/") and "." in n),
            ["out/striped/a.cu", "out/striped/bankstripe.cuh", "out/striped/deep/b.cu",
             "out/striped/deep/plain.cu"])
        self.assert_rewritten("out/striped/a.cu")
        self.assert_rewritten("out/striped/deep/b.cu")
        self.assertIn('#include "../bankstripe.cuh"', self.read("out/striped/deep/b.cu"))
        self.assertEqual(self.read("out/striped/deep/plain.cu"), PLAIN)

    def test_other_file_of_the_name_of_the_helper_stays(self):
        own = "#pragma once\n// My own stripes.\n"
        for name, options in (("bankstripe.cuh", []), ("bankstripe_choose.cuh", ["--choose"])):
            for place in (f"out/{name}", f"src/{name}"):
                with self.subTest(place):
                    # As a source that reads it, so that it would be copied.
                    include = f'#include "{name}"\n' if place.startswith("src") else ""
                    self.write("src/a.cu", include + moves())
                    self.write(place, own)
                    before = self.snapshot()
                    done = self.expect(SOME_FAILED, self.run_tool(
                        "rewrite", "--output-dir=out", *options, "src"))
                    self.assertIn(f"cannot write '{place}': there is another file of that name",
                                  done.stderr)
                    after = self.snapshot()
                    self.assertEqual({n: after[n] for n in before}, before)
                    self.assertNotIn("out/a.cu", after)
                    (self.folder / place).unlink()

    def test_what_needs_no_helper_is_copied_beside_another_one(self):
        self.write("src/a.cu", moves())
        self.write("out/bankstripe.cuh", "#pragma once\n// My own stripes.\n")
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "--embed-helper", "src"))
        self.assert_rewritten("out/a.cu")
        self.assertIn("My own", self.read("out/bankstripe.cuh"))

    def test_has_one_helper_for_all_launches_that_choose(self):
        self.write("src/a.cu", moves("first"))
        self.write("src/deep/b.cu", moves("second"))
        self.expect(DONE, self.run_tool("rewrite", "--choose", "--output-dir=out", "src"))
        self.assertIn('#include "bankstripe_choose.cuh"', self.read("out/a.cu"))
        self.assertIn('#include "../bankstripe_choose.cuh"', self.read("out/deep/b.cu"))
        self.assertIn("struct comparison", self.read("out/bankstripe_choose.cuh"))

    def test_takes_files_to_its_top(self):
        self.write("src/deep/a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src/deep/a.cu"))
        self.assert_rewritten("out/a.cu")

    def test_keeps_the_tree_of_a_folder_reached_through_a_link(self):
        self.write("real/deep/a.cu", moves())
        (self.folder / "link").symlink_to("real")
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "link"))
        self.assert_rewritten("out/deep/a.cu")

    def test_keeps_what_several_paths_have_in_common(self):
        self.write("src/a.cu", '#include "../lib/kernel.cuh"\n')
        self.write("lib/kernel.cuh", moves())
        self.write("lib/a.cu", PLAIN)
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src", "lib"))
        self.assert_rewritten("out/lib/kernel.cuh")
        self.assertEqual(self.read("out/lib/a.cu"), PLAIN)
        self.assertIn("kernel.cuh", self.read("out/src/a.cu"))

    def test_works_a_second_time(self):
        self.write("src/a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "."))
        once = self.snapshot()
        old = (1, 1)
        os.utime(self.folder / "out/src/a.cu", old)
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "."))
        self.assertEqual(self.snapshot(), once)
        # make does not build it again.
        self.assertEqual((self.folder / "out/src/a.cu").stat().st_mtime, old[0])

    def test_can_be_rewritten(self):
        self.write("src/deep/a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src"))
        once = self.snapshot()
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "out"))
        self.assertEqual(self.snapshot(), once)

    def test_is_not_that_of_the_sources(self):
        self.write("src/a.cu", moves())
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--output-dir=src", "src"))
        self.assertIn("src/a.cu' would be its own copy", done.stderr)
        self.assertEqual(self.snapshot()["src/a.cu"], before["src/a.cu"])

    def test_links_in_it_lead_nowhere(self):
        self.write("src/a.cu", moves("first"))
        self.write("src/deep/b.cu", moves("second"))
        before = self.snapshot()
        (self.folder / "out").mkdir()
        (self.folder / "out/a.cu").symlink_to("../src/a.cu")
        (self.folder / "out/deep").symlink_to("../src/deep")
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--output-dir=out", "src"))
        self.assertIn("out/deep' leads out of", done.stderr)
        self.assert_rewritten("out/a.cu")
        after = self.snapshot()
        self.assertEqual({n: after[n] for n in before}, before)

    def test_has_the_changed_headers(self):
        self.write("src/kernel.cuh", moves())
        self.write("src/a.cu", '#include "kernel.cuh"\n')
        before = self.snapshot()
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src"))
        after = self.snapshot()
        self.assertEqual({n: after[n] for n in before}, before)
        self.assert_rewritten("out/kernel.cuh")
        self.assertEqual(self.read("out/a.cu"), '#include "kernel.cuh"\n')

    def test_has_headers_under_the_names_of_links(self):
        self.write("real/kernel.cuh", moves())
        (self.folder / "inc").symlink_to("real")
        self.write("src/a.cu", "#include <kernel.cuh>\n")
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", ".", "--", "-Iinc"))
        self.assert_rewritten("out/inc/kernel.cuh")

    def test_says_what_would_find_the_original(self):
        self.write("lib/kernel.cuh", moves())
        self.write("between.h", '#include "within.h"\n')
        self.write("within.h", '#include "lib/kernel.cuh"\n')
        self.write("lib/a.cu", '#include "../between.h"\n')
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--output-dir=out", "lib"))
        self.assertRegex(done.stderr, "with the original of '[^']*/lib/kernel.cuh', which "
                                      "'[^']*/within.h' includes; give '[^']*/within.h' as well")
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "lib", "between.h"))
        self.assert_rewritten("out/lib/kernel.cuh")
        self.assertIn("kernel.cuh", self.read("out/within.h"))

    # `#pragma once` knows no file and its copy for one.
    def test_says_which_folder_has_to_be_given_for_a_second_spelling_of_a_header(self):
        common = "#pragma once\n__device__ inline int one() { return 1; }\n"
        self.write("src/gpu/extra.cuh", '#include "gpu/common.cuh"\n')
        self.write("src/gpu/op.cu", '#include "common.cuh"\n#include "gpu/extra.cuh"\n' + moves())
        words = ("rewrite", "--output-dir=out", "src/gpu/op.cu")
        for guarded, code in ((common, SOME_FAILED), (common.replace("#pragma once", "#ifndef C\n#define C")
                                                      + "#endif\n", DONE)):
            self.write("src/gpu/common.cuh", guarded)
            done = self.expect(code, self.run_tool(*words, "--", "-Isrc"))
            self.assertEqual(bool(re.search("original of '[^']*/src/gpu/common.cuh', which '[^']*/src/gpu/extra.cuh' "
                                            "includes; give '[^']*/src' as well\n", done.stderr)), code == SOME_FAILED)
        self.write("src/gpu/common.cuh", common)
        self.expect(DONE, self.run_tool(*words, "src", "--", "-Isrc"))

    def test_says_so_of_a_header_that_changes_and_is_found_in_a_folder(self):
        self.write("src/gpu/kernel.cuh", "#ifndef K\n#define K\n" + moves() + "#endif\n")
        self.write("src/gpu/op.cu", '#include <gpu/kernel.cuh>\n')
        words = ("rewrite", "--output-dir=out", "src/gpu/op.cu", "src/gpu/kernel.cuh", "--", "-Isrc")
        self.assertRegex(self.expect(SOME_FAILED, self.run_tool(*words)).stderr, "give '[^']*/src' as well\n")

    def test_may_include_originals_where_these_do_not_change(self):
        self.write("src/gpu/common.cuh", "#pragma once\n")
        self.write("src/gpu/op.cu", '#include "gpu/common.cuh"\n' + moves())
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src/gpu/op.cu", "--", "-Isrc"))


@unittest.skipUnless(NVCC, "nvcc is not there")
class BuildOfCopies(ToolTest):
    """A header that stays as it is stands between a source and one that changes."""

    def setUp(self):
        super().setUp()
        self.write("base/bins.h", "#pragma once\n#define BINS 8\n")
        self.write("kernels/count.cuh",
                   "#pragma once\n#include <bins.h>\n" + moves().replace("[8]", "[BINS]"))
        self.write("api/launch.h", '#pragma once\n#include "../kernels/count.cuh"\n')
        self.write("src/main.cu", '#include "launch.h"\n')

    def build(self, *options):
        """The bytes of shared memory, and the user's files that were compiled."""
        command = [NVCC, "-arch=sm_90", *options, "out/src/main.cu"]
        made = subprocess.run([*command, "-cubin", "-o", "main.cubin", "-Xptxas=-v"],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        read = subprocess.run([*command, "-M"], cwd=self.folder, capture_output=True, text=True,
                              check=True)
        files = {pathlib.Path(self.folder, name).resolve() for name in read.stdout.split()}
        return (int((re.search(r"(\d+) bytes smem", made.stderr) or [0, 0])[1]),
                sorted(str(file.relative_to(self.folder)) for file in files
                       if file.is_relative_to(self.folder) and file.is_file()))

    def check(self, *given):
        before = self.snapshot()
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", *given,
                                        "--", "-Iapi", "-Ibase", "-arch=sm_90"))
        after = self.snapshot()
        self.assertEqual({n: after[n] for n in before}, before)
        self.assertEqual([n for n in after if n.endswith(".cuh")],
                         ["kernels/count.cuh", "out/bankstripe.cuh", "out/kernels/count.cuh"])
        files = [f"out/{name}" for name in ("api/launch.h", "bankstripe.cuh", "base/bins.h",
                                            "kernels/count.cuh", "src/main.cu")]
        self.assertEqual(self.build("-Iout/api", "-Iout/base"), (128 * 8 * 4, files))
        self.assertEqual(self.build("-Iout/api", "-Iout/base", "-Iapi", "-Ibase"),
                         (128 * 8 * 4, files))

    def test_finds_rewritten_headers(self):
        self.check(".")

    def test_finds_them_where_what_includes_them_is_not_given(self):
        self.check("src", "kernels/count.cuh")


class OtherFiles(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("lib/kernel.cuh", "#pragma once\n" + moves("fromLibrary"))
        self.write("lib/unrelated.cu", moves("unrelated"))
        self.write("src/a.cu", '#include "../lib/kernel.cuh"\n' + moves("own"))
        self.write("src/data.bin", b"\0\1\2")

    def library(self):
        return {n: v for n, v in self.snapshot().items() if n.startswith("lib")}

    def test_files_outside_the_paths_are_never_touched(self):
        before = self.library()
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "src"))
        self.assertEqual(self.library(), before)
        self.assertIn("[unchanged, outside-paths]", done.stderr)
        self.assert_rewritten("src/a.cu")

    def test_nor_with_an_output_folder(self):
        before = self.snapshot()
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "src"))
        after = self.snapshot()
        self.assertEqual({n: after[n] for n in before}, before)
        self.assertEqual(sorted(n for n in after if n not in before),
                         ["out", "out/a.cu", "out/bankstripe.cuh"])

    def test_header_changes_when_it_is_given(self):
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "src", "lib/kernel.cuh"))
        self.assert_rewritten("lib/kernel.cuh")
        self.assertEqual(self.read("lib/unrelated.cu"), moves("unrelated"))


if __name__ == "__main__":
    unittest.main()
