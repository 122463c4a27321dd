#!/usr/bin/env python3
"""Tests of the generator and of what looks for failures.

    test_fuzz.py text                  one seed has one text
    test_fuzz.py mistake --tool=BANKSTRIPE --name=NAME
                                       a tool that is wrong in this way is caught,
                                       and a failing case is made small

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Cases that show a mistake which the first one does not.
SHOWN_BY = {"warp": 3, "lane": 3, "clear": 3, "place": 1, "own": 21, "few": 4, "rows": 2}
LINES = 110  # of a case that has been made small


def generate(*arguments):
    return subprocess.run([sys.executable, str(HERE / "generate.py"), *map(str, arguments)],
                          capture_output=True, text=True, check=True).stdout


def case_text(text, seed):
    found = re.search(rf"// ===== case {seed} =====\n.*?(?=// =====|int main\(\))", text, re.DOTALL)
    return found.group()


def test_text():
    """The same text each time, alone and among others; another seed, another
    text; nothing that a GPU does not do when it is for one."""
    batch = generate(100, 8)
    assert batch == generate(100, 8), "two runs give two texts"
    for seed in range(100, 108):
        alone = generate(seed)
        assert case_text(alone, seed) == case_text(batch, seed), f"case {seed} differs alone"
    texts = {re.sub(r"\d+", "", case_text(batch, seed)) for seed in range(100, 108)}
    assert len(texts) == 8, "two seeds give one text"
    # Atomic operations on local memory stop a GPU.
    local = r"atomic\w+\(&(?!arrived)"
    assert re.search(local, generate(100, 40)) and not re.search(local, generate("--gpu", 100, 40))


def script(name, environment, *arguments):
    return subprocess.run([sys.executable, str(HERE / name), *arguments], text=True,
                          capture_output=True, env={**os.environ, **environment}, check=False)


def test_mistake(tool, mistake):
    environment = {"BANKSTRIPE": str(tool), "FUZZ_MISTAKE": mistake}
    wrong = f"--tool={HERE / 'wrong_tool.py'}"
    done = script("run.py", environment, wrong, "--keep-going",
                  f"--first={SHOWN_BY.get(mistake, 1)}", "--cases=1")
    assert done.returncode == 1, f"not noticed: {done.stdout}{done.stderr}"
    kinds = {"syntax": "build", "crash": "tool"}.get(mistake, "output|crash")
    found = re.search(rf"^case (\d+): ({kinds})", done.stdout, re.MULTILINE)
    assert found, f"not noticed as {kinds}: {done.stdout}{done.stderr}"
    if mistake not in ("own", "crash"):  # One of the program, and one of the tool.
        return
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.cu"
        done = script("reduce.py", environment, wrong, f"--seed={found.group(1)}", "--no-lines",
                      "--orders=1", f"--output={small}")
        assert done.returncode == 0, f"not reduced: {done.stdout}{done.stderr}"
        text = small.read_text()
    lines = len(case_text(text, found.group(1)).splitlines())
    assert lines <= LINES, f"{lines} lines are left:\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("test", choices=["text", "mistake"])
    parser.add_argument("--tool", type=pathlib.Path)
    parser.add_argument("--name")
    options = parser.parse_args()
    if options.test == "text":
        test_text()
    elif not shutil.which("g++"):
        print("test_fuzz: skipped: there is no g++")
        return 77
    else:
        test_mistake(options.tool, options.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
