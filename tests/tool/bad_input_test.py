"""Input that cannot be processed: a clear message, the right exit code, and
nothing lost.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import unittest

from support import BROKEN, DONE, PLAIN, SOME_FAILED, TOOL, ToolTest, moves


class BadSource(ToolTest):
    def test_nothing_is_written_beside_a_syntax_error(self):
        self.write("a.cu", BROKEN)
        self.write("b.cu", moves())
        before = self.snapshot()
        for mode in ("--in-place", "--output-dir=out"):
            done = self.expect(SOME_FAILED, self.run_tool("rewrite", mode, "."))
            self.assertIn("a.cu:1:", done.stderr)
            self.assertIn("error: expected expression", done.stderr)
            self.assertIn("Clang could not parse", done.stderr)
            self.assertIn("bankstripe: nothing was written, for some file could not be processed; "
                          "--keep-going writes the others\n", done.stderr)
            self.assertEqual(self.snapshot(), before)

    def test_syntax_error_does_not_stop_the_others_if_asked_to_keep_going(self):
        self.write("a.cu", BROKEN)
        self.write("b.cu", moves())
        for mode, folder in (("--output-dir=out", "out/"), ("--in-place", "")):
            done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--keep-going", mode, "."))
            self.assertNotIn("nothing was written", done.stderr)
            self.assertEqual(self.read(f"{folder}a.cu"), BROKEN)
            self.assert_rewritten(f"{folder}b.cu")

    def test_nothing_is_written_beside_a_path_that_is_not_there(self):
        self.write("b.cu", moves())
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", "b.cu", "none.cu"))
        self.assertIn("nothing was written", done.stderr)
        self.assertEqual(self.snapshot(), before)
        self.expect(SOME_FAILED, self.run_tool("rewrite", "--keep-going", "--in-place", "b.cu", "none.cu"))
        self.assert_rewritten("b.cu")

    def test_syntax_error_is_reported_even_when_quiet(self):
        self.write("a.cu", BROKEN)
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "--quiet", "a.cu"))
        self.assertIn("error: expected expression", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_missing_include(self):
        text = '#include "not_there.h"\n' + moves()
        self.write("a.cu", text)
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertIn("not_there.h", done.stderr)
        self.assertIn("give the folder that holds 'not_there.h' with -- -IDIR, or the build's commands with "
                      "-p BUILD_DIR (from cmake ", done.stderr)
        self.assertEqual(self.read("a.cu"), text)

    def test_hip(self):
        self.write("a.cu", "#include <hip/hip_runtime.h>\n" + moves())
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "a.cu"))
        self.assertIn("it is HIP, and bankstripe reads CUDA alone\n", done.stderr)
        self.assertNotIn("-IDIR", done.stderr)

    def test_missing_library(self):
        self.write("a.cu", "#include <cnowhere>\n" + moves())
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "a.cu"))
        self.assertIn("in the package g++", done.stderr)

    def test_files_that_could_not_be_processed_are_counted_last(self):
        self.write("a.cu", BROKEN)
        self.write("b.cu", moves())
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "."))
        self.assertTrue(done.stderr.endswith("bankstripe: 1 of 2 files could not be processed\n"))
        together = subprocess.run([TOOL, "analyze", "."], cwd=self.folder, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        self.assertTrue(together.endswith("bankstripe: 1 of 2 files could not be processed\n"), together)

    def test_empty_file(self):
        self.write("a.cu", "")
        done = self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertIn("0 per-thread arrays", done.stderr)
        self.assertEqual(self.read("a.cu"), "")
        self.assertEqual(os.listdir(self.folder), ["a.cu"])

    def test_binary_file_with_nul_bytes(self):
        data = bytes(range(256)) * 8
        self.write("a.cu", data)
        self.write("b.cu", moves())
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--keep-going", "--in-place", "."))
        self.assertIn("is not a source file: it holds NUL bytes", done.stderr)
        self.assertEqual((self.folder / "a.cu").read_bytes(), data)
        self.assert_rewritten("b.cu")

    def test_bytes_that_are_no_utf8_are_kept(self):
        text = moves().encode().replace(b"A kernel.", b"Un noyau g\xe9n\xe9ral \xff\xfe.")
        self.write("a.cu", text)
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assert_rewritten("a.cu")
        self.assertIn(b"// Un noyau g\xe9n\xe9ral \xff\xfe.\n",
                      (self.folder / "a.cu").read_bytes())

    def test_carriage_returns_are_kept(self):
        self.write("a.cu", moves().replace("\n", "\r\n"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assert_rewritten("a.cu")
        text = self.read("a.cu")
        self.assertEqual(text.count("\n"), text.count("\r\n"))

    def test_no_newline_at_the_end(self):
        self.write("a.cu", moves().rstrip("\n"))
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assert_rewritten("a.cu")
        self.assertTrue(self.read("a.cu").endswith("(in, out); }"))


class BadPath(ToolTest):
    def test_no_such_file(self):
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "none.cu"))
        self.assertIn("no such file or folder: 'none.cu'", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_folder_named_as_a_source(self):
        self.write("dir.cu/a.cu", moves())
        self.expect(DONE, self.run_tool("rewrite", "--in-place", "."))
        self.assert_rewritten("dir.cu/a.cu")

    def test_no_such_toolkit(self):
        self.write("a.cu", moves())
        done = self.expect(SOME_FAILED, self.run_tool("analyze", "--cuda-path=none", "a.cu"))
        self.assertIn("'none' holds no CUDA toolkit", done.stderr)


class BadDatabase(ToolTest):
    def failure(self, content):
        self.write("a.cu", moves())
        if content is not None:
            self.write("build/compile_commands.json", content)
        before = self.snapshot()
        done = self.expect(
            SOME_FAILED, self.run_tool("rewrite", "--in-place", "-p", "build", "."))
        self.assertEqual(self.snapshot(), before)
        self.assertIn("cannot use 'build", done.stderr)
        self.assertIn("CMAKE_EXPORT_COMPILE_COMMANDS", done.stderr)

    def test_not_json(self):
        self.failure("this is not JSON")

    def test_missing(self):
        self.failure(None)


class BadOutput(ToolTest):
    def test_nothing_is_written_if_one_file_is_read_only(self):
        self.write("a.cu", moves("first")).chmod(0o444)
        self.write("b.cu", moves("second"))
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", "."))
        self.assertIn("a.cu': it is read-only; make it writable or use --output-dir",
                      done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_read_only_file_can_be_written_elsewhere(self):
        self.write("a.cu", moves()).chmod(0o444)
        self.expect(DONE, self.run_tool("rewrite", "--output-dir=out", "a.cu"))
        self.assert_rewritten("out/a.cu")
        self.assertEqual(self.read("a.cu"), moves())

    def test_file_without_its_helper_is_not_written(self):
        self.write("a.cu", moves())
        self.write("bankstripe.cuh", "// bankstripe.cuh of old\n").chmod(0o444)
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertIn("bankstripe.cuh': it is read-only", done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_folder_that_cannot_be_made(self):
        self.write("a.cu", moves())
        self.write("file", "in the way\n")
        before = self.snapshot()
        done = self.expect(
            SOME_FAILED, self.run_tool("rewrite", "--output-dir=file/out", "a.cu"))
        self.assertIn("cannot make folder", done.stderr)
        self.assertIn("file/out", done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_file_in_the_place_of_the_output_folder(self):
        self.write("a.cu", PLAIN)
        self.write("out", "in the way\n")
        before = self.snapshot()
        self.expect(SOME_FAILED, self.run_tool("rewrite", "--output-dir=out", "a.cu"))
        self.assertEqual(self.snapshot(), before)


if __name__ == "__main__":
    unittest.main()
