"""The commands of docs/guide/ci.md and the hooks do what that page says.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import sarif_log
from support import (BROKEN, CHANGES, DONE, PLAIN, SOME_FAILED, TOOL, USAGE, ToolTest, find_nvcc,
                     moves)

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "ci.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def block_with(language, text):
    [found] = [block for block in blocks(language) if text in block]
    return found


class CommandTest(ToolTest):
    """Runs commands of the page, which say just `bankstripe`."""

    def shell(self, script):
        programs = self.folder.parent / f"{self.folder.name}-bin"
        if not programs.exists():
            programs.mkdir()
            self.addCleanup(shutil.rmtree, programs)
            (programs / "bankstripe").symlink_to(pathlib.Path(TOOL).resolve())
        return subprocess.run(
            ["bash", "-e", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=120,
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})


class Check(CommandTest):
    def test_first_command_checks(self):
        self.write("src/a.cu", moves())
        done = self.expect(CHANGES, self.shell(block_with("sh", "--check --no-confirm")))
        self.assertIn("+++ b/src/a.cu", done.stdout)

    def test_script_tells_the_exit_codes_apart(self):
        script = block_with("sh", "case $status in")
        self.write("src/a.cu", PLAIN)
        done = self.expect(DONE, self.shell(script))
        self.assertEqual(done.stdout, "nothing would change\n")
        self.write("src/b.cu", moves())
        done = self.expect(DONE, self.shell(script))
        self.assertEqual(done.stdout, "some arrays would move, see changes.diff\n")
        self.assertIn("+++ b/src/b.cu", self.read("changes.diff"))
        self.write("src/c.cu", BROKEN)
        self.expect(SOME_FAILED, self.shell(script))

    def test_exit_codes(self):
        self.write("stays.cu", moves().replace("{0};", "{0}; // NOLINT(bankstripe)"))
        self.write("moves.cu", moves())
        self.write("broken.cu", BROKEN)
        for form in ("text", "json", "sarif"):
            for code, paths in ((DONE, ["stays.cu"]),
                                (CHANGES, ["moves.cu", "stays.cu"]),
                                (USAGE, []),
                                (SOME_FAILED, ["moves.cu", "broken.cu"])):
                self.expect(code, self.run_tool("rewrite", "--check", f"--format={form}",
                                                *paths))


class Sarif(CommandTest):
    def test_log_is_written(self):
        self.write("src/a.cu", moves())
        self.expect(DONE, self.shell(block_with("sh", "analyze --format=sarif")))
        self.assertEqual(sarif_log.problems(json.loads(self.read("bankstripe.sarif"))), [])


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Configurations(CommandTest):
    def test_all_can_be_read(self):
        self.assertEqual(len(blocks("yaml")), 2)
        for block in blocks("yaml"):
            self.assertIsInstance(yaml.safe_load(block), dict)

    def test_workflow_checks_and_uploads_what_was_written(self):
        workflow = yaml.safe_load(block_with("yaml", "upload-sarif"))
        steps = workflow["jobs"]["arrays"]["steps"]
        [look] = [s for s in steps if s.get("run", "").startswith("bankstripe ")]
        self.write("src/a.cu", moves())
        self.expect(CHANGES, self.shell(look["run"]))
        log = json.loads(self.read(steps[-1]["with"]["sarif_file"]))
        self.assertEqual(sarif_log.problems(log), [])
        self.assertEqual(len(log["runs"][0]["results"]), 1)

    def test_workflow_names_scripts_and_targets_that_exist(self):
        workflow = yaml.safe_load(block_with("yaml", "upload-sarif"))
        [build] = [s["run"] for s in workflow["jobs"]["arrays"]["steps"]
                   if s.get("name") == "Build bankstripe"]
        self.assertTrue((ROOT / build.splitlines()[0]).exists())
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        self.assertIn("--preset default", build)
        self.assertIn("default", [p["name"] for p in presets["configurePresets"]])

    def hooks(self):
        text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        return {hook["id"]: hook for hook in yaml.safe_load(text)}

    def run_hook(self, hook, arguments, names):
        """As pre-commit does, with the names that the hook asks for."""
        chosen = [name for name in names if re.search(hook["files"], name)]
        if not hook.get("pass_filenames", True):
            chosen = []
        return self.shell(" ".join([hook["entry"], *arguments, *chosen]))

    def test_hooks_of_the_repository(self):
        [repository] = yaml.safe_load(block_with("yaml", "rev:"))["repos"]
        [configured] = repository["hooks"]
        hooks = self.hooks()
        hook, arguments = hooks[configured["id"]], configured["args"]
        self.write("b.cu", PLAIN)
        self.expect(DONE, self.run_hook(hook, arguments, ["b.cu"]))
        self.write("a.cu", moves())
        # Whatever a commit has of them, all files are looked at.
        self.expect(CHANGES, self.run_hook(hook, arguments, ["b.cu"]))
        rewriting = hooks["bankstripe-rewrite"]
        self.expect(DONE, self.run_hook(rewriting, arguments, ["b.cu"]))
        self.assert_rewritten("a.cu")
        self.expect(DONE, self.run_hook(hook, arguments, ["a.cu"]))

    def test_hooks_run_for_sources_and_headers(self):
        for hook in self.hooks().values():
            for name in ("a.cu", "src/b.cuh", "c.h", "d.hpp"):
                self.assertRegex(name, hook["files"])
            self.assertNotRegex("notes.txt", hook["files"])

    def assert_valid(self, *words):
        """What a program that knows a format better than we do says of a file."""
        if not shutil.which(words[0]):
            self.skipTest(f"{words[0]} is not installed")
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WARNING", done.stdout + done.stderr)

    def test_pre_commit_accepts_the_hooks(self):
        self.write("first.yaml", block_with("yaml", "rev:"))
        self.assert_valid("pre-commit", "validate-config", "first.yaml")
        self.assert_valid("pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")

    def test_workflow_follows_the_schema_of_its_host(self):
        self.write("workflow.yaml", block_with("yaml", "upload-sarif"))
        self.assert_valid("check-jsonschema", "--builtin-schema", "vendor.github-workflows",
                          "workflow.yaml")


@unittest.skipUnless(yaml and shutil.which("git"), "needs python3-yaml and git")
class Repository(CommandTest):
    """A commit of a project behind the hook that rewrites, with git as pre-commit uses it."""

    FILES = {
        ".gitignore": "build/\n",
        "include/count.cuh": """#pragma once
