"""examples/nearest: what the tool says of it, and that it builds and runs rewritten.

There need not be a GPU. On the host the program runs as tests/cpu runs programs, and
compares its results with what it computes without a tree or a list.

BANKSTRIPE_BUILD names the build, BANKSTRIPE_SOURCE the source tree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ["BANKSTRIPE_SOURCE"])
sys.path += [str(ROOT / "tests" / folder) for folder in ("tool", "cmake")]

import installed  # noqa: E402
import support  # noqa: E402

NVCC = support.find_nvcc()
SEARCH, PRUNE = "(anonymous namespace)::searchTree", "(anonymous namespace)::pruneHidden"

# main() of both files as one source, with arguments for a few points.
ON_HOST = """#include "search.cu"
#define main nearest
#include "main.cu"
#undef main
int main() {
  char words[][12] = {"nearest", "--points", "200", "-k", "7"};
  char *arguments[] = {words[0], words[1], words[2], words[3], words[4]};
  return nearest(5, arguments);
}
"""

DECISIONS = f"""version: 1
arrays:
  - {{file: search.cu, function: {SEARCH}, array: distances, decision: stripe}}
  - {{file: search.cu, function: {SEARCH}, array: ids, decision: slot}}
  - {{file: search.cu, function: {SEARCH}, array: stack, decision: split, first: 8}}
"""


class NearestTest(installed.FolderTest):
    def setUp(self):
        super().setUp()
        installed.copy_example("nearest", self.folder)
        folders = [installed.prefix() / "bin", os.environ["PATH"]]
        if NVCC:
            folders.insert(1, pathlib.Path(NVCC).parent)
        self.environment = {**os.environ, "PATH": os.pathsep.join(map(str, folders)),
                            "CUDAARCHS": "90", "CMAKE_GENERATOR": "Ninja"}

    def shell(self, command, code=0):
        return self.run_here("bash", "-ec", command, env=self.environment, code=code).stdout

    def bankstripe(self, command, *options):
        return self.run_here(installed.tool(), command, "--no-confirm", "--gpu-arch=sm_90", *options,
                             "search.cu", "main.cu", "--", "-std=c++17")


class Decided(NearestTest):
    """Without asking ptxas, so that all machines say the same."""

    def verdicts(self):
        report = json.loads(self.bankstripe("analyze", "--format=json").stdout)
        return {array["name"]: (array["verdict"], array["reason"]) for array in report["arrays"]}

    def test_by_prediction(self):
        self.assertEqual(self.verdicts(), {
            "position": ("unchanged", "not-profitable"),
            "distances": ("unchanged", "not-profitable"),
            "ids": ("unchanged", "not-profitable"),
            "stack": ("unchanged", "not-profitable"),
            "hidden": ("bits", "bool-elements")})

    def test_by_its_user(self):
        self.write(".bankstripe.yaml", DECISIONS)
        self.assertEqual(self.verdicts(), {
            "position": ("unchanged", "not-profitable"),
            "distances": ("stripe", "dynamic-index"),
            "ids": ("slot", "decided-slot"),
            "stack": ("split", "decided-split"),
            "hidden": ("bits", "bool-elements")})

    def test_check_of_the_walkthrough_fails_for_stale_decisions(self):
        page = (ROOT / "docs" / "guide" / "walkthrough.md").read_text(encoding="utf-8")
        [check] = re.findall(r"\n\n((?:    .*\n)*    .*stale\|.*\n)", page)
        self.write(".bankstripe.yaml", DECISIONS)
        self.shell(check)
        self.write(".bankstripe.yaml", DECISIONS.replace("array: ids", "array: numbers"))
        self.shell(check, code=1)


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class OnTheHost(NearestTest):
    """The original and rewritten programs find what the program itself expects."""

    def compare(self, *options):
        self.bankstripe("rewrite", "--quiet", "--output-dir=rewritten", *options)
        for name in ("main.cu", "nearest.h"):
            if not (self.folder / "rewritten" / name).exists():
                shutil.copy(self.folder / name, self.folder / "rewritten")
        self.write("both.cu", ON_HOST)
        self.write("rewritten/both.cu", ON_HOST)
        self.run_here(sys.executable, "-B", ROOT / "tests/cpu/run_on_host.py", "--check-bounds",
                      "--rewritten=rewritten/both.cu", "both.cu")

    def test_all_that_can_move(self):
        self.compare("--min-speedup=0")
        self.assertIn("auto ids = ::bankstripe::begin(ids_stripes);", self.read("rewritten/search.cu"))

    def test_as_its_user_decided(self):
        self.write(".bankstripe.yaml", DECISIONS)
        self.compare()
        text = self.read("rewritten/search.cu")
        self.assertIn("::bankstripe::begin(stack_stripes, stack_rest)", text)
        self.assertIn("::bankstripe::bits<kMaxNeighbours> hidden", text)


@unittest.skipUnless(NVCC, "there is no nvcc")
class Built(NearestTest):
    STATS = "2 CUDA files: 1 parsed, 1 rewritten\narrays: unchanged 4, bits 1\n"

    def setUp(self):
        super().setUp()
        installed.copy_known_compilers(self.folder, self.folder / "build", NVCC)

    def copy_of_search(self):
        [copy] = self.folder.glob("**/search*.o.bankstripe/**/search.cu")
        return copy.read_text(encoding="utf-8")

    def test_by_make(self):
        self.shell('make NVCC="bankstripe wrap nvcc"')
        self.assertIn("::bankstripe::bits<", self.copy_of_search())
        self.assertIn(self.STATS, self.shell("bankstripe stats ."))
        self.shell("make clean")
        self.assertEqual([*self.folder.glob("**/*.bankstripe"), *self.folder.glob("*.o")], [])

    def test_by_cmake(self):
        self.shell('cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER="bankstripe;wrap" && cmake --build build')
        self.assertIn("::bankstripe::bits<", self.copy_of_search())
        self.assertIn(self.STATS, self.shell("bankstripe stats build"))

    def test_by_cmake_with_decisions(self):
        self.write(".bankstripe.yaml", DECISIONS)
        self.shell('cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER="bankstripe;wrap" && cmake --build build')
        self.assertIn("stack_rest", self.copy_of_search())

    def test_without_warnings_of_the_host_compiler(self):
        self.shell("make NVCC='nvcc -Xcompiler=-Wall,-Wextra,-Werror'")

    def test_says_what_is_wrong_with_its_arguments(self):
        self.shell("make")
        for arguments in ("-k 0", "-k 17", "--points", "one two"):
            self.shell(f"./nearest {arguments}", code=2)
        self.write("few.txt", "0 0 0\n1 1 1\n")
        self.shell("./nearest few.txt", code=1)
        self.shell("./nearest missing.txt", code=1)


if __name__ == "__main__":
    unittest.main()
