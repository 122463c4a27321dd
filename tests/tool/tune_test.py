"""Tuning, with a program whose times are known and no GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import unittest

from programs import BUILD, GAINS, LOSES, TuneTest
from support import DONE, SOME_FAILED, USAGE, moves


class Verdicts(TuneTest):
    def test_what_is_fastest_is_written_down(self):
        done = self.expect(DONE, self.tune(GAINS))
        self.assertIn("* stripes", done.stdout)
        self.assertIn("2.00x", done.stdout)
        self.assertIn("wrote 1 decision to .bankstripe.yaml\n"
                      "bankstripe: builds obey it once these files are compiled again: a.cu\n",
                      done.stderr)
        text = self.decisions()
        self.assertIn("decision:        stripe", text)
        self.assertIn("by:              tune", text)
        self.assertIn("2.00x on Test GPU", text)
        # Objects know of a file that was there before.
        done = self.expect(DONE, self.tune(GAINS))
        self.assertIn("wrote 1 decision", done.stderr)
        self.assertNotIn("compiled again", done.stderr)

    def test_rewrite_obeys(self):
        self.expect(DONE, self.tune({**GAINS, "slot": 20}))
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", "a.cu"))
        report = json.loads(done.stdout)
        self.assertEqual([a["verdict"] for a in report["arrays"]], ["slot"])
        self.assertEqual([d["state"] for d in report["decisions"]], ["used"])

    # They obey the file above themselves.
    def test_a_kernel_in_a_header_counts(self):
        self.write("a.cu", '#include "include/kernel.cuh"\n')
        self.write("include/kernel.cuh", "#pragma once\n" + moves())
        self.expect(DONE, self.tune(GAINS, build=BUILD.replace("a.cu", "include/kernel.cuh")))
        self.assertIn("'include/kernel.cuh'", self.decisions())
        (self.folder / ".bankstripe.yaml").unlink()
        self.write("src/a.cu", '#include "../include/kernel.cuh"\n')
        self.expect(DONE, self.tune(GAINS, build=BUILD.replace("a.cu", "include/kernel.cuh"),
                                   source="src/a.cu"))
        self.assertIn("decision:        stripe", self.read("include/.bankstripe.yaml"))

    # The largest block is then no guess, also where nobody has a GPU.
    def test_the_block_that_ran_is_written_down_where_no_source_tells_it(self):
        self.write("a.cu", moves().split("void launch")[0])
        self.expect(DONE, self.tune(GAINS))
        self.assertIn("block-size:      96", self.decisions())
        self.assertNotIn("carveout", self.decisions())
        done = self.expect(DONE, self.run_tool("rewrite", "--no-confirm", "--dry-run", "a.cu"))
        self.assertIn("96 threads, from the decision about it", done.stderr + done.stdout)

    def test_a_block_that_the_source_tells_is_not_written_down(self):
        self.expect(DONE, self.tune(GAINS))
        self.assertNotIn("block-size", self.decisions())

    # 128 KB a block, and no command that names an architecture.
    def test_blocks_have_the_shared_memory_of_this_gpu(self):
        self.write("a.cu", moves().replace("[8]", "[256]"))
        done = self.expect(DONE, self.tune(GAINS))
        self.assertIn("* stripes", done.stdout)

    def test_what_loses_stays(self):
        self.expect(DONE, self.tune(LOSES))
        self.assertIn("decision:        keep", self.decisions())

    def test_another_kernel_that_pays_counts(self):
        done = self.expect(DONE, self.tune(GAINS, beside=20))
        self.assertIn("all kernels of the program together: 1.57x", done.stdout)
        self.assertIn("decision:        stripe", self.decisions())

    def test_what_other_kernels_pay_more_for_stays(self):
        done = self.expect(DONE, self.tune(GAINS, beside=90))
        self.assertIn("the original stays: all kernels of the program together are at 0.79x",
                      done.stdout)
        self.assertIn("decision:        keep", self.decisions())

    def test_what_is_wrong_is_not_taken(self):
        done = self.expect(DONE, self.tune({**GAINS, "stripe": -10}))
        self.assertIn("* slots", done.stdout)


class Files(TuneTest):
    def test_sources_are_left_alone(self):
        self.expect(DONE, self.tune(GAINS))
        self.assertEqual(self.read("a.cu"), moves())
        self.assertFalse((self.folder / "bankstripe.cuh").exists())
        self.assertFalse((self.folder / "app").exists())

    def test_a_long_program_is_compared_with_the_run_that_was_recorded(self):
        self.expect(DONE, self.tune(GAINS, beside=200, takes=5))
        recorded, timed = [[word for word in call.split() if word.startswith(("--runs", "--rec"))]
                           for call in self.read("calls").splitlines()[-2:]]
        self.assertEqual(recorded[1:], ["--runs=0"])
        self.assertTrue(recorded[0].startswith("--recorded="))
        # Nothing is condemned by one run.
        self.assertEqual(timed, [recorded[0], "--runs=1"])

    def test_older_measurement_is_replaced_and_the_head_kept(self):
        self.expect(DONE, self.tune(GAINS))
        self.write(".bankstripe.yaml", "# ours\n" + self.decisions())
        self.expect(DONE, self.tune(LOSES))
        text = self.decisions()
        self.assertTrue(text.startswith("# ours\n"), text)
        self.assertEqual(text.count("array:"), 1)
        self.assertIn("decision:        keep", text)

    def test_decision_of_a_person_stays(self):
        mine = ("version: 1\narrays:\n  - file: a.cu\n    function: count\n"
                "    array: last\n    decision: keep\n")
        self.write(".bankstripe.yaml", mine)
        done = self.expect(DONE, self.tune(GAINS))
        self.assertIn("nothing can be moved", done.stderr)
        self.assertEqual(self.decisions(), mine)

    def test_file_that_is_named(self):
        self.expect(DONE, self.tune(GAINS, "--layout=auto"))
        (self.folder / ".bankstripe.yaml").rename(self.folder / "other.yaml")
        self.expect(DONE, self.tune(LOSES, "--config=other.yaml"))
        self.assertIn("keep", self.read("other.yaml"))
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())


class Problems(TuneTest):
    def test_a_file_that_cannot_be_read_and_holds_no_kernel_is_left_out(self):
        self.write("host.cu", "this is no C++\n")
        done = self.expect(DONE, self.tune(GAINS, "host.cu"))
        self.assertIn("* stripes", done.stdout)
        self.assertIn("decision:        stripe", self.decisions())
        done = self.expect(SOME_FAILED, self.tune(GAINS, "host.cu", others=1))
        self.assertIn("the program launches other(), which is in no file that could be read",
                      done.stderr)

    def test_kernel_that_is_not_launched(self):
        done = self.expect(DONE, self.tune(GAINS, kernel="another()"))
        self.assertIn("the program does not launch it", done.stdout)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    # 32 threads would fit. The program launches 96, and the name of a version is taken.
    def test_blocks_that_leave_no_room(self):
        self.write("a.cu", "int count_striped;\n" + moves().replace("[8]", "[300]").replace("128>", "*in>"))
        done = self.expect(DONE, self.tune(GAINS, "--whole-program"))
        self.assertIn("launches nothing whose arrays can be moved", done.stderr)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    # 96 threads leave room for it, and 256 would not.
    def test_an_array_for_small_blocks(self):
        self.write("a.cu", moves().replace("[8]", "[100]").split("void launch")[0])
        self.expect(DONE, self.tune(GAINS))
        self.assertIn("block-size:      96", self.decisions())

    def test_build_that_fails(self):
        done = self.expect(SOME_FAILED, self.tune(GAINS, build="echo no luck; false"))
        self.assertIn("no luck", done.stderr)

    def test_build_without_the_program(self):
        done = self.expect(SOME_FAILED, self.tune(GAINS, build="true"))
        self.assertIn("makes no program 'app'", done.stderr)

    # A build that looks elsewhere would measure the original against itself.
    def test_build_that_does_not_see_the_change(self):
        source = self.write("elsewhere/b.cu", moves())
        done = self.expect(SOME_FAILED, self.tune(
            GAINS, build=f"cp {source} app && chmod +x app"))
        self.assertIn("does not see", done.stderr)

    def test_result_that_is_no_result(self):
        verify = self.write("no-verify", "#!/bin/sh\nexit 0\n")
        verify.chmod(0o755)
        done = self.expect(SOME_FAILED, self.run_tool(
            "tune", "--no-confirm", f"--verify-program={verify}", f"--build={BUILD}",
            "--program=app", "a.cu", env=self.environment()))
        self.assertIn("left no result", done.stderr)

    # The version of each kernel may be right by itself.
    def test_best_of_all_together_is_wrong(self):
        self.expect(DONE, self.tune(GAINS))
        (self.folder / ".bankstripe.yaml").unlink()
        last = self.calls()
        (self.folder / "calls").unlink()
        done = self.expect(SOME_FAILED, self.tune(GAINS, wrong_from=last))
        self.assertIn("the best of all kernels together does not work", done.stderr)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    def test_no_driver(self):
        done = self.run_tool("tune", "--no-confirm", "a.cu",
                             env={**os.environ, "LD_LIBRARY_PATH": ""})
        if "no NVIDIA driver" not in done.stderr:
            self.skipTest("there is one")
        self.expect(SOME_FAILED, done)

    def test_options_that_go_together(self):
        for words in (["--build=make"], ["--program=app"], ["--tree=."]):
            self.expect(USAGE, self.run_tool("tune", *words, "a.cu"))


class Json(TuneTest):
    def test_all_attempts(self):
        done = self.expect(DONE, self.tune(GAINS, "--format=json", "--time=0"))
        group, = json.loads(done.stdout)["groups"]
        self.assertCountEqual([a["name"] for a in group["attempts"]],
                              ["as it is", "stripes", "slots", "split after 4",
                               "stripes, carveout auto", "stripes, carveout 30",
                               "stripes, carveout 60"])
        self.assertEqual(group["attempts"][0]["name"], "as it is")
        self.assertEqual(group["best"], "stripes")
        self.assertAlmostEqual(group["attempts"][1]["speedup"], 2)


if __name__ == "__main__":
    unittest.main()
