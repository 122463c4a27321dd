"""Files that change while they are being processed.

A file includes a named pipe. The program has read the file when it opens the
pipe, and then waits: time enough to change the file, and then to feed the pipe.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import threading
import unittest

from support import DONE, SOME_FAILED, ToolTest, moves

SLOW = '#include "pipe.h"\n' + moves("slow")


class ChangingFiles(ToolTest):
    def setUp(self):
        super().setUp()
        self.pipe = self.folder / "pipe.h"
        os.mkfifo(self.pipe)
        self.write("slow.cu", SLOW)

    def run_and_meanwhile(self, action, *args):
        """Runs the program, and `action` once it has read slow.cu."""
        def feed():
            with open(self.pipe, "w", encoding="ascii") as pipe:
                action()
                pipe.write("// fed\n")

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        done = self.run_tool(*args)
        feeder.join(timeout=60)
        self.assertFalse(feeder.is_alive(), "the pipe was never opened")
        return done

    def test_file_that_stays_is_rewritten(self):
        done = self.run_and_meanwhile(lambda: None, "rewrite", "--in-place", "slow.cu")
        self.expect(DONE, done)
        self.assert_rewritten("slow.cu")

    def test_file_that_changes_is_left_alone(self):
        done = self.run_and_meanwhile(
            lambda: self.write("slow.cu", SLOW + "// a person's work\n"),
            "rewrite", "--in-place", "slow.cu")
        self.expect(SOME_FAILED, done)
        self.assertIn("slow.cu': it has changed since it was read; run bankstripe again",
                      done.stderr)
        self.assertEqual(self.read("slow.cu"), SLOW + "// a person's work\n")

    def test_then_no_file_is_rewritten(self):
        self.write("other.cu", moves("other"))
        done = self.run_and_meanwhile(
            lambda: self.write("slow.cu", "// all new\n"), "rewrite", "--in-place", ".")
        self.expect(SOME_FAILED, done)
        self.assertEqual(self.read("slow.cu"), "// all new\n")
        self.assertEqual(self.read("other.cu"), moves("other"))
        self.assertFalse((self.folder / "bankstripe.cuh").exists())

    def test_file_that_vanishes_stays_away(self):
        done = self.run_and_meanwhile(
            (self.folder / "slow.cu").unlink, "rewrite", "--in-place", "slow.cu")
        self.expect(SOME_FAILED, done)
        self.assertFalse((self.folder / "slow.cu").exists())

    def test_output_folder_gets_what_was_read(self):
        done = self.run_and_meanwhile(
            lambda: self.write("slow.cu", "// all new\n"),
            "rewrite", "--output-dir=out", "slow.cu")
        self.expect(DONE, done)
        self.assert_rewritten("out/slow.cu")
        self.assertEqual(self.read("slow.cu"), "// all new\n")


if __name__ == "__main__":
    unittest.main()
