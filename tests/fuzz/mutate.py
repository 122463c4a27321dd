#!/usr/bin/env python3
"""Changes real programs without changing what they do, rewrites them, and compares.

    mutate.py [--tool=BANKSTRIPE] [--first=SEED] [--mutants=N] [FILE.cu...]

A mutant is a program of test_inputs/ (or FILE.cu) with a few of these changes: names
are others, a statement of a kernel stands in a lambda or comes out of a macro, a kernel
is a template, a function lies in a header. It has to print and to leave in device
memory what the program does before the tool sees it; those that do not compile are
left out. Then it is rewritten, in one of several forms, and has to do the same again.

Exit status: 0 no mutant fails, 1 some do, 77 the compiler is missing.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cpu"))
import run_on_host  # noqa: E402
from rewriting import DEFAULT_TOOL  # noqa: E402

INPUTS = HERE.parents[1] / "test_inputs"
FORMS = {
    "in-place": ["--whole-program"], "versions": ["--versions"],
    "small-versions": ["--versions", "--block-size=40"],
    "slot": ["--whole-program", "--layout=slot"], "split": ["--whole-program", "--layout=split"],
    "large": ["--whole-program", "--shared-limit=232448"],
}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
FUNCTION = re.compile(r"^(?:template <[^\n]*>\n)?[^\n#/};]*\b__(?:device|global)__\b[^;{}#]*\)\s*\{", re.M)


class Mutant:
    """The text of a program, and headers that it includes."""

    def __init__(self, text, rng):
        self.text, self.rng, self.headers, self.done = text, rng, {}, []

    def functions(self, word="__(?:device|global)__"):
        """(start, opening brace, end) of each function of this kind at file scope."""
        masked = run_on_host.mask(self.text)
        found = []
        for match in FUNCTION.finditer(masked):
            end = run_on_host.balanced_end(masked, match.end(), "}") + 1
            if re.search(word, match.group()) and "#" not in masked[match.start():end]:
                found.append((match.start(), match.end() - 1, end))
        return found

    def statements(self):
        """(start, end) of the expression statements of kernels and device functions,
        those that stand on lines of their own between braces."""
        masked, found = run_on_host.mask(self.text), []
        for _, opening, end in self.functions():
            before = opening
            for match in re.finditer(r"[;{}]\s*\n( +)([^\n;{}#]+;)(?=\n)", masked[opening:end]):
                text = match.group(2)
                # Declarations, jumps and what belongs to a head before it stay.
                if re.match(r"[\w:]+(\s+|\s*[*&]\s*)\w|return|break|continue|goto|case|default|else|extern|asm|"
                            r"__shared__|using|typedef|for|if|while|do\b|\w+<", text) or "__syncthreads" in text:
                    continue
                at = opening + match.start(2)
                if at >= before:
                    found.append((at, at + len(text)))
                    before = at + len(text)
        return found

    def replace(self, start, end, text):
        self.text = self.text[:start] + text + self.text[end:]

    # --- The changes: each says whether there was something to change ----------

    def rename(self):
        """Another name for one that the program declares."""
        masked = run_on_host.mask(self.text)
        names = collections.Counter(IDENTIFIER.findall(masked))
        declared = {m.group(2) for m in re.finditer(
            r"\b(int|unsigned|float|double|bool|char|short|Pair|void)\s+[*&]?(\w+)\s*[\[=;,()]", masked)}
        names = [n for n in declared if names[n] > 1 and n != "main" and len(n) > 1
                 and not re.search(rf"[.>\"#]\s*{n}\b|std::{n}\b|#.*\b{n}\b", self.text)
                 and not n.startswith("cuda")]
        if not names:
            return False
        name = self.rng.choice(sorted(names))
        new = self.rng.choice([f"{name}_", f"_{name}x", f"{name}_stripes", f"{name}_slots", f"{name}_striped",
                               "own" + name.capitalize(), f"begin_{name}"])
        at = [m.start() for m in re.finditer(rf"\b{name}\b", masked)]
        for start in reversed(at):
            self.replace(start, start + len(name), new)
        return True

    def in_lambda(self):
        found = self.statements()
        if not found:
            return False
        start, end = self.rng.choice(found)
        form = self.rng.choice(["[&] { {} }();", "[&]() { {} }();", "{ auto step = [&](auto) { {} }; step(0); }"])
        self.replace(start, end, form.replace("{}", self.text[start:end], 1))
        return True

    def by_macro(self):
        """A statement is what a macro says, or its argument."""
        found = self.statements()
        if not found:
            return False
        start, end = self.rng.choice(found)
        name, statement = f"STATEMENT_{len(self.done)}", self.text[start:end]
        if "\n" in statement:
            return False
        whole = self.rng.random() < 0.5
        self.replace(start, end, name if whole else f"{name}({statement[:-1]});")
        function = max(s for s, _, _ in self.functions() if s <= start)
        self.replace(function, function, f"#define {name} {statement}\n" if whole else
                     f"#define {name}(...) __VA_ARGS__\n")
        return True

    def as_template(self):
        """A kernel becomes a template, whose argument says nothing."""
        masked = run_on_host.mask(self.text)
        kernels = [f for f in self.functions("__global__") if not masked.startswith("template", f[0])]
        if not kernels:
            return False
        start, opening, _ = self.rng.choice(kernels)
        name = re.findall(r"(\w+)\s*\(", re.sub(r"__launch_bounds__\s*\([^()]*\)", "", masked[start:opening]))
        if not name or re.search(rf"\b{name[0]}\b(?!\s*(<<<|\())", masked):
            return False
        self.text = re.sub(rf"\b{name[0]}(\s*<<<)", rf"{name[0]}<0>\1", self.text)
        self.replace(start, start, "template <int Unused>\n")
        return True

    def in_header(self):
        """A function moves into a header, which is included where it stood."""
        found = self.functions()
        if not found:
            return False
        start, _, end = self.rng.choice(found)
        name = f"part{len(self.headers)}.cuh"
        self.headers[name] = ("#pragma once\n" if self.rng.random() < 0.7 else "") + self.text[start:end] + "\n"
        self.replace(start, end, f'#include "{name}"')
        return True

    def in_two_files(self):
        """All before main lies in another file."""
        main = re.search(r"^int main\(", self.text, re.M)
        if not main or "all.cuh" in self.headers:
            return False
        self.headers["all.cuh"] = self.text[:main.start()]
        self.replace(0, main.start(), '#include "all.cuh"\n\n')
        return True

    def in_namespace(self):
        """The device's functions lie in a namespace that the file uses."""
        found = self.functions("__device__")
        if not found:
            return False
        start, _, end = self.rng.choice(found)
        self.replace(start, end, f"namespace inner_{len(self.done)} {{\n{self.text[start:end]}\n}}\n"
                     f"using namespace inner_{len(self.done)};")
        return True

    def in_block(self):
        """A statement stands in a loop of one round, or behind a condition that holds."""
        found = self.statements()
        if not found:
            return False
        start, end = self.rng.choice(found)
        form = self.rng.choice(["do { {} } while (false);", "for (int once = 0; once < 1; ++once) { {} }",
                                "if (blockDim.x > 0) { {} }", "switch (0) { default: {} }"])
        self.replace(start, end, form.replace("{}", self.text[start:end], 1))
        return True

    CHANGES = [rename, rename, in_lambda, by_macro, as_template, in_header, in_two_files, in_namespace, in_block]

    def change(self, count):
        # Text that moves into another file is not changed any more.
        chosen = sorted(self.rng.choices(range(len(self.CHANGES)), k=count),
                        key=lambda number: self.CHANGES[number] in (Mutant.in_header, Mutant.in_two_files))
        for number in chosen:
            if self.CHANGES[number](self):
                self.done.append(self.CHANGES[number].__name__)

    def write(self, folder, name):
        folder.mkdir(parents=True)
        for header, text in self.headers.items():
            (folder / header).write_bytes(text.encode("latin-1"))
        (folder / name).write_bytes(self.text.encode("latin-1"))
        return folder / name


