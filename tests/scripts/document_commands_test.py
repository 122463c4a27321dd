"""The commands that the documents give do what the documents say.

Each code block of the pages below is a script, which runs in a folder that holds the sample of
docs/sample, or an example, and has to succeed; or a comment before it says what else it is
(documents.py).

BANKSTRIPE_BUILD names the build, BANKSTRIPE_SOURCE the source tree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import documents
import transcript

ROOT = pathlib.Path(os.environ["BANKSTRIPE_SOURCE"])
sys.path += [str(ROOT / "tests" / folder) for folder in ("tool", "cmake")]

import installed  # noqa: E402
import support  # noqa: E402

# The pages with commands.
PAGES = ("README.md", "docs/index.md", "docs/install.md", "docs/reference/json.md",
         *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "guide").glob("*.md")))

# What a page is about instead of the sample.
EXAMPLES = {"docs/guide/walkthrough.md": "nearest"}

# Nothing else excuses a block from being run.
REASONS = {
    "it needs a GPU": "bankstripe verify, bankstripe tune and what is timed",
    "it needs the network": "installs packages",
    "it builds bankstripe": "which is done before this test",
    "it needs other toolkits": "their headers",
    "it needs the packages": "tests/packages/clean_root.sh installs them",
    "it needs a larger project": "tests/cmake and tests/tool build some",
    "it shows how commands are spelled": "tests/tool tries the options",
    "it is CUDA code": "tests/golden has the like",
    "it is a file": "tests/tool and tests/unit read the like",
    "tests/tool/ci_test.py runs it": "with files in which something moves, or nothing",
}

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX CUDA)
"""
TARGET = "add_executable(app src/count_digits.cu src/main.cu)\n"
MAKEFILE = """NVCC = nvcc
app: count_digits.o main.o
\t$(NVCC) -arch=sm_90 -o $@ $^
%.o: src/%.cu
\t$(NVCC) -arch=sm_90 -c $< -o $@
"""


def blocks_of(page, *kinds):
    found = documents.blocks((ROOT / page).read_text(encoding="utf-8"))
    return [block for block in found if block.kind in kinds]


