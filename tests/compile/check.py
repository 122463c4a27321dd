#!/usr/bin/env python3
"""Compiles programs and their rewritten forms with nvcc and compares what ptxas says.

    check.py --tool=BANKSTRIPE [FILE.cu...]     rewrite, then compile both
    check.py --rewritten=FOLDER [FILE.cu...]    rewritten copies that are there already

Without FILEs, all programs of test_inputs/. Each is compiled for sm_80, sm_90
and sm_120, or for --architecture alone. It is an error when

  - one of the forms does not compile, or nvcc warns of the rewritten one only;
  - a kernel of the rewritten program has a stack frame. Where some must remain,
    a line in the program says so: `// expect-stack-frame: kernel=BYTES`, or
    `kernel=BYTES-BYTES` where architectures differ;
  - arrays are to be moved (`// expect-striped:`, `// expect-slot:`,
    `// expect-constant:`), but no stack frame shrank;
  - none is to be moved, but the original has a stack frame.

A line `// rewrite-options: OPTIONS` in a program adds options of the tool.
A program with headers of its own, .cuh files beside it, is rewritten together
with all of its folder.

Prints a table of stack frame, registers and shared memory. Exit status: 0 all
as expected, 1 not, 77 there is no nvcc.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
SKIPPED = 77
VERSION = "_striped"


def find_nvcc():
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            candidate = pathlib.Path(os.environ[variable]) / "bin" / "nvcc"
            if candidate.exists():
                return str(candidate)
    default = "/usr/local/cuda/bin/nvcc"
    return shutil.which("nvcc") or (default if os.path.exists(default) else None)


def latin1(path):
    return path.read_bytes().decode("latin-1")


def kernels_in(text):
    """The names of all kernels that the program defines."""
    pattern = r"__global__(?:\s|\bvoid\b|\bstatic\b|\binline\b|__launch_bounds__\s*\([^()]*\))*(\w+)\s*\("
    return re.findall(pattern, text)


def readable(mangled, names):
    """The name in the source, with template arguments: nvcc puts a hash of the
    file's place before the names of kernels of internal linkage."""
    fitting = [n for n in names if f"{len(n)}{n}" in mangled]
    if not fitting:
        return mangled
    name = max(fitting, key=len)
    done = subprocess.run(["c++filt", mangled], capture_output=True, text=True)
    arguments = re.search(rf"\b{name}(<.*?>)\(", done.stdout)
    return name + (arguments.group(1) if arguments else "")


