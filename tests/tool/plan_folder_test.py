"""`bankstripe rewrite --plan-dir` and `bankstripe wrap --plan`.

A script stands for nvcc, which copies the source that it is given.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import unittest

from support import BROKEN, DONE, SOME_FAILED, USAGE, ToolTest, moves

KERNEL, LAUNCH = moves().split("void launch")
HEADER = "__global__ void count(const int *in, int *out);\n"

NVCC = """#!/bin/sh
while [ "$1" != -c ]; do shift; done
cp "$2" "$4"
"""


class PlanFolder(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("nvcc", NVCC).chmod(0o755)
        self.write("kernel.cu", KERNEL)
        self.write("main.cu", HEADER + "void launch" + LAUNCH)
        commands = [{"directory": str(self.folder), "file": name,
                     "command": f"nvcc -arch=sm_90 -c {name} -o {name}.o"}
                    for name in ("kernel.cu", "main.cu")]
        self.write("compile_commands.json", json.dumps(commands))

    def plan(self, *options, code=DONE):
        return self.expect(code, self.run_tool(
            "rewrite", "--plan-dir=plan", "--min-speedup=0", "-p", ".", *options, "kernel.cu", "main.cu"))

    def wrap(self, name, code=DONE, **environment):
        return self.expect(code, self.run_tool(
            "wrap", f"--plan={self.folder}/plan", self.folder / "nvcc", "-arch=sm_90", "-c", name,
            "-o", f"{name}.o", env=os.environ | environment))

    def test_a_launch_in_another_file_counts(self):
        self.plan("--quiet")
        self.wrap("kernel.cu")
        self.assertIn("__launch_bounds__(128)", self.read("kernel.cu.o"))
        self.wrap("main.cu")
        self.assertEqual(self.read("main.cu.o"), self.read("main.cu"))

    def test_says_what_it_planned(self):
        self.assertIn("moves to a stripe", self.plan().stderr)
        self.assertEqual(self.plan("--quiet").stderr, "")

    def test_names_what_the_plan_depends_on(self):
        self.write(".bankstripe.yaml", "version: 1\n")
        self.write("options.rsp", "-DSIZE=8")
        self.write("compile_commands.json", self.read("compile_commands.json").replace(
            "-arch=sm_90", "-arch=sm_90 --options-file options.rsp"))
        self.plan("--quiet")
        names = self.read("plan/done.d").split()
        self.assertEqual(names[0], "plan/done:")
        for name in ("kernel.cu", "main.cu", "options.rsp", ".bankstripe.yaml"):
            self.assertIn(str(self.folder / name), names)

    def test_a_source_that_changed_is_not_compiled(self):
        self.plan("--quiet")
        self.write("kernel.cu", KERNEL + "// Changed.\n")
        self.assertIn("has changed since it was planned for", self.wrap("kernel.cu", SOME_FAILED).stderr)
        self.assertFalse((self.folder / "kernel.cu.o").exists())

    def test_a_source_without_a_plan_is_not_compiled(self):
        self.write("other.cu", KERNEL)
        self.plan("--quiet")
        self.assertIn("no plan was made", self.wrap("other.cu", SOME_FAILED).stderr)

    def test_no_plan_is_made_when_a_file_cannot_be_read(self):
        self.write("main.cu", BROKEN)
        self.assertIn("no plan is made", self.plan(code=SOME_FAILED).stderr)
        self.assertFalse((self.folder / "plan").exists())

    def test_flags_of_the_environment_do_not_change_the_plan(self):
        self.plan("--quiet")
        self.wrap("kernel.cu", BANKSTRIPE_FLAGS="--layout=keep", BANKSTRIPE_FACTS="none.json")
        self.assertIn("__shared__", self.read("kernel.cu.o"))

    def test_arrays_in_headers_that_cannot_be_copied_stay(self):
        self.write("weigh.cuh", "#define NEXT \"next.h\"\n#include NEXT\n"
                   + KERNEL.replace("__global__ void count", "__device__ inline void weigh"))
        self.write("next.h", "")
        self.write("kernel.cu", '#include "weigh.cuh"\n'
                   + KERNEL.replace("int last[8]", "weigh(in, out);\n  int last[8]"))
        done = self.plan()
        self.assertIn("arrays in headers stay where they are", done.stderr)
        self.wrap("kernel.cu")
        self.assertIn("__shared__", self.read("kernel.cu.o"))

    def test_a_source_that_cannot_be_copied_is_named(self):
        self.write("kernel.cu", KERNEL + "const char *name() { return __BASE_FILE__; }\n")
        self.assertIn("kernel.cu' cannot be copied: it mentions __BASE_FILE__; put NOLINT(bankstripe)",
                      self.plan(code=SOME_FAILED).stderr)
        self.write("kernel.cu", self.read("kernel.cu").replace("{0};", "{0}; // NOLINT(bankstripe)"))
        self.plan()
        self.wrap("kernel.cu")
        self.assertEqual(self.read("kernel.cu.o"), self.read("kernel.cu"))

    def test_refuses_what_does_not_go_together(self):
        for options in (["--in-place"], ["--output-dir=x"], ["--embed-helper"], ["--unroll"],
                        ["--format=json"]):
            self.assertIn("--plan-dir", self.plan(*options, code=USAGE).stderr)
        self.assertIn("needs a folder", self.expect(USAGE, self.run_tool("wrap", "--plan=", "nvcc")).stderr)
        self.assertIn("no option '--other'", self.expect(
            USAGE, self.run_tool("wrap", "--other", "nvcc")).stderr)


if __name__ == "__main__":
    unittest.main()