static __device__ int weigh(const int *in) {
  int table[4] = {0};
  for (int i = 0; i < TIMES; ++i)
    table[in[i] & 3] += table[in[i + 1] & 3];
  return table[in[0] & 3];
}
__global__ void count(const int *in, int *out);
""",
        "src/count.cu": """#include "count.cuh"
__global__ void count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < TIMES; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7] + weigh(in);
}
void small(const int *in, int *out) { count<<<1, 128>>>(in, out); }
""",
        "src/main.cu": """#include "count.cuh"
void small(const int *in, int *out);
int main() {
  small(nullptr, nullptr);
  count<<<1, 256>>>(nullptr, nullptr);
}
""",
    }

    def git(self, *words, code=0):
        done = self.shell(" ".join(["git -c user.name=N -c user.email=n@example.invalid", *words]))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def setUp(self):
        super().setUp()
        for name, text in self.FILES.items():
            self.write(name, text)
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.folder), "file": f"src/{name}.cu",
             "command": f"nvcc -DTIMES=50 -Iinclude -c src/{name}.cu -o build/{name}.o"}
            for name in ("count", "main")]))
        hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        [hook] = [h for h in hooks if h["id"] == "bankstripe-rewrite"]
        self.assertFalse(hook["pass_filenames"])
        self.git("init -q")
        # It fails when files of the commit were changed, as pre-commit does.
        self.write(".git/hooks/pre-commit", f"""#!/bin/sh
git diff --cached --name-only | grep -Eq '{hook['files']}' || exit 0
{hook['entry']} --no-confirm --min-speedup=0 {' '.join(hook['args'])} && git diff --quiet
""").chmod(0o755)

    def test_what_is_committed_compiles(self):
        self.git("add .")
        self.git("commit -qm first", code=1)
        self.git("commit -qam first")
        self.assertEqual(self.git("status --porcelain"), "")
        # The larger blocks are those of the other file.
        self.assertIn("::bankstripe::warps(256)", self.read("src/count.cu"))
        self.assertIn("::bankstripe::warps(256)", self.read("include/count.cuh"))
        self.git("clone -q . build/clone")
        if not find_nvcc():
            self.skipTest("there is no nvcc to compile what was committed")
        for name in ("count", "main"):
            self.expect(DONE, self.shell(f"cd build/clone && '{find_nvcc()}' -arch=sm_90 -DTIMES=50 "
                                         f"-Iinclude -c src/{name}.cu -o {name}.o"))

    def test_a_change_of_a_header_alone_is_looked_at(self):
        self.git("add .")
        self.git("commit -qm first --no-verify")
        header = self.FILES["include/count.cuh"]
        self.write("include/count.cuh", header.replace("table[4]", "table[8]"))
        self.git("commit -qam second", code=1)
        self.assertIn("::bankstripe::warps(256)", self.read("src/count.cu"))


if __name__ == "__main__":
    unittest.main()