def without_names(seen):
    """What a run printed and left, without the names of kernels."""
    printed, memory = seen
    return printed, re.sub(r"(launch \d+: )\S+(<.*?>)?", r"\1", memory)


class Trials:
    """Runs mutants, and counts what becomes of them."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.wanted, self.counts = {}, collections.Counter()

    def seen(self, source, name, defines=()):
        program = run_on_host.build(source, [source.parent], self.work / name, self.options.compiler,
                                    list(defines))
        return without_names(run_on_host.run(program, 0, self.options.timeout))

    def rewrite(self, source, form):
        target = self.work / "rewritten"
        # Headers that do not stand alone are rewritten with what includes them.
        command = [str(self.options.tool), "rewrite", "--no-cache", "--quiet", "--no-confirm",
                   "--gpu-arch=sm_90", "--min-speedup=0", f"--output-dir={target}", *FORMS[form],
                   str(source.parent), "--", "-std=c++20"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False)
        if done.returncode:
            raise run_on_host.Failure("tool", f"exits with {done.returncode}\n{done.stderr[-2000:]}")
        return next((p for p in target.rglob(source.name) if p.is_file()), None)

    def try_one(self, seed, path):
        """A problem as text, or None."""
        rng = random.Random(f"mutant {seed}")
        mutant = Mutant(path.read_bytes().decode("latin-1"), rng)
        mutant.change(rng.randint(1, 5))
        form = rng.choice(list(FORMS))
        shutil.rmtree(self.work, ignore_errors=True)
        source = mutant.write(self.work / "given", path.name)
        if not mutant.done:
            return None
        try:
            if path not in self.wanted:
                self.wanted[path] = self.seen(path, "program")
            if self.seen(source, "mutant") != self.wanted[path]:
                self.counts["other"] += 1
                return None
        except run_on_host.Failure:
            self.counts["does not compile or run"] += 1
            return None
        try:
            copy = self.rewrite(source, form)
            self.counts[f"form {form}"] += 1
            self.counts.update(f"change {name}" for name in mutant.done)
            same = copy is None or self.seen(copy, "again", ["BANKSTRIPE_CHECK_BOUNDS"]) == self.wanted[path]
            self.counts["agree" if same else "differ"] += 1
            return None if same else f"mutant {seed} of {path.name} ({form}; {mutant.done}) differs"
        except run_on_host.Failure as problem:
            self.counts[problem.kind] += 1
            return f"mutant {seed} of {path.name} ({form}; {mutant.done}): {problem.kind}: {str(problem)[:1500]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", type=pathlib.Path, default=DEFAULT_TOOL)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--timeout", type=int, default=240)
    parser.add_argument("--keep", type=pathlib.Path, help="keep what fails in this folder")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        print(f"mutate: skipped: there is no {options.compiler}")
        return run_on_host.SKIPPED
    files = options.files or sorted(INPUTS.glob("*.cu"))
    problems = 0
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.setdefault("HOST_CUDA_HEADER", str(run_on_host.precompile(
            options.compiler, run_on_host.FLAGS, pathlib.Path(temporary) / "header")))
        trials = Trials(options, pathlib.Path(temporary) / "work")
        for seed in range(options.first, options.first + options.mutants):
            problem = trials.try_one(seed, files[seed % len(files)].resolve())
            if problem:
                problems += 1
                print(problem, flush=True)
                if options.keep:
                    shutil.copytree(trials.work, options.keep / str(seed), dirs_exist_ok=True)
    print(", ".join(f"{count} {name}" for name, count in sorted(trials.counts.items())))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
