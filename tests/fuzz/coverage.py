#!/usr/bin/env python3
"""Says which share of find/ and edit/ generated programs reach.

    coverage.py BUILD [--first=SEED] [--cases=N] [--folders find edit]

BUILD is a build folder with an up-to-date bankstripe, made by Clang. The folders of
rewriter/ are compiled once more, with counters, and linked with the other objects of
BUILD; the result lies in BUILD/coverage. Nothing that is generated is run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import program
from rewriting import ToolFailure, options_of, rewrite

COUNTERS = ["-fprofile-instr-generate", "-fcoverage-mapping"]


# The tool's processes end without what writes counters at the end of a program.
AT_EXIT = """int __llvm_profile_write_file(void);
void __real__exit(int);
void __wrap__exit(int Status) { __llvm_profile_write_file(), __real__exit(Status); }
"""


def instrumented(build, folders):
    """The tool, with counters in these folders of rewriter/."""
    target = build / "coverage"
    target.mkdir(exist_ok=True)
    commands = json.loads((build / "compile_commands.json").read_text())
    objects, sources = [], []
    for entry in commands:
        if not any(f"/rewriter/{folder}/" in entry["file"] for folder in folders):
            continue
        words = shlex.split(entry["command"])
        compiler = words[0]
        at = words.index("-o") + 1
        made = target / words[at].replace("/", "_")
        source = pathlib.Path(entry["file"])
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            words[at] = str(made)
            words[1:1] = COUNTERS
            subprocess.run(words, cwd=entry["directory"], check=True)
        objects.append(made)
        sources.append(str(source))
    (target / "exit.c").write_text(AT_EXIT)
    subprocess.run([compiler.replace("clang++", "clang"), "-c", "exit.c"], cwd=target, check=True)
    objects.append(target / "exit.o")
    steps = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "bankstripe"],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    link = next(line for line in reversed(steps) if re.search(r"-o bin/bankstripe\b", line))
    # Objects come before libraries, so the linker has these when it looks for theirs.
    link = re.sub(r"-o bin/bankstripe\b", " ".join(
        [*map(str, objects), COUNTERS[0], "-Wl,--allow-multiple-definition,--wrap=_exit", "-o coverage/bankstripe"]), link, count=1)
    link = re.sub(r"^: && | && :$", "", link)
    subprocess.run(link, shell=True, cwd=build, check=True)
    return target / "bankstripe", sources


def tool_of(clang, name):
    """llvm-profdata or llvm-cov of the version of this Clang."""
    version = re.search(r"-\d+$", clang)
    found = shutil.which(name + (version.group() if version else "")) or shutil.which(name)
    return found or sys.exit(f"coverage: there is no {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--folders", nargs="*", default=["find", "edit"])
    options = parser.parse_args()
    build = options.build.resolve()
    tool, sources = instrumented(build, options.folders)
    clang = shlex.split(json.loads((build / "compile_commands.json").read_text())[0]["command"])[0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        # Each file is read by a process of its own, which adds to what others have left.
        os.environ["LLVM_PROFILE_FILE"] = f"{folder}/profile-%4m.raw"
        for first in range(options.first, options.first + options.cases, options.batch):
            seeds = range(first, min(first + options.batch, options.first + options.cases))
            source = folder / f"cases_{first}.cu"
            program.write(program.batch(list(seeds))[0], source)
            try:
                rewrite(tool, source, folder / "rewritten", options_of(first))
            except ToolFailure as failure:
                print(failure)
        profile = folder / "all.profile"
        raw = [str(path) for path in folder.glob("profile-*.raw")]
        subprocess.run([tool_of(clang, "llvm-profdata"), "merge", "-sparse", *raw, "-o", str(profile)],
                       check=True)
        done = subprocess.run([tool_of(clang, "llvm-cov"), "report", str(tool), f"-instr-profile={profile}",
                               "--show-functions=false", *sources], capture_output=True, text=True, check=True)
    print(done.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
