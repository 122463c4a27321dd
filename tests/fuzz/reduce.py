#!/usr/bin/env python3
"""Makes a failing case small and prints it.

    reduce.py --seed=SEED [--tool=BANKSTRIPE] [--output=FILE.cu] [--nvcc]

First parts of the generated tree are switched off: halves of them, quarters, and
so on, as long as the case still fails in the same way. Then single lines of the
text are dropped. What fails is told by the kind of the failure (the tool, the
build of the rewritten file, a crash, a difference) and, for messages of a
compiler or a sanitizer, by the first line of it.

With --nvcc, a case fails when nvcc does not accept the rewritten file; nothing
is run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import pathlib
import re
import sys
import tempfile

import run_pairs
from program import Program, file_of, write
from rewriting import DEFAULT_TOOL, ToolFailure, options_of, rewrite
from run_pairs import Pairs


def without_names(text):
    """A message without what differs from one variant to the next."""
    text = re.sub(r"‘[^’]*’|'[^']*'|\"[^\"]*\"", "X", text)
    return re.sub(r"[\w./]*/[\w./]+|0x[0-9a-f]+|[0-9]+", "0", text).strip()[:200]


def signature(kind, text):
    """Says which failures are the same."""
    if kind == "build":
        found = re.search(r"error: ?(.*)", text)
    elif kind == "crash":
        found = re.search(r"(runtime error: .*|ERROR: AddressSanitizer: \S+|trapped)", text)
    elif kind == "tool":
        found = re.search(r"(Assertion .*|error: .*|exits with.*)", text)
    else:
        found = None
    return kind, without_names(found.group(1)) if found else ""


class Trial:
    """Tells how a program fails."""

    def __init__(self, options, work):
        self.options, self.work, self.number = options, work, 0
        self.known, self.kind = {}, None
        self.pairs = Pairs(options, work)

    def failure(self, text):
        """The signature of the failure, or None; and the whole message."""
        if text not in self.known:
            self.known[text] = self.find(text)
        return self.known[text]

    def find(self, text):
        self.number += 1
        folder = self.work / str(self.number)
        source = folder / "given" / "case.cu"
        source.parent.mkdir(parents=True)
        write(text, source)
        try:
            copy, _ = rewrite(self.options.tool, source, folder / "rewritten",
                              options_of(self.options.seed))
        except ToolFailure as problem:
            return signature("tool", str(problem)), str(problem)
        if copy is None:
            return None, "nothing is rewritten"
        # What a compiler rejects need not be compiled.
        self.options.build_only |= self.kind == "build"
        (folder / "run").mkdir()
        _, problems = self.pairs.compare(source, copy, folder / "run", set())
        if not problems or problems[0].side == "original":
            return None, problems[0].text if problems else "both agree"
        return signature(problems[0].kind, problems[0].text), problems[0].text


def minimise(parts, fails):
    """A small subset of `parts` for which `fails` still holds: leaves out
    halves, quarters, and so on, down to single parts."""
    size = max(1, len(parts) // 2)
    while size:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size:]
            if fails(rest):
                parts = rest
            else:
                at += size
        size //= 2
    return parts


def reduce_tree(seed, trial, wanted):
    """The case with as many switches off as possible."""
    program = Program(seed, trial.options.gpu)
    program.lines()
    off = set()

    def text(off):
        return file_of([program.part(off)], f"case {seed}, reduced")
    while True:
        program.lines(off)
        # Only what is still printed has a say.
        on = [name for name in program.case.asked if name not in off]
        kept = minimise(on, lambda rest: trial.failure(
            text(off | (set(on) - set(rest))))[0] == wanted)
        off |= set(on) - set(kept)
        if len(on) - len(kept) <= 2:
            return text(off)


def reduce_lines(text, trial, wanted):
    """Drops whole blocks between braces, then single lines."""
    lines = text.split("\n")

    def fails(rest):
        return trial.failure("\n".join(rest))[0] == wanted
    at = 0
    while at < len(lines):
        if lines[at].rstrip().endswith("{"):
            depth, end = 0, at
            while end < len(lines):
                depth += lines[end].count("{") - lines[end].count("}")
                end += 1
                if depth <= 0:
                    break
            rest = lines[:at] + lines[end:]
            if end > at + 1 and fails(rest):
                lines = rest
                continue
        at += 1
    return "\n".join(minimise(lines, fails)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    run_pairs.add_options(parser)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tool", type=pathlib.Path, default=DEFAULT_TOOL)
    parser.add_argument("--output", type=pathlib.Path, help="write it there, not to the terminal")
    parser.add_argument("--no-lines", action="store_true", help="leave the text as generated")
    parser.add_argument("--gpu", action="store_true", help="as of generate.py")
    parser.add_argument("--nvcc", action="store_true", help="ask nvcc whether it compiles")
    options = parser.parse_args()
    if options.nvcc:
        options.compiler, options.arch, options.build_only = "nvcc", "sm_90", True
    with tempfile.TemporaryDirectory() as work:
        trial = Trial(options, pathlib.Path(work))
        program = Program(options.seed, options.gpu)
        wanted, message = trial.failure(file_of([program.part()], "whole"))
        if wanted is None:
            print(f"reduce: case {options.seed} does not fail: {message}", file=sys.stderr)
            return 1
        trial.known, trial.kind = {}, wanted[0]
        text = reduce_tree(options.seed, trial, wanted)
        if not options.no_lines:
            text = reduce_lines(text, trial, wanted)
        message = trial.failure(text)[1]
    print(f"case {options.seed}: {wanted[0]}: {wanted[1]}\n{message[:1500]}\n"
          f"{len(text.splitlines())} lines after {trial.number} trials", file=sys.stderr)
    if options.output:
        options.output.write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
