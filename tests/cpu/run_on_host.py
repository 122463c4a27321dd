#!/usr/bin/env python3
"""Runs a CUDA program and its rewritten form on the host and compares them.

    run_on_host.py --tool=BANKSTRIPE FILE.cu       rewrite FILE.cu, run both
    run_on_host.py --rewritten=COPY.cu FILE.cu     run a given pair
    run_on_host.py --precompile FOLDER             compile host_cuda.h for all programs that run
                                                   with HOST_CUDA_HEADER=FOLDER/host_cuda.h

Both programs are built whole, main included, with AddressSanitizer and
UndefinedBehaviorSanitizer, over host_cuda.h. What they print must be the same,
and so must all device memory after every launch, bit for bit, for several
orders of the threads. Grids are small: BANKSTRIPE_SMALL is defined. Which launches
run versions, where kernels have these, is in host_rows.h.

Lines in FILE.cu name the per-thread arrays that the tool must have moved, there
and in the headers beside it:

    // expect-striped: a b        into stripes (`none`, or `some of a b c`)
    // expect-slot: c             into slots
    // expect-split: d            in part into stripes
    // expect-bits: b             into bits of registers
    // expect-constant: d         to static const
    // expect-refused: f goto     stays as it is, for this reason
    // rewrite-options: --layout=slot  options of the tool for this program

All but the first may be missing, which means none. A program with headers of
its own, .cuh files beside it, is rewritten together with all of its folder.

harness_test.py tests this script.

Exit status: 0 as expected, 1 not, 2 bad usage, 77 the compiler is missing.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=0:exitcode=90",
    "UBSAN_OPTIONS": "exitcode=91",
}
HEADER = HERE / "host_cuda.h"
FLAGS = ["-std=c++20", "-O1", "-g1", "-w", "-ffp-contract=off", "-fno-strict-aliasing",
         "-fsanitize=address,undefined", "-fno-sanitize=object-size", "-fno-sanitize-recover=all",
         "-DBANKSTRIPE_SMALL", f"-I{HERE / 'include'}"]


class Failure(Exception):
    """A difference of one kind, such as `output` or `asan`, with what there is
    to say about it."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


# ---------------------------------------------------------------------------
# Launches become calls
# ---------------------------------------------------------------------------

def mask(text):
    """The text with comments and literals blanked, offsets unchanged."""
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
        re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def kernel_before(masked, end):
    """Where the name of the kernel begins whose `<<<` stands at `end`."""
    at = len(masked[:end].rstrip())
    if masked[at - 1] == ">":
        depth = 0
        while True:
            at -= 1
            depth += {">": 1, "<": -1}.get(masked[at], 0)
            if depth == 0:
                break
    return at - len(re.search(r"[\w:]*\s*$", masked[:at]).group())


def balanced_end(masked, at, closing):
    """The offset of `closing` that no bracket opened after `at` encloses."""
    depth = 0
    while depth > 0 or not masked.startswith(closing, at):
        if at >= len(masked):
            raise ValueError(f"no {closing} for a launch")
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(masked[at], 0)
        at += 1
    return at


Head = collections.namedtuple("Head", "name parameters end body")


def head_behind(masked, at):
    """The function in whose head, before its name, `at` is: its name, where its parameters begin
    and end, and where its body begins. None if it has no body."""
    found, name = None, ""
    while (mark := re.compile(r"[({;]").search(masked, at)) and mark.group() == "(":
        name = re.search(r"(\w*)\s*$", masked[:mark.start()]).group(1)
        found = mark.end(), balanced_end(masked, mark.end(), ")")
        at = found[1] + 1
    return Head(name, *found, mark.end()) if found and mark and mark.group() == "{" else None


def turn_launches(text):
    """`k<<<g, b>>>(x)` becomes `host_cuda::Configuration("k", g, b)(f, x)`, where
    f is a lambda that calls k, so that k can be a template."""
    masked = mask(text)
    result, copied = [], 0
    for match in re.finditer(r"<<<", masked):
        begin = kernel_before(masked, match.start())
        name = text[begin:match.start()].strip()
        end = balanced_end(masked, match.end(), ">>>")
        configuration = text[match.end():end]
        opening = masked.index("(", end)
        first = re.match(r"\s*\)", masked[opening + 1:])
        result += [text[copied:begin],
                   f'host_cuda::Configuration("{name}", {configuration})'
                   f'{text[end + 3:opening]}([&](auto... given) {{ {name}(given...); }}'
                   + ("" if first else ", ")]
        copied = opening + 1
    return "".join(result) + text[copied:]


