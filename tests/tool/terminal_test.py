"""What the program prints on a terminal, as far as the terminal decides it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import unittest

from support import DONE, ToolTest, moves

ESCAPE = "\x1b"


class TerminalTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", moves())

    def on_terminal(self, *words, **how):
        return self.errors_on_terminal(
            "rewrite", "--no-confirm", "--whole-program", *words,
            **{"TERM": "xterm-256color", "NO_COLOR": ""} | how)


class Colour(TerminalTest):
    def test_is_shown_on_a_terminal(self):
        self.assertIn(ESCAPE, self.on_terminal("a.cu"))

    def test_is_not_shown_where_nobody_wants_it(self):
        self.assertNotIn(ESCAPE, self.on_terminal("a.cu", NO_COLOR="1"))
        self.assertNotIn(ESCAPE, self.on_terminal("--color=never", "a.cu"))

    def test_is_not_shown_by_a_terminal_without(self):
        self.assertNotIn(ESCAPE, self.on_terminal("a.cu", TERM="dumb"))

    def test_is_shown_where_it_is_asked_for(self):
        self.assertIn(ESCAPE, self.on_terminal("--color=always", "a.cu", NO_COLOR="1"))
        done = self.expect(DONE, self.run_tool("rewrite", "--color=always", "a.cu"))
        self.assertIn(ESCAPE, done.stdout)  # The diff, in a pipe.
        self.assertIn(ESCAPE, done.stderr)


class Width(TerminalTest):
    def test_lines_fit(self):
        text = self.on_terminal("a.cu", columns=80, COLUMNS="")
        lines = re.sub(f"{ESCAPE}[^m]*m", "", text).split("\r\n")
        self.assertGreater(len(lines), 10)
        self.assertEqual([line for line in lines if len(line) > 80], [])

    def test_lines_in_a_pipe_are_whole(self):
        done = self.expect(DONE, self.run_tool("rewrite", "a.cu"))
        self.assertRegex(done.stderr, r"(?m)^.*remark: per-thread array 'last' .* \[stripe, dynamic-index\]$")


class Reasons(TerminalTest):
    def test_are_said_to_have_pages(self):
        self.assertIn("bankstripe reason dynamic-index", self.on_terminal("a.cu"))
        done = self.expect(DONE, self.run_tool("rewrite", "a.cu"))
        self.assertNotIn("bankstripe reason", done.stderr)


class HowFar(TerminalTest):
    def setUp(self):
        super().setUp()
        self.write("b.cu", moves("other"))

    def test_is_said_of_files_that_are_read(self):
        self.assertIn("/2] ", self.on_terminal("a.cu", "b.cu"))

    def test_is_not_said_of_files_that_are_known(self):
        self.on_terminal("a.cu", "b.cu")
        self.assertNotIn("/2] ", self.on_terminal("a.cu", "b.cu"))

    def test_is_not_said_on_a_terminal_that_cannot_erase(self):
        self.assertNotIn("/2] ", self.on_terminal("a.cu", "b.cu", TERM="dumb"))


if __name__ == "__main__":
    unittest.main()
