#!/usr/bin/env python3
"""Builds and runs prepared pairs of programs and compares what they print.

    run_pairs.py [--compiler=g++|clang++|nvcc] [-jN] FOLDER
    run_pairs.py --build-only ... FOLDER       whether the compiler takes them

FOLDER is what `run.py --prepare` has written: original/NAME.cu and
rewritten/NAME.cu, with the headers that the latter include. Every program prints
a line `case SEED...: DIGEST` per launch; the lines of the two must be the same.

A compiler for the host builds them over tests/cpu/host_cuda.h, with
AddressSanitizer and UndefinedBehaviorSanitizer, and they run with several orders
of the threads. With --quick=N only every Nth pair is built so: the others are not
optimised, and only their subscripts, their alignment and the ends of dynamic
shared memory are checked, which takes a tenth of the time. With nvcc they run on
the GPU; with --host=g++ the original has to print there what it prints when it is
built for the host. Nothing else is needed: no LLVM, no generator.

Exit status: 0 all pairs agree, 1 some do not, 77 the compiler is missing.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cpu"))
import run_on_host  # noqa: E402

COMPILER_BYTES = 12 << 30  # of address space
Problem = collections.namedtuple("Problem", "kind side case text")


def seeds_of(text):
    """Where each case begins: (line, seed), from the comments of the generator."""
    return [(number, int(found.group(1))) for number, line in enumerate(text.splitlines(), 1)
            if (found := re.match(r"// ===== case (\d+) =====", line))]


def case_at(text, line):
    """The seed of the case that `line` belongs to, or None."""
    return next((seed for number, seed in reversed(seeds_of(text)) if number <= line), None)


def without_cases(text, cut):
    """The program without the cases whose seeds are in `cut`."""
    def blank(found):
        """Lines that leave all others their numbers."""
        lines = "\n" * found.group().count("\n")
        _, told, rest = found.group().rpartition("\n#line ")
        number = told and int(rest.split()[0]) + rest.count("\n") - 1
        return lines[1:] + f"#line {number}\n" if told else lines
    for seed in cut:
        text = re.sub(rf"// ===== (?:header of )?case {seed} =====\n.*?(?=// =====|int main\(\)|\Z)",
                      blank, text, flags=re.DOTALL)
        text = text.replace(f"  run_{seed}();\n", "")
    return text


QUICK = {"-O1": "-O0", "-g1": "-g0", "-fsanitize=address,undefined": "-fsanitize=bounds,alignment"}


def headers_of(source):
    """The headers of a program, which lie beside it."""
    names = [source.with_suffix(".h"), source.with_name(f"{source.stem}_base.h")]
    return [header for header in names if header.exists()]


class Pairs:
    """How programs are built and run: with one compiler, in one work folder."""

    def __init__(self, options, work, quick=False):
        self.options, self.work, self.quick = options, work, quick
        self.header, self.lock = None, threading.Lock()
        self.on_host = not options.compiler.endswith("nvcc")
        self.host = None if self.on_host or not options.host else Pairs(
            argparse.Namespace(**{**vars(options), "compiler": options.host}), work, quick=True)

    # --- One program --------------------------------------------------------

    def host_flags(self):
        """The flags for the host, with host_cuda.h compiled in advance, once."""
        flags = [*run_on_host.FLAGS, "-DBANKSTRIPE_CHECK_BOUNDS"]
        flags = [QUICK.get(flag, flag) if self.quick else flag for flag in flags]
        with self.lock:
            if not self.header:
                folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
                self.header = run_on_host.precompile(self.options.compiler, flags, folder)
        return ["-include", str(self.header), *flags, "-x", "c++"]

    def command(self, source, program):
        options = self.options
        if self.on_host:
            only = ["-fsyntax-only"] if options.build_only else []
            return [options.compiler, *self.host_flags(), *only, str(source), "-o", str(program)]
        only = (["-c", "-Xcicc", "-O0", "-Xptxas", "-O0"] if options.build_only else
                ["-Xcicc", f"-O{options.optimise}"])
        std = max([options.std, *re.findall(r"^// cases .*(c\+\+\d+)$", source.read_text(), re.M)])
        return [options.compiler, f"-std={std}", f"-arch={options.arch}", "-w", *only,
                "--expt-relaxed-constexpr",
                "-DBANKSTRIPE_CHECK_BOUNDS", str(source), "-o", str(program)]

    def build(self, side, source, folder):
        """The program, or a list of problems."""
        folder.mkdir(parents=True)
        copy = source
        if self.on_host:
            for header in headers_of(source):
                status, messages = self.compile(["g++", "-fsyntax-only", "-x", "c++", str(header)])
                if status:
                    return [Problem("build", side, None, messages.strip()[:2000])]
            copy = run_on_host.copy_for_host(source, [source.parent], folder)
        program = folder / "program"
        program.with_suffix(".text").write_text(source.read_text())
        status, messages = self.compile(self.command(copy, program))
        if status == 0:
            return program
        text, errors = source.read_text(), {}
        if "\n#line " in text:
            return [Problem("build", side, None, messages.strip()[:2000])]
        for place in re.finditer(r"^[^\n]*\.cu(?::|\()(\d+)[^\n]*error[^\n]*(\n[^\n]*){0,9}",
                                 messages, re.MULTILINE):
            errors.setdefault(case_at(text, int(place.group(1))), place.group())
        errors.pop(None, None)
        return [Problem("build", side, case, message[:2000])
                for case, message in (errors or {None: messages.strip()}).items()]

    def compile(self, command):
        """The exit status and the messages of a compiler. nvcc never comes to
        an end, or takes all memory, on some programs; its children must end
        with it."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (COMPILER_BYTES, COMPILER_BYTES))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", start_new_session=True,
                                   preexec_fn=limit)
        try:
            messages, _ = process.communicate(timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return 1, f"the compiler runs longer than {self.options.timeout} s"
        return process.returncode, messages

    def run(self, side, program, order):
        """What it prints, as {case: digest}, or a problem."""
        environment = {**os.environ, **run_on_host.SANITIZERS, "HOST_CUDA_SEED": str(order)}
        try:
            done = subprocess.run([str(program)], capture_output=True, text=True, errors="replace",
                                  env=environment, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return Problem("timeout", side, None, f"longer than {self.options.timeout} s")
        printed = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
        bad = [name for name, digest in printed.items()
               if name.startswith("case") and not re.fullmatch(r"[0-9a-f]{16}", digest)]
        if done.returncode == 0 and not bad:
            return printed
        # The one after the last that has printed something is to blame.
        names = re.findall(r'"(case \d+\.\d+):"', program.with_suffix(".text").read_text())
        left = [name for name in names if name not in printed]
        name = bad[0] if bad else left[0] if left else None
        case = int(re.search(r"\d+", name).group()) if name else None
        kind = "launch" if bad else "crash"
        text = f"{printed[bad[0]]}\n" if bad else ""
        return Problem(kind, side, case, text + done.stderr.strip()[:3000])

    # --- One pair -----------------------------------------------------------

    def check(self, original, rewritten):
        """The number of launches compared, and a list of problems."""
        seeds = {seed for _, seed in seeds_of(original.read_text())}
        return self.check_cases(original, rewritten, seeds, seeds)

    def check_cases(self, original, rewritten, every, wanted):
        """The same for the cases in `wanted`. One that stops the others is left
        out, and the rest is tried again; in halves when it is not known."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        try:
            launches, found = self.compare(original, rewritten, folder, every - wanted)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        blamed = {p.case for p in found if p.kind in ("build", "crash", "timeout", "launch")}
        if not blamed or len(wanted) == 1:
            return launches, [p._replace(case=p.case or min(wanted)) for p in found]
        if None not in blamed:
            groups, problems = [wanted - blamed], found
        else:
            half, problems = sorted(wanted), []
            groups = [set(half[:len(half) // 2]), set(half[len(half) // 2:])]
        for group in filter(None, groups):
            more, found = self.check_cases(original, rewritten, every, group)
            launches, problems = launches + more, problems + found
        return launches, problems

    def prepare(self, side, source, folder, cut):
        """Builds a copy without the cases in `cut`."""
        sources = folder / f"{side}-source"
        sources.mkdir()
        copy = sources / source.name
        copy.write_text(without_cases(source.read_text(), cut))
        for header in source.parent.glob("*.cuh"):
            shutil.copy(header, sources)
        for header in headers_of(source):
            (sources / header.name).write_text(without_cases(header.read_text(), cut))
        return self.build(side, copy, folder / side)

    def compare_builds(self, original, rewritten, folder, cut):
        """Whether a compiler that takes the original takes the rewritten file."""
        second = self.prepare("rewritten", rewritten, folder, cut)
        if not isinstance(second, list):
            return 0, []
        first = self.prepare("original", original, folder, cut)
        return 0, first if isinstance(first, list) else second

    def compare(self, original, rewritten, folder, cut):
        if self.options.build_only:
            return self.compare_builds(original, rewritten, folder, cut)
        first = self.prepare("original", original, folder, cut)
        if isinstance(first, list):
            return 0, first
        wanted = self.run("original", first, 0)
        if isinstance(wanted, Problem):
            return 0, [wanted]
        if rewritten is None:
            again = self.run("original", first, 1)
            if isinstance(again, Problem):
                return 0, [again]
            found = self.differences("order", "original", wanted, again)
            return len(wanted) - len(found), found
        second = self.prepare("rewritten", rewritten, folder, cut)
        if isinstance(second, list):
            return 0, second
        if self.host:
            return self.compare_three(original, folder, cut, wanted, self.run("rewritten", second, 0))
        for order in range(self.options.orders if self.on_host else 1):
            seen = self.run("rewritten", second, order)
            if isinstance(seen, Problem):
                return 0, [seen]
            if seen != wanted:
                found = self.differences("output", "rewritten", wanted, seen)
                return len(wanted) - len(found), found
        return len(wanted), []

    def compare_three(self, original, folder, cut, wanted, seen):
        """Both programs and the original for the host."""
        if isinstance(seen, Problem):
            return 0, [seen]
        program = self.host.prepare("host", original, folder, cut)
        there = program if isinstance(program, list) else self.host.run("host", program, 0)
        if isinstance(there, (list, Problem)):
            return 0, there if isinstance(there, list) else [there]
        found = []
        for name in dict.fromkeys([*wanted, *seen, *there]):
            one, two, host = (side.get(name) for side in (wanted, seen, there))
            only_nvcc = host is None and name.startswith("host ")  # A host function, apart.
            if one == two and (one == host or only_nvcc):
                continue
            # Where the rewritten program prints what the host prints, nvcc has got
            # the original wrong.
            kind = "host" if one == two else "compiler" if two == host else "output"
            found.append(Problem(kind, "rewritten" if kind == "output" else "original",
                                 int(re.search(r"\d+", name).group()),
                                 f"{name}: {one} in the original, {two}; {host} on the host"))
        return len(wanted) - len(found), found

    @staticmethod
    def differences(kind, side, wanted, seen):
        return [Problem(kind, side, int(re.search(r"\d+", name).group()),
                        f"{name}: {wanted.get(name)} in the original, {seen.get(name)}")
                for name in {**wanted, **seen} if wanted.get(name) != seen.get(name)]


def add_options(parser):
    parser.add_argument("--compiler", default="g++", help="g++, clang++ or nvcc")
    parser.add_argument("--arch", default="native", help="for nvcc")
    parser.add_argument("--optimise", type=int, default=3, metavar="N",
                        help="with nvcc: from 2 on, nvcc 13.0 gets some of the programs wrong")
    parser.add_argument("--host", help="with nvcc: a compiler for the host, to compare with it, too")
    parser.add_argument("--std", default="c++17", help="for nvcc, unless a file needs more")
    parser.add_argument("--build-only", action="store_true", help="run nothing")
    parser.add_argument("--quick", type=int, default=1, metavar="N",
                        help="the sanitizers see only every Nth pair")
    parser.add_argument("-j", type=int, default=2, dest="jobs", help="pairs at a time")
    parser.add_argument("--orders", type=int, default=2, help="orders of the threads, with g++")
    parser.add_argument("--timeout", type=int, default=120, help="seconds per build or run")


def run_all(options, work, files, report):
    """Checks the pairs in `files`, a list of (original, rewritten or None)."""
    launches, problems = 0, []
    strict, quick = Pairs(options, work), Pairs(options, work, quick=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit((quick if number % options.quick else strict).check, *pair)
                   for number, pair in enumerate(files)]
        for future in concurrent.futures.as_completed(futures):
            count, found = future.result()
            launches += count
            for problem in found:
                problems.append(problem)
                if not report(problem):
                    pool.shutdown(cancel_futures=True)
                    return launches, problems
    return launches, problems


def left_out(problem):
    """Whether the compiler does not take the original, which says nothing about
    the rewriter. One for the host has to take it."""
    return problem.kind == "build" and problem.side == "original"


def describe(problem):
    case = "a case" if problem.case is None else f"case {problem.case}"
    return f"{case}: {problem.kind} ({problem.side}): {problem.text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser)
    parser.add_argument("folder")
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        print(f"run_pairs: skipped: there is no {options.compiler}")
        return run_on_host.SKIPPED
    folder = pathlib.Path(options.folder)
    files = [(folder / "original" / rewritten.name, rewritten)
             for rewritten in sorted((folder / "rewritten").glob("*.cu"))]
    begun = time.monotonic()

    def report(problem):
        print(describe(problem), flush=True)
        return True
    with tempfile.TemporaryDirectory() as work:
        launches, problems = run_all(options, pathlib.Path(work), files, report)
    ignored = [p for p in problems if left_out(p) and options.compiler.endswith("nvcc")]
    print(f"{len(files)} pairs, {launches} launches agree, {len(problems) - len(ignored)} problems, "
          f"{len(ignored)} cases that the compiler does not take, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if len(problems) > len(ignored) else 0


if __name__ == "__main__":
    sys.exit(main())