class CommandTest(installed.FolderTest):
    """Runs scripts that say just `bankstripe`, beside the sample."""

    def setUp(self):
        super().setUp()
        self.nvcc = support.find_nvcc()
        folders = [installed.prefix() / "bin", os.environ["PATH"]]
        if self.nvcc:
            folders.insert(1, pathlib.Path(self.nvcc).parent)
        self.environment = {**os.environ, "PATH": os.pathsep.join(map(str, folders)),
                            "CUDAARCHS": "90", "CMAKE_GENERATOR": "Ninja",
                            "CMAKE_PREFIX_PATH": str(installed.prefix())}

    def prepare(self, page, line=0):
        """An empty folder, then the sample and ways to build it, or the example; then
        the files that the page has written before a line."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if page in EXAMPLES:
            installed.copy_example(EXAMPLES[page], self.folder)
        else:
            self.prepare_sample()
        if self.nvcc:
            for build in ("build", "striped") if page in EXAMPLES else ("build",):
                installed.copy_known_compilers(self.folder, self.folder / build, self.nvcc)
        for block in blocks_of(page, "file"):
            if block.line < line:
                self.write(block.argument, block.text)

    def prepare_sample(self):
        (self.folder / "src").mkdir()
        for source in (ROOT / "docs" / "sample").glob("*.cu"):
            shutil.copy(source, self.folder / "src")
        self.write("CMakeLists.txt", PROJECT + TARGET)
        self.write("Makefile", MAKEFILE)

    def run_script(self, script):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=300)

    def assert_runs(self, script):
        done = self.run_script(script)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}")
        return done.stdout

    def each(self, kind, action):
        """Does something with all blocks of a kind, in a new folder for each."""
        tried = 0
        for page in PAGES:
            for block in blocks_of(page, kind):
                tried += 1
                with self.subTest(f"{page}:{block.line}"):
                    self.prepare(page, block.line)
                    action(page, block)
        self.assertGreater(tried, 0)
        print(f"{tried} blocks: {kind}")

    def need_nvcc(self):
        if not self.nvcc:
            self.skipTest("there is no nvcc")


class Documents(CommandTest):
    def test_scripts_run(self):
        self.each("run", lambda page, block: self.assert_runs(block.text))

    def test_scripts_run_with_nvcc(self):
        self.need_nvcc()

        def run(_, block):
            # What looks at the commands of a build finds one.
            if " -p build" in block.text:
                self.assert_runs("cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
            self.assert_runs(block.text)
        self.each("with nvcc", run)

    def test_projects_build_rewritten_programs(self):
        self.need_nvcc()

        def build(_, block):
            target = "" if "add_executable" in block.text else TARGET
            self.write("CMakeLists.txt", PROJECT + target + block.text)
            self.assert_runs("cmake -B build && cmake --build build")
            [copy] = self.folder.glob("build/**/*.bankstripe/**/count_digits.cu")
            self.assertIn("_stripes", copy.read_text(encoding="utf-8"))
        self.each("CMakeLists.txt", build)

    def compare(self, page, block):
        rules = transcript.NORMALISED + (() if self.nvcc else transcript.TOOLKIT)
        printed = transcript.normalised(self.run_script(block.argument).stdout, rules)
        expected = transcript.normalised(block.text, rules)
        self.assertIn("\n" + expected, "\n" + printed,
                      f"{page}:{block.line} shows what {block.argument} does not print")

    def test_output_is_what_is_printed(self):
        self.each("printed by", self.compare)

    def test_output_is_what_is_printed_with_nvcc(self):
        self.need_nvcc()
        self.each("printed with nvcc by", self.compare)


class Blocks(unittest.TestCase):
    """What is found in a document, so that none of its blocks can be overlooked."""

    def found(self, text):
        return [tuple(block) for block in documents.blocks(text)]

    def test_indented_and_fenced(self):
        self.assertEqual(self.found("Text:\n\n    one\n\n    two\n\nMore:\n\n```sh\nthree\n```\n"),
                         [(3, "one\n\ntwo\n", "run", ""), (9, "three\n", "run", "")])

    def test_paragraph_that_goes_on_is_none(self):
        self.assertEqual(self.found("- an item\n    that goes on\n"), [])

    def test_comment_belongs_to_the_next_block_alone(self):
        self.assertEqual(
            self.found("<!-- not run: why -->\n\n    one\n\nText\n\n    two\n"),
            [(3, "one\n", "not run", "why"), (7, "two\n", "run", "")])
        self.assertEqual(self.found("<!-- not run: why -->\nText\n\n    one\n"),
                         [(4, "one\n", "run", "")])

    def test_other_comments_say_nothing(self):
        self.assertEqual(self.found("<!-- never run: why -->\n\n    one\n"),
                         [(3, "one\n", "run", "")])


class WhatIsNotRun(unittest.TestCase):
    def test_every_reason_is_one_of_a_few(self):
        counts = collections.Counter((page, block.argument)
                                     for page in PAGES for block in blocks_of(page, "not run"))
        for (page, reason), number in sorted(counts.items()):
            print(f"{page}: {number} not run, as {reason}")
        self.assertEqual({reason for _, reason in counts} - set(REASONS), set())

    def test_files_that_it_names_are_there(self):
        for page in PAGES:
            for block in blocks_of(page, "not run"):
                for name in re.findall(r"(?<![\w./-])(?:scripts|tests|test_inputs)/[\w./]+",
                                       block.text):
                    self.assertTrue((ROOT / name).exists(), f"{page}:{block.line}: {name}")

    def test_presets_that_it_names_are_there(self):
        presets = (ROOT / "CMakePresets.json").read_text(encoding="utf-8")
        for page in PAGES:
            for block in blocks_of(page, "not run"):
                for name in re.findall(r"--preset (\w+)", block.text):
                    self.assertIn(f'"name": "{name}"', presets, f"{page}:{block.line}")

    def test_subcommands_that_it_names_are_there(self):
        help_text = installed.run(installed.tool(), "--help").stdout
        for page in PAGES:
            for block in blocks_of(page, "not run"):
                for name in re.findall(r"(?m)^(?:build/bin/)?bankstripe +([a-z][a-z-]+)",
                                       block.text):
                    self.assertRegex(help_text, rf"(?m)^  {name} +- ", f"{page}:{block.line}")


class NewUser(CommandTest):
    """What tests/packages/clean_root.sh does on a machine that has nothing, on this one."""

    def follow(self, name):
        text = (ROOT / "tests" / "packages" / "new_user" / name).read_text(encoding="utf-8")
        _, commands = transcript.commands_in(text)
        for command, expected in commands:
            printed = transcript.run(command, cwd=self.folder, env=self.environment)
            wrong = transcript.difference(expected, printed,
                                          transcript.NORMALISED + transcript.TOOLKIT)
            self.assertEqual(wrong, "", f"{name}: {command}")

    def test_first_steps(self):
        self.prepare("README.md")
        self.follow("use.txt")
        if not self.nvcc:
            self.skipTest("there is no nvcc to compile what was rewritten")
        self.follow("compile.txt")


if __name__ == "__main__":
    unittest.main()