def tell_bounds(text):
    """Has each kernel with launch bounds look at the block that it runs in."""
    masked = mask(text)
    result, copied = [], 0
    for match in re.finditer(r"\b__launch_bounds__\s*\(", masked):
        end = balanced_end(masked, match.end(), ")")
        bounds = text[match.end():end]
        if head := head_behind(masked, end + 1):
            result += [text[copied:head.body], f" host_cuda::checkBounds({bounds});"]
            copied = head.body
    return "".join(result) + text[copied:]


def call_stubs(text):
    """Has each kernel with a row call host_cuda::stub first, which stands for nvcc's host stub. One
    that is a template begins with `(void)k_striped<T>;`, which tells its own arguments."""
    masked = mask(text)
    rows = set(re.findall(r"::bankstripe::(?:storage|version|choice) (\w+)_row(?:<[^;]*>::row)?\(",
                          masked))
    result, copied, left = [], 0, set(rows)
    for match in re.finditer(r"\b__global__\b", masked):
        head = head_behind(masked, match.end())
        if not head or head.name not in rows:
            continue
        parameters = masked[head.parameters:head.end]
        names = declared_names(parameters) if parameters.strip() else []
        mention = re.match(r"\s*\(void\)\w+_striped(<.*?>);", masked[head.body:])
        types = ", ".join(f"decltype({name})" for name in names)
        kernel = ", ".join([head.name + (mention.group(1) if mention else ""), *names])
        result += [text[copied:head.body], f" if (host_cuda::stub<{types}>({kernel})) return;"]
        copied = head.body
        left.discard(head.name)
    lacking = [f"\n#error no kernel for the row of {name}" for name in sorted(left)]
    return "".join(result) + text[copied:] + "".join(lacking)


def keep_types(text):
    """Takes casts to pointers to nothing away from kernels that functions of the
    runtime launch, so that the type tells what arguments there are."""
    return re.sub(r"(\bcudaLaunch\w*\((?:&?\w+, )?)\((?:const )?void \*\)", r"\1", text)


def declared_names(declarators):
    """The names in `int a[2][32]`, `slots<int[4], 64> a, b` or `int (&a)[2], int b = 0`."""
    names, depth, start, name_end = [], 0, 0, None
    for at, c in enumerate(declarators + ","):
        if depth == 0 and c in "[,=" and name_end is None:
            name_end = at
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(c, 0)
        if c == "," and depth == 0:
            names.append(re.search(r"(\w+)\W*$", declarators[start:name_end]).group(1))
            start, name_end = at + 1, None
    return names


def tell_shared(text):
    """Puts a call of host_cuda::declareShared behind each declaration of a
    shared variable, makes dynamic ones pointers, and those of the whole file
    known to each block."""
    text = re.sub(r"extern\s+__shared__\s+([^;=]+?)\s*(\w+)\[\];",
                  r"\1 *\2 = reinterpret_cast<\1 *>(host_cuda::Block::instance().dynamicShared());", text)
    masked = mask(text)
    result, copied = [], 0
    for match in re.finditer(r"(static )?(?<!extern )\b__shared__\b(?=[^;]*;)", masked):
        end = balanced_end(masked, match.end(), ";")
        names = declared_names(masked[match.end():end])
        if match.group(1):
            result += [text[copied:match.start()], text[match.end(1):end + 1]]
            result += [f" static host_cuda::SharedByFile {name}_of_file({name});" for name in names]
        else:
            result += [text[copied:end + 1]]
            result += [f" host_cuda::declareShared({name});" for name in names]
        copied = end + 1
    return "".join(result) + text[copied:]


def copy_for_host(source, folders, target):
    """Writes `source`, with its launches turned, its shared variables and
    launch bounds told of, and its stubs called, and the headers that it includes by relative name, into the folder
    `target`."""
    text = source.read_bytes().decode("latin-1")
    for name in included_names(text):
        if (target / name).exists():
            continue
        found = [f / name for f in [source.parent, *folders] if (f / name).is_file()]
        if ".." in pathlib.PurePath(name).parts or not found:
            raise SystemExit(f"run_on_host: {source} includes {name}, which is not beside it")
        copy_for_host(found[0], folders, (target / name).parent)
    copy = target / source.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = tell_bounds(call_stubs(turn_launches(keep_types(text))))
    copy.write_bytes(tell_shared(text).encode("latin-1"))
    return copy


def included_names(text):
    without_comments = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', without_comments, re.MULTILINE)


