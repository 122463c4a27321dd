"""Many files, by several processes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from support import BROKEN, DONE, SOME_FAILED, TOOL, ToolTest, moves


class ParallelTest(ToolTest):
    def write_files(self, **others):
        for number in range(3):
            self.write(f"src/m{number}.cu", moves(f"kernel{number}"))
        for name, text in others.items():
            self.write(f"src/{name}.cu", text)

    def rewrite(self, *options, code=SOME_FAILED):
        done = self.expect(code, self.run_tool("rewrite", "--no-cache", *options, "src"))
        # The three that can be read are as ever.
        self.assertEqual(done.stdout.count("+++ b/src/m"), 3)
        return done


class Results(ParallelTest):
    def test_are_the_same_for_any_number(self):
        self.write_files(a=BROKEN, z=BROKEN.replace("broken", "late"))
        runs = [self.rewrite(f"-j{jobs}") for jobs in (1, 2, 5)]
        for run in runs[1:]:
            self.assertEqual((run.stdout, run.stderr), (runs[0].stdout, runs[0].stderr))


class Failures(ParallelTest):
    def test_crash(self):
        self.write_files(a="#pragma clang __debug crash\n")
        self.assertIn("src/a.cu' is left out: the process that read it was ended by signal",
                      self.rewrite().stderr)

    def write_endless(self):
        """A file that nobody comes to the end of, and three others."""
        self.write_files(a='#include "pipe.h"\n')
        os.mkfifo(self.folder / "src/pipe.h")

    @unittest.skipUnless(sys.platform == "linux", "there is no /proc")
    def test_end_of_the_process(self):
        self.write_endless()
        with subprocess.Popen([TOOL, "rewrite", "--no-cache", "--no-confirm", "-j2", "src"],
                              cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while not (numbers := children.read_text().split()):
                time.sleep(0.05)
            os.kill(int(numbers[0]), signal.SIGKILL)  # The files are read in their order.
            output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, SOME_FAILED)
        self.assertIn("src/a.cu' is left out: the process that read it was ended by signal 9\n",
                      errors)
        self.assertEqual(output.count("+++ b/src/m"), 3)

    def test_file_that_is_never_read(self):
        self.write_endless()
        self.assertIn("src/a.cu' is left out: the process that read it took longer than 15 s",
                      self.rewrite("--time-limit=15").stderr)

    def test_such_failures_are_not_kept(self):
        self.write_files(a="#pragma clang __debug crash\n")
        for _ in range(2):
            done = self.run_tool("analyze", "--verbose", "src")
        self.assertIn("knew 3 of 4 files", done.stderr)


class OnATerminal(ParallelTest):
    def shown(self, *options):
        """What a person sees while it runs."""
        self.write_files()
        return self.errors_on_terminal("analyze", "--no-confirm", "--no-cache", *options, "src")

    def test_progress_is_shown_and_taken_away(self):
        text = self.shown("-j1")
        self.assertIn("\r\x1b[K[1/3] src/m0.cu", text)
        self.assertIn("\r\x1b[K[3/3] src/m2.cu", text)
        self.assertTrue(text.endswith("\r\x1b[K"), repr(text))

    def test_quiet(self):
        self.assertEqual(self.shown("--quiet"), "")

    def test_nothing_in_a_pipe(self):
        self.write_files()
        done = self.expect(DONE, self.run_tool("analyze", "--no-cache", "src"))
        self.assertNotIn("[1/3]", done.stderr)


if __name__ == "__main__":
    unittest.main()
