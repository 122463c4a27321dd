"""Changes that clang-apply-replacements makes: the same as --in-place, byte for
byte.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import shutil
import subprocess
import unittest

from support import BROKEN, CHANGES, DONE, PLAIN, SOME_FAILED, USAGE, ToolTest, moves

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "test_inputs"
APPLY = shutil.which("clang-apply-replacements-22")

# With an array that moves into dynamic shared memory.
KERNEL = moves().split("void launch")[0]
LAUNCH = ('#include "k.cuh"\n'
          "void run(int *data, int n) { count<<<1, n>>>(data, data); }\n")


class ExportTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "fixes").mkdir()
        (self.folder / "src").mkdir()

    def export(self, *args, code=DONE):
        return self.expect(code, self.run_tool(
            "rewrite", "--export-fixes=fixes/all.yaml", *args, "src"))


@unittest.skipUnless(APPLY, "clang-apply-replacements-22 is not installed")
class Applied(ExportTest):
    def apply(self):
        # Into another folder, since the names are absolute.
        subprocess.run([APPLY, self.folder / "fixes"], cwd="/", check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def sources(self):
        return {path.relative_to(self.folder): path.read_bytes()
                for path in (self.folder / "src").rglob("*")
                if path.is_file() and path.name != "bankstripe.cuh"}

    def check(self, *args):
        """Applies the fixes, and does the same in place."""
        before = self.sources()
        self.export("--min-speedup=0", *args)
        self.assertEqual(self.sources(), before)
        self.apply()
        applied = self.sources()
        for name, data in before.items():
            self.write(name, data)
        self.expect(DONE, self.run_tool("rewrite", "--min-speedup=0", "--in-place",
                                        *args, "src"))
        self.assertEqual(applied, self.sources())
        self.assertNotEqual(applied, before)

    def copy(self, *names):
        for name in names:
            source, target = INPUTS / name, self.folder / "src" / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)

    def test_headers(self):
        self.copy("headers")
        self.check()

    def test_launches_in_other_files(self):
        self.write("src/k.cuh", KERNEL)
        self.write("src/a.cu", LAUNCH)
        self.write("src/b.cu", LAUNCH.replace("run", "runToo"))
        self.check()
        self.assertIn(", count_shared_bytes(", self.read("src/a.cu"))
        self.assertIn(", count_shared_bytes(", self.read("src/b.cu"))

    def test_all_kinds_of_edits(self):
        self.copy("callees.cu", "initializers.cu", "launch_forms.cu", "macros.cu",
                  "objects.cu", "tables.cu")
        self.check()

    def test_bytes_around_the_changes(self):
        self.copy("crlf.cu", "latin1.cu")
        self.write("src/mark.cu", b"\xef\xbb\xbf" + moves().encode())
        self.write("src/end.cu", moves("end").rstrip("\n"))
        self.check()

    def test_embedded_helper_leaves_nothing_to_do(self):
        self.copy("crlf.cu", "permutation.cu")
        self.check("--embed-helper")
        self.assertEqual(os.listdir(self.folder / "fixes"), ["all.yaml"])
        self.assertFalse((self.folder / "src" / "bankstripe.cuh").exists())

class Exported(ExportTest):
    def test_helper_lies_beside_the_fixes(self):
        self.write("src/a.cu", moves())
        self.write("src/sub/b.cu", moves("second"))
        done = self.export()
        self.assertIn("the files that 'fixes/all.yaml' changes include bankstripe.cuh, "
                      "which now lies beside that file; copy it to src, src/sub, or "
                      "compile with -I, or give --embed-helper\n", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder / "fixes")),
                         ["all.yaml", "bankstripe.cuh"])
        self.assertFalse((self.folder / "src" / "bankstripe.cuh").exists())

    def test_no_helper_where_none_is_included(self):
        shutil.copy(INPUTS / "tables.cu", self.folder / "src")
        # Tables alone: nothing else is worth it.
        done = self.export("--min-speedup=1000")
        self.assertIn("static", self.read("fixes/all.yaml"))
        self.assertNotIn("bankstripe.cuh", done.stderr)
        self.assertEqual(os.listdir(self.folder / "fixes"), ["all.yaml"])

    def test_nothing_to_change_replaces_old_fixes(self):
        self.write("fixes/all.yaml", "old\n")
        self.write("src/a.cu", PLAIN)
        self.export()
        self.assertIn("Replacements:    []", self.read("fixes/all.yaml"))

    def test_goes_together_with_check(self):
        self.write("src/a.cu", moves())
        self.export("--check", code=CHANGES)
        self.assertIn("::bankstripe::at(", self.read("fixes/all.yaml"))

    def test_goes_together_with_an_output_folder(self):
        self.write("src/a.cu", moves())
        self.export("--output-dir=out")
        self.assert_rewritten("out/a.cu")
        self.assertIn(str(self.folder / "src" / "a.cu"), self.read("fixes/all.yaml"))

    def test_other_files_are_exported_after_a_failure(self):
        self.write("src/a.cu", moves())
        self.write("src/b.cu", BROKEN)
        self.export(code=SOME_FAILED)
        self.assertIn("::bankstripe::at(", self.read("fixes/all.yaml"))

    def test_text_that_cannot_be_written_leaves_the_old_file(self):
        self.write("fixes/all.yaml", "old\n")
        # The list is repeated behind the declaration.
        self.write("src/a.cu", moves().encode().replace(b"{0}", b"{1, 2 /* \xe9 */}"))
        done = self.export(code=SOME_FAILED)
        self.assertIn("is not UTF-8; use --in-place", done.stderr)
        self.assertEqual(self.read("fixes/all.yaml"), "old\n")

    def test_folder_that_is_not_there(self):
        self.write("src/a.cu", moves())
        done = self.expect(SOME_FAILED, self.run_tool(
            "rewrite", "--export-fixes=gone/all.yaml", "src"))
        self.assertIn("cannot write 'gone/bankstripe.cuh'", done.stderr)

    def test_not_with_in_place(self):
        self.write("src/a.cu", moves())
        done = self.export("--in-place", code=USAGE)
        self.assertIn("choose one of --in-place and --export-fixes", done.stderr)

    def test_needs_a_file(self):
        self.write("src/a.cu", moves())
        done = self.expect(USAGE, self.run_tool("rewrite", "--export-fixes=", "src"))
        self.assertIn("--export-fixes needs a file", done.stderr)


if __name__ == "__main__":
    unittest.main()
