"""The SARIF logs of whole runs, held against what the standard requires.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import shutil
import tempfile
import unittest

import sarif_log
from support import BROKEN, CHANGES, DONE, PLAIN, SOME_FAILED, USAGE, ToolTest, moves

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "test_inputs"

# An array that stays, with the way out of it.
STAYS = """__global__ void stays(int *out, int n) {
  int row[16];
  decltype(row) *other = nullptr;
  for (int i = 0; i < n; ++i)
    row[i * n & 15] += (other != nullptr) + i;
  out[threadIdx.x] = row[n & 15];
}
void launchStays(int *out) { stays<<<1, 64>>>(out, 3); }
"""


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
        result["locations"][0]["physicalLocation"]["region"]["startColumn"] = 0
        del result["message"]["text"]
        self.assertEqual(len(sarif_log.problems(log)), 3)

    def test_test_inputs(self):
        shutil.copytree(INPUTS / "headers", self.folder / "headers")
        for name in ("launch_forms.cu", "tables.cu", "templates.cu"):
            shutil.copy(INPUTS / name, self.folder)
        ids = {result["ruleId"] for result in self.results(DONE, "analyze", ".")}
        self.assertLessEqual({"dynamic-index", "constant-table"}, ids)

    def test_nothing_found(self):
        self.write("a.cu", PLAIN)
        self.assertEqual(self.results(DONE, "analyze", "a.cu"), [])

    def test_names_with_special_characters(self):
        self.write("a b/ü #1%.cu", moves())
        place = self.results(DONE, "analyze", "a b")[0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "a%20b/%C3%BC%20%231%25.cu")

    def test_file_that_is_no_utf8(self):
        self.write("a.cu", moves().encode().replace(b"A kernel.", b"G\xe9n\xe9ral."))
        log = self.log(DONE, "analyze", "a.cu")
        self.assertNotIn("fixes", log["runs"][0]["results"][0])
        self.assertNotIn("encoding", log["runs"][0]["artifacts"][0])


class Results(SarifTest):
    def test_one_per_array_with_its_level(self):
        self.write("a.cu", moves())
        self.write("b.cu", STAYS)
        found = [(r["ruleId"], r["level"]) for r in self.results(DONE, "analyze", ".")]
        self.assertEqual(found, [("dynamic-index", "warning"), ("decltype", "note")])

    def test_quiet_leaves_out_what_stays(self):
        self.write("b.cu", STAYS)
        self.assertEqual(self.results(DONE, "analyze", "--quiet", "b.cu"), [])

    def test_regions_hold_names_behind_any_characters(self):
        text = moves().replace("int last[8]", "/* größer 😀 */ int last[8]")
        for data in (text.encode(), text.replace("\n", "\r\n").encode(),
                     b"\xef\xbb\xbf" + text.encode()):
            self.write("a.cu", data)
            result = self.results(DONE, "analyze", "a.cu")[0]
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(sarif_log.Text(data).at(place["region"]), "last")

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

    def test_fingerprint_outlives_edits_elsewhere(self):
        self.write("a.cu", moves())
        before = self.results(DONE, "analyze", "a.cu")[0]
        self.write("a.cu", "// One more line.\n" + moves())
        after = self.results(DONE, "analyze", "a.cu")[0]
        self.assertNotEqual(before["locations"], after["locations"])
        self.assertEqual(before["partialFingerprints"], after["partialFingerprints"])


class Runs(SarifTest):
    def test_check(self):
        self.write("a.cu", moves())
        before = self.snapshot()
        told = self.invocation(CHANGES, "rewrite", "--check", "a.cu")
        self.assertTrue(told["executionSuccessful"])
        self.assertEqual(self.snapshot(), before)

    def test_check_without_changes(self):
        self.write("a.cu", PLAIN)
        self.invocation(DONE, "rewrite", "--check", "a.cu")

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

    def test_stale_decision(self):
        self.write("a.cu", moves())
        self.write(".bankstripe.yaml", "version: 1\narrays:\n"
                   "  - {file: a.cu, function: count, array: gone, decision: keep}\n")
        [told] = self.invocation(DONE, "analyze", "a.cu")["toolConfigurationNotifications"]
        self.assertEqual(told["descriptor"]["id"], "stale-decision")

    def test_facts(self):
        self.write("a.cu", moves("first"))
        self.write("b.cu", moves("second"))
        self.expect(DONE, self.run_tool("facts", "-o", "all.json", "."))
        whole = self.results(DONE, "analyze", "--facts=all.json")
        self.assertEqual(whole, self.results(DONE, "analyze", "."))
        # Where others edit the rest, nothing here is a whole fix.
        part = self.results(CHANGES, "rewrite", "--check", "--facts=all.json", "a.cu")
        self.assertEqual([r["properties"]["function"] for r in part], ["first"])
        self.assertNotIn("fixes", part[0])

    def test_other_commands_have_no_log(self):
        self.write("a.cu", moves())
        done = self.expect(USAGE, self.run_tool("verify", "--format=sarif", "a.cu"))
        self.assertIn("--format=sarif is for analyze and rewrite", done.stderr)


class Fixes(SarifTest):
    def check_fixes(self, *names):
        """All fixes together are what --in-place does."""
        log = self.log(DONE, "rewrite", "--min-speedup=0", "--embed-helper", *names)
        parent = tempfile.TemporaryDirectory()
        self.addCleanup(parent.cleanup)
        fixed = pathlib.Path(parent.name) / "fixed"
        shutil.copytree(self.folder, fixed)
        fixes = sarif_log.fixes_of(log)
        for fix in fixes:
            sarif_log.apply_fix(fix, fixed)
        self.expect(DONE, self.run_tool("rewrite", "--min-speedup=0", "--in-place",
                                        "--embed-helper", *names))
        for path in fixed.rglob("*.cu*"):
            name = path.relative_to(fixed)
            self.assertEqual(path.read_bytes(), (self.folder / name).read_bytes(), name)
        return len(fixes)

    def test_of_one_kernel(self):
        for name in ("callees.cu", "crlf.cu", "initializers.cu"):
            self.write(name, (INPUTS / name).read_bytes())
            self.assertEqual(self.check_fixes(name), 1)

    def test_with_characters_of_all_lengths(self):
        self.write("a.cu", moves().replace("  int last[8]", "/* ü€😀 */ int last[8]"))
        self.assertEqual(self.check_fixes("a.cu"), 1)

    def test_in_two_files(self):
        self.write("a.cu", moves("first"))
        self.write("b.cu", moves("second"))
        self.assertEqual(self.check_fixes("."), 2)

    def test_each_is_complete(self):
        self.write("a.cu", moves("first") + moves("second"))
        log = self.log(DONE, "rewrite", "--embed-helper", "a.cu")
        fixes = sarif_log.fixes_of(log)
        self.assertEqual(len(fixes), 2)
        sarif_log.apply_fix(fixes[1], self.folder)
        left = self.results(DONE, "rewrite", "a.cu")
        self.assertEqual([r["properties"]["function"] for r in left], ["first"])

    def test_one_after_another_they_come_to_the_same(self):
        text = (INPUTS / "launch_forms.cu").read_bytes()
        self.write("a.cu", text)
        self.write("whole/a.cu", text)
        self.expect(DONE, self.run_tool("rewrite", "--min-speedup=0", "--in-place", "whole"))
        shutil.copy(self.folder / "whole" / "bankstripe.cuh", self.folder)
        for left in range(5, -1, -1):
            fixes = sarif_log.fixes_of(self.log(DONE, "rewrite", "--min-speedup=0", "a.cu"))
            self.assertEqual(len(fixes), left)
            if fixes:
                sarif_log.apply_fix(fixes[-1], self.folder)
        self.assertEqual(self.read("a.cu"), self.read("whole/a.cu"))

    def test_launch_in_another_file_is_part_of_it(self):
        self.write("k.cuh", moves().split("void launch")[0])
        self.write("a.cu", '#include "k.cuh"\nvoid run(int *d, int n) '
                   "{ count<<<1, n>>>(d, d); }\n")
        [fix] = sarif_log.fixes_of(self.log(DONE, "rewrite", "--min-speedup=0", "."))
        files = {c["artifactLocation"]["uri"] for c in fix["artifactChanges"]}
        self.assertEqual(files, {"a.cu", "k.cuh"})

    def test_not_where_the_files_have_changed_already(self):
        self.write("a.cu", moves())
        [result] = self.results(DONE, "rewrite", "--in-place", "a.cu")
        self.assertNotIn("fixes", result)
        self.assert_rewritten("a.cu")


if __name__ == "__main__":
    unittest.main()
