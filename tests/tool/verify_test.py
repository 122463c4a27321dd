"""Verification with the program's own build, and no GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import shutil
import subprocess
import unittest
import unittest.mock

from programs import BUILD, ProgramTest
from support import CHANGES, DONE, PLAIN, SOME_FAILED, USAGE, ToolTest, moves

SAME = {"keep": 100, "stripe": 50}
DIFFERS = {"keep": 100, "stripe": -50}


class Verify(ProgramTest):
    def verify(self, times, *args, build=BUILD, flags="", **fake):
        program = self.fake_verify(times, **fake)
        return self.run_tool("verify", f"--verify-program={program}", f"--build={build}",
                             "--program=app", *args, "a.cu",
                             env=self.environment(NVCC_APPEND_FLAGS=flags))

    def test_programs_that_compute_the_same(self):
        self.expect(DONE, self.verify(SAME))
        self.assertEqual(self.calls(), 1)
        self.assertIn("--all", self.read("calls").split())

    def test_headers_of_the_tree_count(self):
        self.write("tree/kernel.cuh", "#pragma once\n" + moves())
        self.write("tree/a.cu", '#include "kernel.cuh"\n')
        self.write("a.cu", '#include "tree/kernel.cuh"\n')
        program = self.fake_verify(SAME)
        words = ("verify", f"--verify-program={program}", "--program=app", "--tree=tree",
                 "--build=" + BUILD.replace("a.cu", "kernel.cuh"))
        self.expect(DONE, self.run_tool(*words, "tree/a.cu", env=self.environment()))
        self.assertEqual(self.calls(), 1)
        self.write("kernel.cuh", "#pragma once\n" + moves())
        self.write("tree/a.cu", '#include "../kernel.cuh"\n')
        done = self.expect(DONE, self.run_tool(*words, "tree/a.cu", env=self.environment()))
        self.assertIn("nothing would be rewritten", done.stderr)

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

    # The fake programs show whether they were built with their own flags too.
    def test_flags_of_the_environment_are_kept(self):
        build = BUILD + ' && case "$NVCC_APPEND_FLAGS" in *-DOURS*) ;; *) false;; esac'
        done = self.expect(CHANGES, self.verify(DIFFERS, build=build, flags="-DOURS",
                                                rounding=True))
        self.assertIn("with -fmad=false both programs compute the same", done.stderr)

    # Not for the second look at a difference.
    def test_page_shows_the_plan_and_the_changes(self):
        self.expect(CHANGES, self.verify(DIFFERS, "--html=page.html"))
        self.assertEqual(self.calls(), 2)
        plan = json.loads(self.read("page.html"))
        self.assertEqual(plan["tool"], "bankstripe")
        self.assertEqual([a["verdict"] for a in plan["arrays"]], ["stripe"])
        self.assertIn("+#include \"bankstripe.cuh\"", plan["changes"][0]["diff"])

    def test_page_needs_a_file(self):
        self.expect(USAGE, self.verify(SAME, "--html="))

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


class HandedOn(ToolTest):
    """bankstripe-verify and bankstripe-replay, beside the program where a CUDA toolkit was there to build them."""

    def hand_on(self, *args):
        done = self.run_tool(*args, confirm=True)
        if "cannot find" in done.stderr:
            self.skipTest("it was not built")
        return done

    # Nothing is read: there is no file, no toolkit and no driver to be found.
    def test_two_commands_as_they_stand(self):
        commands = ("--", "./a b", "1", "--vs", "sh", "-c", "x y")
        done = self.hand_on("verify", "--version", *commands)
        self.assertTrue(done.stdout.startswith("bankstripe-verify "), done.stderr)
        done = self.expect(USAGE, self.hand_on("verify", *commands))
        self.assertIn("bankstripe-verify: './a b' is not a program", done.stderr)

    def test_arguments_for_nvcc_are_no_commands(self):
        self.expect(USAGE, self.run_tool("verify", "--", "-O3"))

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_an_older_driver_is_named_at_once(self):
        self.write("driver.c", "int cuDriverGetVersion(int *version) { *version = 12040; return 0; }\n")
        subprocess.run(["cc", "-shared", "-o", "libcuda.so.1", "driver.c"], cwd=self.folder, check=True)
        with unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH=str(self.folder)):
            done = self.expect(SOME_FAILED, self.hand_on("verify", "--", "true", "--vs", "true"))
        self.assertIn("there is no GPU to verify on: the NVIDIA driver is for CUDA 12.4; install one for CUDA 13 or "
                      "later", done.stderr)

    def test_a_replay_as_it_stands(self):
        self.assertTrue(self.hand_on("replay", "--version").stdout.startswith("bankstripe-replay "))
        done = self.expect(USAGE, self.hand_on("replay", "nowhere.capture"))
        self.assertIn("'nowhere.capture' is no capture", done.stderr)


if __name__ == "__main__":
    unittest.main()
