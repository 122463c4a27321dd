"""Plans and edits from facts are those of one process, for all test inputs and
golden cases.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.util
import pathlib
import unittest

from support import DONE, ToolTest

TESTS = pathlib.Path(__file__).resolve().parents[1]
INPUTS = TESTS.parent / "test_inputs"


def load_golden():
    """The script that runs the golden cases, which knows their options."""
    spec = importlib.util.spec_from_file_location("golden", TESTS / "golden" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Corpus(ToolTest):
    def assert_same_from_facts(self, source, pieces, *options):
        """What one process makes of the folder `source`, against what is made
        of the facts of its `pieces`, lists of files, each read on its own."""
        names = []
        for number, files in enumerate(pieces):
            names.append(f"{number}.json")
            self.expect(DONE, self.run_tool(
                "facts", "-o", names[-1], f"--scope={source}", *files))
        self.expect(DONE, self.run_tool("merge-facts", "-o", "all.json", *names))
        command = ("rewrite", "--format=json", *options)
        direct = self.expect(DONE, self.run_tool(*command, source))
        self.assertIn('"arrays"', direct.stdout)
        facts = self.expect(DONE, self.run_tool(*command, "--facts=all.json"))
        self.assertEqual(direct.stdout, facts.stdout)

    def test_inputs(self):
        files = sorted(INPUTS.rglob("*.cu"))
        self.assertGreater(len(files), 20)
        self.assert_same_from_facts(INPUTS, (files[::2], files[1::2]))

    def test_golden_cases(self):
        golden = load_golden()
        for case in golden.cases():
            if "--unroll" in golden.options(case):
                continue  # It asks nvcc about each run, so facts refuse it.
            with self.subTest(case):
                folder = TESTS / "golden" / case
                self.assert_same_from_facts(
                    folder, [[file] for file in sorted(folder.glob("*.cu"))],
                    *golden.options(case))


if __name__ == "__main__":
    unittest.main()
