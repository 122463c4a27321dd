"""What a project's files say is read, and never run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import unittest
import unittest.mock

from support import DONE, SOME_FAILED, USAGE, ToolTest, find_nvcc, moves

EVIL = """#!/bin/sh
touch "$PWNED"
exec g++ "$@"
"""


@unittest.skipUnless(find_nvcc(), "there is no nvcc")
class Commands(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("evil.sh", EVIL).chmod(0o755)
        self.write("a.cu", moves())
        self.pwned = self.folder / "pwned"

    def analyze(self, *args, command=(), file="a.cu"):
        """Reads a project whose command has some more words. Returns what is printed, and whether
        something of it was run."""
        words = ["nvcc", "-arch=sm_90", *command, "-c", file]
        self.write("compile_commands.json", json.dumps(
            [{"directory": str(self.folder), "file": file, "arguments": words}]))
        done = self.expect(DONE, self.run_tool(
            "analyze", "--no-cache", *args, file, confirm=True,
            env={**os.environ, "PWNED": str(self.pwned)}))
        ran = self.pwned.exists()
        if ran:
            self.pwned.unlink()
        return done.stderr, ran

    def test_a_program_is_not_run(self):
        for command in (["-ccbin", "./evil.sh"], ["-Xcompiler", "-wrapper,./evil.sh"]):
            said, ran = self.analyze(command=command)
            self.assertFalse(ran, command)
            self.assertIn("./evil.sh; --trust-commands takes it", said)
            self.assertNotIn("nvcc does not compile it", said)

    def test_a_program_is_run_when_the_user_says_so(self):
        said, ran = self.analyze("--trust-commands", command=["-ccbin", "./evil.sh"])
        self.assertTrue(ran)
        self.assertNotIn("--trust-commands", said)

    def test_a_program_of_the_project_on_the_path_is_not_run(self):
        for name in ("gcc-99", "x-cc", "bin/gcc-99"):
            self.write(name, EVIL).chmod(0o755)
        for path in (".", "bin", self.folder, self.folder / "bin"):
            for name in ("gcc-99", "x-cc"):
                with self.subTest(path=path, name=name):
                    with unittest.mock.patch.dict(os.environ, PATH=f"{os.environ['PATH']}:{path}"):
                        said, ran = self.analyze(command=["-ccbin", name])
                    self.assertFalse(ran)
                    self.assertIn(f"{name}; --trust-commands takes it", said)

    def test_the_compiler_is_not_run(self):
        self.write("nvcc", EVIL).chmod(0o755)
        self.write("compile_commands.json", json.dumps(
            [{"directory": str(self.folder), "file": "a.cu",
              "arguments": [str(self.folder / "nvcc"), "-arch=sm_90", "-c", "a.cu"]}]))
        self.expect(DONE, self.run_tool("analyze", "a.cu", confirm=True,
                                        env={**os.environ, "PWNED": str(self.pwned)}))
        self.assertFalse(self.pwned.exists())

    def test_nothing_reaches_a_shell(self):
        said, ran = self.analyze(command=['-DX=$(touch "$PWNED")'])
        self.assertFalse(ran)
        self.assertIn("to a shell; --trust-commands lets it", said)

    def test_a_file_of_options_is_not_read_by_others(self):
        self.write("more", "X -wrapper ./evil.sh")
        said, ran = self.analyze(command=["-isystem", "include,@more"])
        self.assertFalse(ran)
        self.assertIn("nvcc is not asked", said)

    def test_a_name_does_not_reach_a_shell(self):
        name = "b$(touch $PWNED).cu"
        self.write(name, moves())
        said, ran = self.analyze(file=name)
        self.assertFalse(ran)
        self.assertIn("to a shell; rename it", said)


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", moves())

    def test_pipes_and_devices_are_not_read(self):
        for name, code, said in ((".bankstripe.yaml", USAGE, "cannot read"),
                                 ("compile_commands.json", DONE, ""),
                                 ("b.cu", SOME_FAILED, "it is no regular file")):
            path = self.folder / name
            for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
                make(path)
                done = self.run_tool("analyze", "b.cu" if name == "b.cu" else "a.cu")
                self.expect(code, done)
                self.assertIn(said, done.stderr)
                path.unlink()

    def test_a_response_file_is_a_regular_file(self):
        for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
            make(self.folder / "more")
            self.write("compile_commands.json", json.dumps(
                [{"directory": str(self.folder), "file": "a.cu",
                  "arguments": ["nvcc", "@more", "-c", "a.cu"]}]))
            done = self.expect(DONE, self.run_tool("analyze", "a.cu"))
            self.assertIn("@more; --trust-commands takes it", done.stderr)
            (self.folder / "more").unlink()

    def test_control_characters_do_not_reach_the_terminal(self):
        self.write(".bankstripe.yaml", 'version: 1\ndefaults: {"\\e]0;x\\a": 1}\n# \x1b[2J\n')
        done = self.expect(USAGE, self.run_tool("analyze", "a.cu"))
        self.assertNotIn("\x1b", done.stderr)
        self.write(".bankstripe.yaml",
                   'version: 1\narrays:\n- {file: "\\e]0;x\\a", function: f, array: "\\e[2J",'
                   ' decision: keep}\n')
        done = self.run_tool("analyze", "a.cu")
        self.assertNotIn("\x1b", done.stderr + done.stdout)
        self.assertIn("\\x1b", done.stderr)

    def test_the_name_of_a_file_has_none_either(self):
        name = "\x1b[2J.cu"
        self.write(name, moves())
        done = self.expect(DONE, self.run_tool("analyze", "--verbose", name))
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn("\\x1b[2J.cu:", done.stdout)
        (self.folder / name).unlink()
        self.write(name, "#error \x1b[2J\n")
        done = self.expect(SOME_FAILED, self.run_tool("analyze", name))
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_the_helper_is_not_written_through_a_link(self):
        self.write("kept", "kept")
        (self.folder / "bankstripe.cuh").symlink_to("kept")
        before = self.snapshot()
        done = self.expect(SOME_FAILED, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertIn("there is another file of that name", done.stderr)
        self.assertEqual(self.snapshot(), before)


if __name__ == "__main__":
    unittest.main()