# ---------------------------------------------------------------------------
# Building and running
# ---------------------------------------------------------------------------

def precompile(compiler, flags, folder):
    """Compiles host_cuda.h with these flags. The result is what they include instead; other flags
    may include it, too, and read the text."""
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / HEADER.name
    header.write_text(f'#include "{HEADER}"\n')
    subprocess.run([compiler, *flags, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return header


def build(source, folders, work, compiler, defines):
    """Builds `source` for the host in the folder `work`."""
    work.mkdir(parents=True)
    copy = copy_for_host(source, folders, work)
    program = work / "program"
    header = os.environ.get("HOST_CUDA_HEADER", HEADER)
    command = [compiler, *[f"-D{d}" for d in defines], *FLAGS, "-include", header, "-x", "c++", copy,
               "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Failure("build", f"{source} does not compile for the host:\n{done.stderr}")
    return program


def run(program, seed, timeout):
    """What `program` prints and what it left in device memory."""
    log = program.parent / f"memory.{seed}"
    log.unlink(missing_ok=True)
    environment = {**os.environ, **SANITIZERS, "HOST_CUDA_SEED": str(seed),
                   "HOST_CUDA_LOG": str(log)}
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True,
                              errors="replace", env=environment, timeout=timeout)
    except subprocess.TimeoutExpired as problem:
        raise Failure("timeout", f"{program} ran longer than {timeout} s") from problem
    if "AddressSanitizer" in done.stderr or "LeakSanitizer" in done.stderr:
        raise Failure("asan", done.stderr)
    if "runtime error:" in done.stderr:
        raise Failure("ubsan", done.stderr)
    if done.returncode != 0:
        raise Failure("status", f"exit status {done.returncode}\n{done.stderr}")
    memory = log.read_text() if log.exists() else ""
    if "launch" not in memory:
        raise Failure("status", "the program launched nothing")
    return done.stdout, memory


def first_difference(expected, seen):
    for number, (a, b) in enumerate(zip(expected.splitlines(), seen.splitlines()), 1):
        if a != b:
            return f"line {number}: {a!r} in the original, {b!r} in the rewritten program"
    return f"{len(expected.splitlines())} lines in the original, {len(seen.splitlines())} rewritten"


def run_original(program, timeout):
    """What it prints and leaves in memory, in whatever order its threads run."""
    wanted = None
    for seed in range(2):
        try:
            seen = run(program, seed, timeout)
        except Failure as problem:
            raise Failure("original", f"the original fails on its own:\n{problem}") from problem
        if wanted is not None and seen != wanted:
            raise Failure("original", "the original depends on the order of its threads")
        wanted = seen
    return wanted


def hold_against(wanted, program, seeds, timeout):
    """Runs a rewritten program in several orders of its threads."""
    for seed in range(seeds):
        printed, memory = run(program, seed, timeout)
        if memory != wanted[1]:
            raise Failure("output", "device memory differs, " + first_difference(wanted[1], memory))
        if printed != wanted[0]:
            raise Failure("output", "the output differs, " + first_difference(wanted[0], printed))


def compare(original, rewritten, work, options):
    program = build(original, [], work / "original", options.compiler, [])
    other = build(rewritten, [original.parent], work / "rewritten", options.compiler,
                  ["BANKSTRIPE_CHECK_BOUNDS"] if options.check_bounds else [])
    wanted = run_original(program, options.timeout)
    hold_against(wanted, other, options.seeds, options.timeout)
    return wanted


# ---------------------------------------------------------------------------
# The rewritten program
# ---------------------------------------------------------------------------

def rewrite(tool, source, target):
    """The rewritten copy of `source`, or None when the tool changes nothing,
    and what the tool says of the per-thread arrays."""
    path = source.parent if list(source.parent.glob("*.cuh")) else source
    options = re.findall(r"^// rewrite-options: *(.*?)\s*$",
                         source.read_bytes().decode("latin-1"), re.MULTILINE)
    done = subprocess.run([tool, "rewrite", "--no-cache", "--format=json", "--no-confirm",
                           "--whole-program", "--min-speedup=0", f"--output-dir={target}", *" ".join(options).split(), str(path)],
                          capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Failure("tool", f"bankstripe exits with {done.returncode}:\n{done.stderr}")
    copies = [p for p in target.rglob(source.name) if p.is_file()]
    return copies[0] if copies else None, json.loads(done.stdout)["arrays"]


def text_with_headers(path):
    """The text of `path` and of what it includes that lies beside it, without
    the helpers."""
    text = path.read_bytes().decode("latin-1")
    return text + "".join(text_with_headers(path.parent / name) for name in included_names(text)
                          if not re.search(r"\bbankstripe(_\w+)?\.cuh$", name) and (path.parent / name).is_file())


def moved_arrays(source, rewritten):
    """The names of the arrays that became stripes, slots, splits, bits and constant tables,
    by the words of the source files that they are in."""
    before, after = text_with_headers(source), text_with_headers(rewritten)
    tables = re.compile(r"static const(?:expr)?\b[^;=]*?(\w+)(?:\[[^]]*\])+\s*[={]")
    view = r"auto &?(\w+?)(?:_stripes|_slots)? = ::bankstripe::"
    split = set(re.findall(r"auto (\w+) = ::bankstripe::begin\(\w+, \w+\);", after))
    return {"striped": set(re.findall(r"(\w+?)(?:_stripes)?\s*\[::bankstripe::warps\(", after)
                           + re.findall(view + "(?:dynamic_stripe|stripe_in)<", after)) - split,
            "split": split,
            "slot": set(re.findall(r"__shared__ ::bankstripe::slots<.*> (\w+)_slots;", after)
                        + re.findall(view + "(?:dynamic_slots|slots_in)<", after)),
            "bits": set(re.findall(r"::bankstripe::bits<[^;]*?> (\w+?)(?:_bits)?(?: = |\(|;)", after)),
            "constant": set(tables.findall(after)) - set(tables.findall(before))}


def check_expectation(source, rewritten, arrays):
    """Holds what was moved against the comments in the source."""
    text = source.read_bytes().decode("latin-1")
    wanted = {how: names.split() for how, names in
              re.findall(r"^// expect-(striped|slot|split|bits|constant): *(.*?)\s*$", text,
                         re.MULTILINE)}
    if "striped" not in wanted:
        raise Failure("expectation", f"{source} has no line `// expect-striped:`")
    moved = moved_arrays(source, rewritten) if rewritten else {}
    for how in ("striped", "slot", "split", "bits", "constant"):
        names, seen = wanted.get(how, ["none"]), moved.get(how, set())
        if names[:2] == ["some", "of"]:
            if not (seen and seen < set(names[2:])):
                raise Failure("expectation", f"{source}: {how} {sorted(seen)}, "
                                             f"expected some of {names[2:]}, not all")
        elif seen != (set() if names == ["none"] else set(names)):
            raise Failure("expectation", f"{source}: {how} {sorted(seen)}, expected {names}")
    for name, reason in re.findall(r"^// expect-refused: *(\w+) ([\w-]+)\s*$", text, re.MULTILINE):
        seen = {a["reason"] for a in arrays if a["name"] == name}
        if seen != {reason}:
            raise Failure("expectation", f"{source}: {name} is {sorted(seen)}, expected {reason}")


def check(options, work):
    source = pathlib.Path(options.file).resolve()
    if options.tool:
        rewritten, arrays = rewrite(options.tool, source, work / "output")
        check_expectation(source, rewritten, arrays)
        if not rewritten or rewritten.read_bytes() == source.read_bytes():
            return f"{source.name}: nothing to stripe, as expected"
    else:
        rewritten = pathlib.Path(options.rewritten).resolve()
    printed, memory = compare(source, rewritten, work, options)
    launches = memory.count("launch ")
    return (f"{source.name}: identical: {launches} launches, {len(printed.splitlines())} lines, "
            f"{options.seeds} orders of the threads")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", metavar="FILE.cu or FOLDER")
    pair = parser.add_mutually_exclusive_group(required=True)
    pair.add_argument("--tool", help="the bankstripe executable")
    pair.add_argument("--rewritten", help="a rewritten copy of FILE")
    pair.add_argument("--precompile", action="store_true", help="only compile host_cuda.h")
    parser.add_argument("--seeds", type=int, default=3, help="orders of the threads")
    parser.add_argument("--check-bounds", action="store_true",
                        help="build the rewritten program with BANKSTRIPE_CHECK_BOUNDS")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--timeout", type=int, default=240, help="seconds per run")
    parser.add_argument("--work", help="keep all files in this new folder")
    options = parser.parse_args()

    if not shutil.which(options.compiler):
        print(f"run_on_host: skipped: there is no {options.compiler}")
        return SKIPPED
    if options.precompile:
        precompile(options.compiler, FLAGS, pathlib.Path(options.file))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(options.work or temporary)
        try:
            print(check(options, work))
        except Failure as problem:
            print(f"run_on_host: {problem.kind}: {problem}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