def parse_report(report, names):
    """(kernel, architecture) => (stack frame, registers, shared bytes)."""
    table, key = {}, None
    for line in report.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)' for '(\w+)'", line):
            key = (readable(match.group(1), names), match.group(2))
            frame = 0
        elif match := re.search(r"(\d+) bytes stack frame", line):
            frame = int(match.group(1))
        elif key and (match := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            table[key] = (frame, int(match.group(1)), int(shared.group(1)) if shared else 0)
            key = None
    # A version that stands beside a kernel takes its place.
    for name, architecture in [k for k in table if VERSION in k[0]]:
        table[name.replace(VERSION, ""), architecture] = table.pop((name, architecture))
    return table


def compile_with_nvcc(nvcc, architectures, source, folder, output):
    """nvcc's report on `source`, which is compiled as if it lay in `folder`."""
    command = [nvcc, "-fatbin", "-O3", "-std=c++17", "-Xptxas", "-v", f"-I{folder}",
               "-o", str(output), str(source)]
    for architecture in architectures:
        command.append(f"-gencode=arch={architecture.replace('sm', 'compute')},code={architecture}")
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    report = done.stdout + done.stderr
    if done.returncode != 0:
        raise RuntimeError(f"{source} does not compile:\n{report}")
    warnings = [line for line in report.splitlines() if "warning" in line.lower()]
    return report, warnings


def rewrite(tool, source, target):
    path = source.parent if list(source.parent.glob("*.cuh")) else source
    options = re.findall(r"^// rewrite-options: *(.*?)\s*$", latin1(source), re.MULTILINE)
    done = subprocess.run([tool, "rewrite", "--no-cache", "--quiet", "--no-confirm", "--whole-program",
                           "--min-speedup=0", f"--output-dir={target}", *" ".join(options).split(), str(path)],
                          capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"bankstripe exits with {done.returncode} for {source}:\n{done.stderr}")


class Result:
    """One program: the table of both forms, and what is wrong with it."""

    def __init__(self, source):
        self.source = source
        self.before, self.after = {}, {}
        self.problems = []

    def check(self):
        text = latin1(self.source)
        expected = {name: (int(low), int(high or low)) for name, low, high in re.findall(
            r"^// expect-stack-frame: *(\w+)=(\d+)(?:-(\d+))?\s*$", text, re.MULTILINE)}
        moves = dict(re.findall(r"^// expect-(striped|slot|split|bits|constant): *(.*?)\s*$",
                                text, re.MULTILINE))
        if "striped" not in moves:
            self.problems.append("it has no line `// expect-striped:`")
            return
        if self.before.keys() != self.after.keys():
            self.problems.append(f"the kernels differ: {sorted(self.before)}, {sorted(self.after)}")
            return
        if not self.before:
            self.problems.append("ptxas reports no kernel")
        for (kernel, architecture), (frame, _, _) in self.after.items():
            low, high = expected.get(kernel.split("<")[0], (0, 0))
            if not low <= frame <= high:
                self.problems.append(f"{kernel} has a stack frame of {frame} bytes on "
                                     f"{architecture}, expected {low} to {high}")
        for architecture in sorted({k[1] for k in self.before}):
            keys = [k for k in self.before if k[1] == architecture]
            shrunk = any(self.after[k][0] < self.before[k][0] for k in keys)
            if set(moves.values()) == {"none"}:
                if any(self.before[k][0] for k in keys):
                    self.problems.append(f"the original has a stack frame on {architecture}")
            elif not shrunk:
                self.problems.append(f"no stack frame shrank on {architecture}")


def examine(source, nvcc, options, work):
    result = Result(source)
    try:
        target = pathlib.Path(options.rewritten) if options.rewritten else work / source.stem
        if options.tool:
            rewrite(options.tool, source, target)
        copies = [p for p in target.rglob(source.name) if p.is_file()]
        names = kernels_in(latin1(source))
        for header in [*source.parent.glob("*.h"), *source.parent.glob("*.cuh")]:
            names += kernels_in(latin1(header))
        names += [name + VERSION for name in names]
        fatbin = work / f"{source.stem}.fatbin"
        report, warned = compile_with_nvcc(nvcc, options.architecture, source, source.parent, fatbin)
        result.before = result.after = parse_report(report, names)
        if copies:
            report, now_warned = compile_with_nvcc(nvcc, options.architecture, copies[0],
                                                   source.parent, fatbin)
            result.after = parse_report(report, names)
            if now_warned and not warned:
                result.problems.append("nvcc warns:\n" + "\n".join(now_warned))
        result.check()
    except RuntimeError as problem:
        result.problems.append(str(problem))
    return result


def cell(before, after):
    return str(before) if before == after else f"{before} > {after}"


def print_table(results):
    row = "{:24} {:18} {:7} {:>12} {:>10} {:>15}"
    print(row.format("program", "kernel", "arch", "stack frame", "registers", "shared/block"))
    for result in results:
        name = result.source.name
        for key in sorted(result.before, key=lambda k: (k[0], int(k[1][3:]))):
            if key not in result.after:
                continue
            before, after = result.before[key], result.after[key]
            print(row.format(name, key[0][:18], key[1],
                             *[cell(b, a) for b, a in zip(before, after)]))
            name = ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE.cu")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--tool", help="the bankstripe executable")
    where.add_argument("--rewritten", metavar="FOLDER")
    parser.add_argument("--architecture", nargs=1, default=ARCHITECTURES)
    options = parser.parse_args()

    nvcc = find_nvcc()
    if not nvcc:
        print("check: skipped: there is no nvcc; it comes with the CUDA toolkit 13")
        return SKIPPED
    inputs = ROOT / "test_inputs"
    files = [pathlib.Path(f).resolve() for f in options.files] or sorted(
        [*inputs.glob("*.cu"), *inputs.glob("*/*.cu")])

    with tempfile.TemporaryDirectory() as work:
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(
                lambda f: examine(f, nvcc, options, pathlib.Path(work)), files))
    print_table(results)
    wrong = [r for r in results if r.problems]
    for result in wrong:
        for problem in result.problems:
            print(f"check: {result.source.name}: {problem}", file=sys.stderr)
    print(f"{len(results)} programs, {len(wrong)} with problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
