"""What `rewrite --in-place` refuses to replace, and what `undo` takes back.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import shutil
import subprocess
import unittest
import unittest.mock

from support import DONE, SOME_FAILED, USAGE, ToolTest, moves


class UndoTest(ToolTest):
    def rewrite(self, *args, code=DONE):
        return self.expect(code, self.run_tool("rewrite", "--in-place", *args))

    def undo(self, *paths, code=DONE):
        return self.expect(code, self.run_tool("undo", *paths)).stderr


class Undo(UndoTest):
    def test_restores_what_a_run_wrote(self):
        self.write("src/a.cu", moves("a").replace("A kernel.", "CR\r")).chmod(0o640)
        self.write("src/kernel.cuh", "#pragma once\n" + moves("shared"))
        self.write("src/sub/b.cu", '#include "../kernel.cuh"\n' + moves("b"))
        before = self.snapshot()
        done = self.rewrite("src")
        self.assertIn(f"bankstripe: to undo: bankstripe undo PATH; what was replaced is kept in '{self.cache}/undo'\n",
                      done.stderr)
        self.assertNotEqual(self.snapshot(), before)
        said = self.undo("src")
        self.assertEqual(self.snapshot(), before)
        self.assertIn("bankstripe: src/a.cu: restored\nbankstripe: src/bankstripe.cuh: removed\n", said)
        self.assertIn("there is nothing to undo at 'src'", self.undo("src", code=SOME_FAILED))
        self.assertEqual([name for name in os.listdir(self.cache / "undo") if "-" in name], [])

    def test_names_behind_two_dashes_are_paths(self):
        self.write("-a.cu", moves())
        self.rewrite("./-a.cu")
        self.assertIn("bankstripe: -a.cu: restored\n", self.undo("--", "-a.cu"))
        self.assertEqual(self.read("-a.cu"), moves())
        self.assertIn("give at least one file", self.undo("--", code=USAGE))

    def test_each_time_one_run(self):
        self.write("a.cu", moves("a"))
        self.write("b.cu", moves("b"))
        states = [self.snapshot()]
        for args in (["a.cu"], ["--layout=slot", "b.cu"]):
            self.rewrite(*args)
            states.append(self.snapshot())
        for state in reversed(states[:-1]):
            self.undo(".")
            self.assertEqual(self.snapshot(), state)

    def test_helper_stays_while_another_file_needs_it(self):
        for name in "abc":
            self.write(f"{name}.cu", moves(name))
        before = self.snapshot()
        self.rewrite("a.cu", "b.cu")
        self.rewrite("c.cu")
        for name in "ac":
            self.undo(f"{name}.cu")
            self.assertEqual(self.read(f"{name}.cu"), moves(name))
            self.assertTrue((self.folder / "bankstripe.cuh").exists())
            self.assert_rewritten("b.cu")
        self.undo("b.cu")
        self.assertEqual(self.snapshot(), before)

    def test_helper_that_was_there_is_restored(self):
        self.write("a.cu", moves())
        self.write("bankstripe.cuh", "// bankstripe.cuh of old\n")
        before = self.snapshot()
        self.rewrite("a.cu")
        self.undo("a.cu", "a.cu", ".")
        self.assertEqual(self.snapshot(), before)

    def test_nothing_where_a_file_has_changed_since(self):
        self.write("a.cu", moves("a"))
        self.write("b.cu", moves("b"))
        self.rewrite(".")
        self.write("a.cu", self.read("a.cu") + "// A person's work.\n")
        before = self.snapshot()
        said = self.undo(".", code=SOME_FAILED)
        self.assertEqual(said, "bankstripe: nothing is undone, for 'a.cu' has changed since; "
                         "name the files to undo without it\n")
        self.assertEqual(self.snapshot(), before)
        self.undo("b.cu")
        self.assertEqual(self.read("b.cu"), moves("b"))
        self.assertEqual(self.read("a.cu"), before["a.cu"][1].decode())
        self.assertTrue((self.folder / "bankstripe.cuh").exists())

    def test_helper_that_has_changed_since_stays(self):
        self.write("a.cu", moves())
        self.rewrite("a.cu")
        mine = self.read("bankstripe.cuh") + "// Mine.\n"
        self.write("bankstripe.cuh", mine)
        self.assertIn("bankstripe.cuh: stays as it is\n", self.undo("a.cu"))
        self.assertEqual((self.read("a.cu"), self.read("bankstripe.cuh")), (moves(), mine))

    def test_file_that_was_restored_is_no_obstacle(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        self.rewrite("a.cu")
        self.write("a.cu", moves())
        self.assertIn("a.cu: stays as it is\n", self.undo("a.cu"))
        self.assertEqual(self.snapshot(), before)

    def test_what_is_read_only_stays_with_all_others(self):
        self.write("a.cu", moves("a"))
        self.write("b.cu", moves("b"))
        self.rewrite(".")
        (self.folder / "b.cu").chmod(0o444)
        before = self.snapshot()
        self.assertIn("b.cu': it is read-only", self.undo(".", code=SOME_FAILED))
        self.assertEqual(self.snapshot(), before)

    def test_the_last_run_is_kept_however_small_the_cache(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        with unittest.mock.patch.dict(os.environ, BANKSTRIPE_CACHE_SIZE="1"):
            self.rewrite("a.cu")
            self.undo("a.cu")
        self.assertEqual(self.snapshot(), before)

    def test_through_a_link(self):
        self.write("real/a.cu", moves())
        (self.folder / "link").mkdir()
        (self.folder / "link/a.cu").symlink_to("../real/a.cu")
        before = self.snapshot()
        self.rewrite("link/a.cu")
        self.undo("link/a.cu")
        self.assertEqual(self.snapshot(), before)

    def test_needs_a_path_that_was_rewritten(self):
        self.assertIn("give at least one file or folder", self.undo(code=USAGE))
        self.write("a.cu", moves())
        self.write("other/a.cu", moves())
        self.rewrite("a.cu")
        before = self.snapshot()
        for path in ("other", "none.cu"):
            self.assertIn(f"there is nothing to undo at '{path}'", self.undo("a.cu", path, code=SOME_FAILED))
        self.assertEqual(self.snapshot(), before)

    def test_nothing_is_kept_of_what_was_not_written(self):
        self.write("a.cu", moves()).chmod(0o444)
        self.rewrite("a.cu", code=SOME_FAILED)
        self.assertIn("there is nothing to undo", self.undo(".", code=SOME_FAILED))

    def test_what_is_damaged_is_not_written(self):
        self.write("a.cu", moves())
        self.rewrite("a.cu")
        [kept] = (self.cache / "undo").glob("*-0")
        kept.write_bytes(kept.read_bytes().replace(b"A kernel", b"B kernel"))
        before = self.snapshot()
        self.undo("a.cu", code=SOME_FAILED)
        self.assertEqual(self.snapshot(), before)

    def test_nothing_is_written_where_nothing_can_be_kept(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        with unittest.mock.patch.dict(os.environ, BANKSTRIPE_CACHE_DIR="/dev/null"):
            self.assertIn("cannot keep files for 'bankstripe undo': '/dev/null/undo': ",
                          self.rewrite("a.cu", code=SOME_FAILED).stderr)
            self.assertEqual(self.snapshot(), before)
            self.assertIn("to undo: there is no copy of what was replaced\n",
                          self.rewrite("--allow-dirty", "a.cu").stderr)
        self.assert_rewritten("a.cu")


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Uncommitted(UndoTest):
    def setUp(self):
        super().setUp()
        self.git("init", "-q")
        self.write(".gitignore", "build/\n")
        self.write("src/a.cu", moves("a"))
        self.write("src/[b] c.cu", moves("b"))
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words],
                       cwd=self.folder, check=True, capture_output=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-qm", "All")

    def sources(self):
        return {name: kept for name, kept in self.snapshot().items() if not name.startswith(".git/")}

    def refused(self, name, *args):
        before = self.sources()
        done = self.rewrite(*args, code=SOME_FAILED)
        self.assertIn(f"bankstripe: nothing was written, for '{name}' has changes that are not committed; "
                      "commit them, or give --allow-dirty\n", done.stderr)
        self.assertEqual(self.sources(), before)

    def test_committed_files_are_rewritten_and_restored(self):
        before = self.sources()
        self.rewrite("src")
        self.assert_rewritten("src/[b] c.cu")
        self.undo("src")
        self.assertEqual(self.sources(), before)

    def test_changed_file_is_refused(self):
        self.write("src/a.cu", moves("mine"))
        self.refused("src/a.cu", "src")
        self.git("add", "src/a.cu")  # Staged is not committed.
        self.refused("src/a.cu", "src")
        self.rewrite("src/[b] c.cu")
        self.rewrite("--allow-dirty", "src")
        self.undo("src")
        self.assertEqual(self.read("src/a.cu"), moves("mine"))

    def test_file_that_git_does_not_know_is_refused(self):
        self.write("new/d.cu", moves("d"))
        self.refused("new/d.cu", ".")

    def test_nothing_was_committed_yet(self):
        shutil.rmtree(self.folder / ".git")
        self.git("init", "-q")
        self.assertIn("'src/[b] c.cu' (and 1 other file) has changes that are not committed",
                      self.rewrite("src", code=SOME_FAILED).stderr)

    def test_what_does_not_change_may_be_uncommitted(self):
        self.write("src/plain.cu", "int x;\n")
        self.rewrite("src")

    def test_ignored_file_is_no_matter_of_git(self):
        self.write("build/d.cu", moves("d"))
        self.rewrite("build")
        self.assert_rewritten("build/d.cu")

    def test_line_ends_of_a_checkout_are_no_change(self):
        self.write("src/a.cu", moves("a").replace("\n", "\r\n"))
        self.rewrite("src/a.cu")

    def test_repository_with_longer_names(self):
        shutil.rmtree(self.folder / ".git")
        self.git("init", "-q", "--object-format=sha256")
        self.commit()
        self.write("src/[b] c.cu", moves("mine"))
        self.refused("src/[b] c.cu", "src")
        self.rewrite("src/a.cu")

    def test_program_of_the_project_on_the_path_is_not_run(self):
        self.write("git", "#!/bin/sh\ntouch '" + str(self.cache) + "/ran'\n").chmod(0o755)
        shutil.copy(self.folder / "git", self.folder / "src/git")
        with unittest.mock.patch.dict(os.environ, PATH=f".:{os.environ['PATH']}"):
            self.rewrite("src")
        self.assertFalse((self.cache / "ran").exists())

    def test_without_git_nothing_is_refused(self):
        self.write("src/a.cu", moves("mine"))
        with unittest.mock.patch.dict(os.environ, PATH=str(self.cache)):
            self.rewrite("src")
        self.assert_rewritten("src/a.cu")

    def test_no_program_of_a_repository_runs(self):
        trap = self.write("trap", "#!/bin/sh\ntouch '" + str(self.cache) + "/ran'\ncat\n")
        trap.chmod(0o755)
        for key in ("core.fsmonitor", "filter.trap.clean", "filter.trap.smudge", "diff.external", "core.pager",
                    "core.sshCommand", "alias.ls-tree"):
            self.git("config", key, str(trap))
        self.write(".git/info/attributes", "*.cu filter=trap diff=trap\n")
        for hook in ("post-index-change", "pre-auto-gc", "fsmonitor-watchman"):
            shutil.copy(trap, self.folder / ".git/hooks" / hook)
        self.write("src/a.cu", moves("mine"))
        self.write("src/new.cu", moves("new"))
        self.rewrite("src", code=SOME_FAILED)
        self.assertFalse((self.cache / "ran").exists())


if __name__ == "__main__":
    unittest.main()
