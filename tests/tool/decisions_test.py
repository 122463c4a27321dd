"""Which decisions file is obeyed, and what is said of decisions.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import unittest

from support import CHANGES, DONE, USAGE, ToolTest, moves


def about(file, decision="keep", function="count", array="last", more=""):
    return (f"version: 1\narrays:\n  - file: {file}\n    function: {function}\n"
            f"    array: {array}\n    decision: {decision}\n{more}")


# Its array is a stripe or a slot, as is decided.
HEADER = """#pragma once
__device__ int middle(const int *in, int i) {
  int sorted[8] = {0};
  for (int j = 0; j < 50; ++j)
    sorted[in[i + j] & 7] += in[j];
  return sorted[in[i] & 7];
}
"""

INCLUDER = """#include "../include/middle.cuh"
__global__ void kernel(const int *in, int *out) { *out = middle(in, threadIdx.x); }
void launch(const int *in, int *out) { kernel<<<1, 64>>>(in, out); }
"""


class DecisionsTest(ToolTest):
    def report(self, *args):
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", *args))
        self.assertEqual(done.stderr.replace(
            "bankstripe: no CUDA toolkit was found, the built-in declarations are used; "
            "give --cuda-path for the full headers\n", ""), "")
        return json.loads(done.stdout)

    def reasons(self, *args):
        return [a["reason"] for a in self.report(*args)["arrays"]]

    def states(self, *args):
        return [d["state"] for d in self.report(*args)["decisions"]]


class Lookup(DecisionsTest):
    def test_file_above(self):
        self.write("src/deep/a.cu", moves())
        self.write(".bankstripe.yaml", about("src/deep/a.cu", "slot"))
        self.assertEqual(self.reasons("src"), ["decided-slot"])

    def test_last_name_that_is_unique_is_enough(self):
        self.write("a.cu", "namespace {\n" + moves() + "}\n" + moves("discount"))
        self.write(".bankstripe.yaml", about("a.cu", "slot"))
        self.assertEqual(self.reasons("a.cu"), ["decided-slot", "dynamic-index"])
        self.write(".bankstripe.yaml", "version: 1\nkernels:\n  - file: a.cu\n    kernel: count\n    block-size: 64\n")
        self.assertEqual(self.report("a.cu")["kernelDecisions"][0]["state"], "unfulfilled")
        self.write("a.cu", "namespace one {\n" + moves() + "}\nnamespace two {\n" + moves() + "}\n")
        self.write(".bankstripe.yaml", about("a.cu", "slot"))
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", "a.cu"))
        self.assertEqual([d["state"] for d in json.loads(done.stdout)["decisions"]], ["stale"])

    def test_only_the_nearest_file(self):
        self.write("src/a.cu", moves())
        self.write(".bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.write("src/.bankstripe.yaml", "version: 1\n")
        self.assertEqual(self.reasons("src"), ["dynamic-index"])

    def test_several_files_in_one_run(self):
        self.write("one/a.cu", moves("a"))
        self.write("two/b.cu", moves("b"))
        self.write("one/.bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.write("two/.bankstripe.yaml", "version: 1\ndefaults:\n  layout: slot\n")
        self.assertEqual(self.reasons("."), ["decided-keep", "decided-slot"])

    def test_header_has_its_own_nearest_file(self):
        self.write("include/middle.cuh", HEADER)
        self.write("src/a.cu", INCLUDER)
        self.write("src/.bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.assertEqual(self.reasons("."), ["dynamic-index"])
        self.write("include/.bankstripe.yaml",
                   about("middle.cuh", "slot", "middle", "sorted"))
        self.assertEqual(self.reasons("."), ["decided-slot"])

    def test_header_that_is_reached_through_a_link(self):
        self.write("real/middle.cuh", HEADER)
        self.write("src/a.cu", INCLUDER)
        (self.folder / "include").symlink_to("real")
        self.write("real/.bankstripe.yaml",
                   about("middle.cuh", "slot", "middle", "sorted"))
        self.assertEqual(self.reasons("."), ["decided-slot"])

    # Whose decisions are none of ours, be they broken.
    def test_header_outside_the_paths_is_not_decided(self):
        self.write("include/middle.cuh", HEADER)
        self.write("include/.bankstripe.yaml", "broken")
        self.write("src/a.cu", INCLUDER)
        self.assertEqual(self.reasons("src"), ["outside-paths"])


class Options(DecisionsTest):
    def setUp(self):
        super().setUp()
        self.write("src/a.cu", moves())
        self.write("src/.bankstripe.yaml", about("a.cu", "slot"))

    def test_config_names_one_file_for_all(self):
        self.write("other/mine.yaml", about("../src/a.cu", "keep"))
        self.assertEqual(self.reasons("--config=other/mine.yaml", "src"), ["decided-keep"])

    def test_no_config(self):
        self.assertEqual(self.reasons("--no-config", "src"), ["dynamic-index"])

    def test_both_contradict_each_other(self):
        done = self.expect(USAGE, self.run_tool(
            "analyze", "--config=src/.bankstripe.yaml", "--no-config", "src"))
        self.assertIn("choose one of --config and --no-config", done.stderr)

    def test_config_that_is_not_there(self):
        done = self.expect(USAGE, self.run_tool("analyze", "--config=no.yaml", "src"))
        self.assertIn("no.yaml': No such file", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_layout_does_not_override_a_decision(self):
        self.write("src/b.cu", moves("b"))
        self.assertEqual(self.reasons("--layout=keep", "src"), ["decided-slot", "decided-keep"])

    def test_layout_overrides_the_default(self):
        self.write("src/.bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.assertEqual(self.reasons("src"), ["decided-keep"])
        for layout, reason in (("auto", "dynamic-index"), ("stripe", "dynamic-index"),
                               ("slot", "decided-slot")):
            self.assertEqual(self.reasons(f"--layout={layout}", "src"), [reason])

    def test_block_size_is_a_default(self):
        self.write("src/a.cu", moves().replace("<<<1, 128>>>", "<<<1, in[0]>>>"))
        self.write("src/.bankstripe.yaml", "version: 1\ndefaults:\n  block-size: 64\n")
        done = self.expect(CHANGES, self.run_tool("rewrite", "--check", "src"))
        self.assertIn("__launch_bounds__(64)", done.stdout)
        done = self.expect(CHANGES, self.run_tool(
            "rewrite", "--check", "--block-size=96", "src"))
        self.assertIn("__launch_bounds__(96)", done.stdout)


class Carveouts(DecisionsTest):
    def setUp(self):
        super().setUp()
        self.write("src/a.cu", moves())

    def carveout(self, *arguments):
        done = self.expect(DONE, self.run_tool("analyze", "--format=json", *arguments, "src"))
        return json.loads(done.stdout)["kernels"][0]["carveout"]

    def test_option(self):
        self.assertEqual(self.carveout(), "driver")
        self.assertEqual(self.carveout("--carveout=auto"), "auto")
        self.assertEqual(self.carveout("--carveout=40"), "40")

    def test_decision_comes_first(self):
        self.write("src/.bankstripe.yaml",
                   "version: 1\nkernels:\n  - {file: a.cu, kernel: count, carveout: 30}\n")
        self.assertEqual(self.carveout("--carveout=auto"), "30")


class Accounts(DecisionsTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", moves())
        self.write("b.cu", moves("b"))

    def stderr(self, *args):
        return self.expect(DONE, self.run_tool(*args)).stderr

    def test_used(self):
        self.write(".bankstripe.yaml", about("a.cu"))
        self.assertEqual(self.states("."), ["used"])
        self.assertNotIn("decision about", self.stderr("analyze", "."))

    def test_stale_decisions_are_warned_of_at_their_line(self):
        self.write(".bankstripe.yaml", about("a.cu", array="first"))
        self.assertEqual(self.states("."), ["stale"])
        for command in ("analyze", "rewrite"):
            self.assertIn(".bankstripe.yaml:3:5: warning: stale decision about 'first': "
                          "function 'count' has no per-thread array of that name\n"
                          "    3 |   - file: a.cu\n",
                          self.stderr(command, "."))

    def test_file_that_is_gone(self):
        self.write(".bankstripe.yaml", about("gone.cu"))
        self.assertIn("stale decision about 'last': there is no such file",
                      self.stderr("analyze", "."))

    def test_part_of_a_tree_says_nothing_of_the_rest(self):
        self.write(".bankstripe.yaml", about("a.cu"))
        self.assertEqual(self.states("b.cu"), ["skipped"])
        self.assertNotIn("decision about", self.stderr("analyze", "b.cu"))
        self.assertIn("remark: skipped decision about 'last'",
                      self.stderr("analyze", "--verbose", "b.cu"))

    def test_what_no_longer_fits_changes_no_exit_code(self):
        gone = about("a.cu", "stripe", array="first")
        shorter = about("a.cu", "split", more="    first: 9\n")
        for text, said, code in ((gone, "stale", CHANGES), (shorter, "unfulfilled", CHANGES),
                                 (gone + "defaults: {layout: keep}\n", "stale", DONE)):
            self.write(".bankstripe.yaml", text)
            check = "rewrite", "--check", "a.cu"
            self.assertIn(f"warning: {said} decision about",
                          self.expect(code, self.run_tool(*check)).stderr)
            done = self.expect(code, self.run_tool(*check, "--quiet"))
            self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_quiet(self):
        self.write(".bankstripe.yaml", about("gone.cu"))
        self.assertEqual(self.stderr("analyze", "--quiet", "."), "")


class Mistakes(ToolTest):
    def test_nothing_is_changed_when_a_decision_is_misspelt(self):
        self.write("a.cu", moves())
        self.write(".bankstripe.yaml", "version: 1\narays: []\n")
        before = self.snapshot()
        done = self.expect(USAGE, self.run_tool("rewrite", "--in-place", "a.cu"))
        self.assertEqual(done.stderr, (
            "bankstripe: cannot obey the decisions file\n"
            f"{self.folder}/.bankstripe.yaml:2:1: error: unknown key 'arays'\n"
            "arays: []\n^~~~~\n"))
        self.assertEqual(self.snapshot(), before)

    def test_folder_of_that_name(self):
        self.write("a.cu", moves())
        (self.folder / ".bankstripe.yaml").mkdir()
        done = self.expect(USAGE, self.run_tool("analyze", "a.cu"))
        self.assertIn("cannot read", done.stderr)

    def test_every_command_ends_alike_also_when_quiet(self):
        self.write("a.cu", moves())
        self.write(".bankstripe.yaml", "broken")
        for command in (["analyze"], ["rewrite", "--check"], ["verify"], ["tune", "--dry-run"]):
            done = self.expect(USAGE, self.run_tool(*command, "--quiet", "a.cu"))
            self.assertIn("cannot obey the decisions file", done.stderr)
        done = self.expect(USAGE, self.run_tool("analyze", "--format=sarif", "a.cu"))
        [invocation] = json.loads(done.stdout)["runs"][0]["invocations"]
        self.assertEqual((invocation["exitCode"], invocation["executionSuccessful"]), (USAGE, False))


if __name__ == "__main__":
    unittest.main()
