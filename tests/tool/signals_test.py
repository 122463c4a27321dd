"""Runs that are ended before they are done.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from support import DONE, TOOL, ToolTest, ends, find_nvcc, moves

# Starts a process, as nvcc does, writes files, and never ends.
ENDLESS = """#!/bin/sh
touch "$TMPDIR/of_nvcc"
for word; do
  [ "$last" = -o ] && touch "$word"
  last=$word
done
sleep 1000 &
echo $$ $! > PROCESSES.new
mv PROCESSES.new PROCESSES
wait
"""


@unittest.skipUnless(find_nvcc() and sys.platform == "linux", "nvcc or /proc is not there")
class Signals(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("src/a.cu", moves())
        self.processes = self.folder / "processes"
        nvcc = self.write("cuda/bin/nvcc", ENDLESS.replace("PROCESSES", str(self.processes)))
        nvcc.chmod(0o755)
        for entry in pathlib.Path(find_nvcc()).resolve().parents[1].iterdir():
            if entry.name != "bin":
                (self.folder / "cuda" / entry.name).symlink_to(entry)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()

    def interrupt(self, number):
        """What the compiler and what it started are called."""
        with subprocess.Popen(
                [TOOL, "rewrite", "--in-place", "--no-cache", "--cuda-path=cuda", "src"],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(self.scratch)}) as tool:
            while not self.processes.exists():
                self.assertIsNone(tool.poll())
                time.sleep(0.02)
            self.assertNotEqual(os.listdir(self.scratch), [])
            tool.send_signal(number)
            self.assertEqual(tool.wait(timeout=60), -number)
        return [int(word) for word in self.processes.read_text().split()]

    def check(self, number):
        before = self.snapshot()
        for process in self.interrupt(number):
            self.assertTrue(ends(process))
        self.processes.unlink()
        self.assertEqual(self.snapshot(), before)

    def test_request_to_end(self):
        self.check(signal.SIGTERM)

    def test_interruption(self):
        self.check(signal.SIGINT)

    def test_next_run_removes_what_a_killed_one_leaves(self):
        _, started = self.interrupt(signal.SIGKILL)
        os.kill(started, signal.SIGKILL)
        (self.scratch / "bankstripe-of-somebody").mkdir()
        self.assertEqual(len(os.listdir(self.scratch)), 2)
        self.expect(DONE, self.run_tool("analyze", "--no-cache", "src", confirm=True,
                                        env={**os.environ, "TMPDIR": str(self.scratch)}))
        self.assertEqual(os.listdir(self.scratch), ["bankstripe-of-somebody"])

    def test_runs_at_once_leave_each_other_alone(self):
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        with subprocess.Popen(
                [TOOL, "analyze", "--no-cache", "--cuda-path=cuda", "src"], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment) as tool:
            while not self.processes.exists():
                time.sleep(0.02)
            folders = set(os.listdir(self.scratch))
            self.expect(DONE, self.run_tool("analyze", "--no-cache", "src", confirm=True,
                                            env=environment))
            self.assertEqual(set(os.listdir(self.scratch)), folders)
            tool.terminate()


if __name__ == "__main__":
    unittest.main()
