"""Verification with the program's own build, and no GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import unittest

from programs import BUILD, ProgramTest
from support import CHANGES, DONE, PLAIN, SOME_FAILED, moves

SAME = {"keep": 100, "stripe": 50}
DIFFERS = {"keep": 100, "stripe": -50}


class Verify(ProgramTest):
    def verify(self, times, *args, build=BUILD, **fake):
        program = self.fake_verify(times, **fake)
        return self.run_tool("verify", f"--verify-program={program}", f"--build={build}",
                             "--program=app", *args, "a.cu", env=self.environment())

    def test_programs_that_compute_the_same(self):
        self.expect(DONE, self.verify(SAME))
        self.assertEqual(self.calls(), 1)

    def test_sources_are_left_alone(self):
        self.expect(DONE, self.verify(SAME))
        self.assertEqual(self.read("a.cu"), moves())
        self.assertFalse((self.folder / "bankstripe.cuh").exists())
        self.assertFalse((self.folder / "app").exists())

    def test_programs_that_differ(self):
        done = self.expect(CHANGES, self.verify(DIFFERS))
        self.assertEqual(self.calls(), 2)
        self.assertNotIn("-fmad=false", done.stderr)

    # A difference remains one.
    def test_programs_that_round_differently(self):
        done = self.expect(CHANGES, self.verify(DIFFERS, rounding=True))
        self.assertIn("with -fmad=false both programs compute the same", done.stderr)

    def test_nothing_to_verify(self):
        self.write("a.cu", PLAIN)
        done = self.expect(DONE, self.verify(SAME))
        self.assertIn("nothing would be rewritten", done.stderr)
        self.assertFalse((self.folder / "calls").exists())

    def test_build_that_fails(self):
        done = self.expect(SOME_FAILED, self.verify(SAME, build="echo no luck; false"))
        self.assertIn("no luck", done.stderr)

    # It would find the original identical to itself.
    def test_build_that_does_not_see_the_change(self):
        self.write("elsewhere/a.cu", moves())
        done = self.expect(SOME_FAILED, self.verify(
            SAME, build=f"cd {self.folder}/elsewhere && cp a.cu \"$OLDPWD/app\" && "
                        "chmod +x \"$OLDPWD/app\""))
        self.assertIn("does not see the changes", done.stderr)

    def test_source_outside_of_the_tree(self):
        (self.folder / "tree").mkdir()
        done = self.expect(SOME_FAILED, self.verify(SAME, "--tree=tree",
                                                    build="touch app; chmod +x app"))
        self.assertIn("give --tree", done.stderr)


if __name__ == "__main__":
    unittest.main()
