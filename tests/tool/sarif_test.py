"""The SARIF logs of whole runs, held against what the standard requires.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import shutil
import unittest

import sarif_log
from support import BROKEN, DONE, SOME_FAILED, USAGE, ToolTest, moves

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "test_inputs"


class SarifTest(ToolTest):
    def log(self, code, *args):
        """The log of a run that exits with the code; it is valid."""
        done = self.expect(code, self.run_tool(*args, "--format=sarif"))
        log = json.loads(done.stdout.encode("latin-1").decode("utf-8"))
        self.assertEqual(sarif_log.problems(log), [])
        self.assertEqual(log["runs"][0]["invocations"][0]["exitCode"], code)
        return log

    def results(self, code, *args):
        return self.log(code, *args)["runs"][0]["results"]

    def invocation(self, code, *args):
        return self.log(code, *args)["runs"][0]["invocations"][0]


class Valid(SarifTest):
    def test_mistakes_are_noticed(self):
        self.write("a.cu", moves())
        log = self.log(DONE, "analyze", "a.cu")
        result = log["runs"][0]["results"][0]
        result["level"] = "severe"
        result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
        del result["message"]["text"]
        self.assertEqual(len(sarif_log.problems(log)), 3)

    def test_test_inputs(self):
        shutil.copytree(INPUTS / "headers", self.folder / "headers")
        for name in ("launch_forms.cu", "tables.cu", "templates.cu"):
            shutil.copy(INPUTS / name, self.folder)
        ids = {result["ruleId"] for result in self.results(DONE, "analyze", ".")}
        self.assertLessEqual({"dynamic-index", "constant-table"}, ids)

    def test_names_with_special_characters(self):
        self.write("a b/ü #1%.cu", moves())
        place = self.results(DONE, "analyze", "a b")[0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "a%20b/%C3%BC%20%231%25.cu")

    def test_file_that_is_no_utf8(self):
        self.write("a.cu", moves().encode().replace(b"A kernel.", b"G\xe9n\xe9ral."))
        self.assertEqual(len(self.results(DONE, "analyze", "a.cu")), 1)


class Results(SarifTest):
    def test_files_below_the_current_folder_are_named_from_it(self):
        self.write("src/a.cu", moves())
        log = self.log(DONE, "analyze", self.folder / "src")
        run = log["runs"][0]
        place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        root = run["originalUriBaseIds"][place["uriBaseId"]]["uri"]
        self.assertEqual((root, place["uri"]), (f"{self.folder.as_uri()}/", "src/a.cu"))

    def test_files_elsewhere_have_absolute_names(self):
        self.write("a.cu", moves())
        (self.folder / "below").mkdir()
        file = self.folder / "a.cu"
        self.folder = self.folder / "below"
        place = self.results(DONE, "analyze", "../a.cu")[0]["locations"][0]
        self.assertEqual(place["physicalLocation"]["artifactLocation"]["uri"], file.as_uri())


class Runs(SarifTest):
    def test_file_that_cannot_be_processed(self):
        self.write("a.cu", moves())
        self.write("b.cu", BROKEN)
        log = self.log(SOME_FAILED, "rewrite", "--check", ".")
        told = log["runs"][0]["invocations"][0]
        self.assertFalse(told["executionSuccessful"])
        [notification] = told["toolExecutionNotifications"]
        self.assertIn("Clang could not parse", notification["message"]["text"])
        place = notification["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(place["uri"], "b.cu")
        self.assertEqual(len(log["runs"][0]["results"]), 1)

    def test_path_that_is_not_there(self):
        self.write("a.cu", moves())
        for paths, results in (["gone.cu"], 0), (["gone.cu", "a.cu"], 1):
            log = self.log(SOME_FAILED, "analyze", *paths)
            [told] = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
            self.assertIn("no such file or folder", told["message"]["text"])
            self.assertEqual(len(log["runs"][0]["results"]), results)

    def test_file_that_cannot_be_written(self):
        self.write("a.cu", moves()).chmod(0o440)
        log = self.log(SOME_FAILED, "rewrite", "--in-place", "a.cu")
        [told] = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("it is read-only", told["message"]["text"])

    def test_stale_decision_is_said_on_standard_error(self):
        self.write("a.cu", moves())
        self.write(".bankstripe.yaml", "version: 1\narrays:\n"
                   "  - {file: a.cu, function: count, array: gone, decision: keep}\n")
        done = self.expect(DONE, self.run_tool("analyze", "--format=sarif", "a.cu"))
        self.assertIn("stale decision about 'gone'", done.stderr)

    def test_other_commands_have_no_log(self):
        self.write("a.cu", moves())
        done = self.expect(USAGE, self.run_tool("verify", "--format=sarif", "a.cu"))
        self.assertIn("--format=sarif is for analyze and rewrite", done.stderr)


if __name__ == "__main__":
    unittest.main()
