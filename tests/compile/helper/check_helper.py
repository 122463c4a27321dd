#!/usr/bin/env python3
"""Tests runtime/device/bankstripe.cuh with every compiler that reads it.

    check_helper.py host     g++ over tests/cpu/host_cuda.h: builds and runs under sanitizers
    check_helper.py nvcc     every architecture and version of the language, with no warning
    check_helper.py clang    both of Clang's passes, with no warning

A program beside this script for each part of the header, by its name, checks
itself. traps.cu is run for each `case` in it, to trap and not to; rejected.cu is
built for each `CASE ==` in it, to be refused with the message that stands behind
it. --sample: two of the programs, checked, on the host only.

Exit status: 0 all as expected, 1 not, 77 the compiler is missing.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cpu"), str(ROOT / "tests" / "compile")]
import check as compile_check  # noqa: E402  pylint: disable=wrong-import-position
import run_on_host  # noqa: E402  pylint: disable=wrong-import-position

DEVICE = ROOT / "runtime" / "device"
PROGRAMS = [HERE / f"{part}.cu"
            for part in re.findall(r'#include "parts/(.*)\.cuh"', (DEVICE / "bankstripe.cuh").read_text())]
BENCHMARKS = ROOT / "tests" / "gpu" / "layouts"  # Nothing else compiles them without a GPU.
STRICT = HERE / "strict.cu"
STRICTLY = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
TRAPS, REJECTED, ASSUMED = HERE / "traps.cu", HERE / "rejected.cu", HERE / "blocks.cu"
CONTRACT = HERE / "contract.cu"  # For nvcc's own declarations.
VERSIONS = ("c++11", "c++14", "c++17", "c++20")
SKIPPED = 77


def cases():
    """The numbers of the cases of rejected.cu, with the comments behind them."""
    found = re.findall(r"#(?:el)?if CASE == (\d+) // (.*)", REJECTED.read_text())
    return [(0, "")] + [(int(number), text) for number, text in found]


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          errors="replace")
    return done.returncode, done.stdout + done.stderr


# ---------------------------------------------------------------------------
# On the host
# ---------------------------------------------------------------------------

HOST_BUILDS = {"plain": [], "checked": ["BANKSTRIPE_CHECK_BOUNDS"]}


def host_program(source, work, builds):
    """What is wrong with a program that is built with and without checks."""
    for name, defines in builds.items():
        try:
            program = run_on_host.build(source, [DEVICE], work / f"{source.stem}-{name}",
                                        "g++", defines)
            for seed in range(4):
                run_on_host.run(program, seed, timeout=120)
        except run_on_host.Failure as problem:
            return f"{source.name}, {name}: {problem.kind}: {problem}"
    return ""


def host_traps(work):
    """What is wrong with the cases of traps.cu, each as one line."""
    program = run_on_host.build(TRAPS, [DEVICE], work / "traps", "g++",
                                ["BANKSTRIPE_CHECK_BOUNDS"])
    problems = []
    for case in re.findall(r"case (\d+):", TRAPS.read_text()):
        status, output = run([program, case, 0])
        if status:
            problems.append(f"traps.cu, case {case}, traps within bounds:\n{output}")
        status, output = run([program, case, 1])
        if "the kernel trapped" not in output:
            problems.append(f"traps.cu, case {case}, does not trap: {status}\n{output}")
    return "\n".join(problems)


def host_rejected(case, message, work):
    try:
        run_on_host.build(REJECTED, [DEVICE], work / f"rejected-{case}", "g++", [f"CASE={case}"])
        return f"rejected.cu, case {case}: g++ accepts it" if case else ""
    except run_on_host.Failure as problem:
        return judge("g++", case, message, str(problem))


def host(work, sample):
    if not shutil.which("g++"):
        return None
    if sample:
        checked = {"checked": HOST_BUILDS["checked"]}
        return [(host_program, (HERE / name, work, checked)) for name in ("pointers.cu", "slots.cu")]
    tasks = [(host_program, (source, work, HOST_BUILDS)) for source in PROGRAMS]
    tasks.append((host_traps, (work,)))
    tasks.append((quiet, (["g++", *STRICTLY, "-fsyntax-only"], HERE / "host_only.cpp")))
    tasks += [(host_rejected, (*case, work)) for case in cases()]
    return tasks


# ---------------------------------------------------------------------------
# Compilers for the device
# ---------------------------------------------------------------------------

def judge(compiler, case, message, output):
    """What is wrong with the rejection of a case."""
    if case == 0:
        return f"rejected.cu, case 0: {compiler} rejects it:\n{output}"
    if not re.search(message, output):
        return f"rejected.cu, case {case}: {compiler} does not say /{message}/:\n{output}"
    return ""


def quiet(command, source):
    status, output = run([*command, f"-I{DEVICE}", source])
    return f"{source.name}: {' '.join(map(str, command))}:\n{output}" if status or output.strip() else ""


def rejected(command, case, message):
    status, output = run([*command, f"-DCASE={case}", f"-I{DEVICE}", REJECTED])
    if status == 0:
        return f"rejected.cu, case {case}: {command[0]} accepts it" if case else ""
    return judge(command[0], case, message, output)


def assumed(command, work):
    """What is wrong with the traps in blocks.cu."""
    for define, wanted in ("-DSILENT", True), ("-DASSUME", False):
        ptx = work / f"assumed{define}.ptx"
        status, output = run([*command, define, "-ptx", f"-I{DEVICE}", "-o", ptx, ASSUMED])
        if status:
            return f"blocks.cu: {output}"
        if ("trap;" in ptx.read_text()) != wanted:
            return f"blocks.cu, {define}: {'no' if wanted else 'a'} test of the block is left"
    return ""


def nvcc(work, _):
    compiler = compile_check.find_nvcc()
    if not compiler:
        return None
    def generate(architecture):
        return f"-gencode=arch={architecture.replace('sm', 'compute')},code={architecture}"

    # What a version of the language may mind is the same for all architectures.
    oldest, *newer = VERSIONS
    each = [(oldest, [generate(a) for a in compile_check.ARCHITECTURES]),
            *((version, ["-arch=sm_90"]) for version in newer)]
    tasks = []
    for source in PROGRAMS:
        for version, architectures in each:
            command = [compiler, f"-std={version}", "-Xcompiler=-Wall,-Wextra", *architectures,
                       "-c", "-o", work / f"{source.stem}-{version}.o"]
            tasks.append((quiet, (command, source)))
    command = [compiler, "-std=c++17", "-arch=sm_90", "-Werror=all-warnings",
               f"-Xcompiler={','.join(STRICTLY)}", "-c", "-o", work / "strict.o"]
    tasks.append((quiet, (command, STRICT)))
    tasks.append((quiet, ([compiler, "-std=c++17", "-c", "-o", work / "contract.o"], CONTRACT)))
    tasks.append((assumed, ([compiler, "-std=c++17", "-arch=sm_90"], work)))
    for case in cases():
        command = [compiler, "-std=c++17", "-ptx", "-o", work / f"rejected-{case[0]}.ptx"]
        tasks.append((rejected, (command, *case)))
    return tasks


def clang(*_):
    compiler = shutil.which("clang++-22") or shutil.which("clang++")
    toolkit = compile_check.find_nvcc()
    if not compiler or not toolkit:
        return None
    common = [compiler, "-x", "cuda", f"--cuda-path={pathlib.Path(toolkit).parent.parent}",
              "--cuda-gpu-arch=sm_80", "-fsyntax-only", "-Wall", "-Wextra",
              "-Wno-unknown-cuda-version", "-Wno-missing-field-initializers"]
    tasks = []
    for side in "--cuda-device-only", "--cuda-host-only":
        tasks += [(quiet, ([*common, side, f"-std={version}"], source))
                  for source in PROGRAMS for version in ("c++11", "c++20")]
        tasks.append((quiet, ([*common, *STRICTLY, side, "-std=c++17"], STRICT)))
    tasks += [(quiet, ([*common, "--cuda-device-only", "-std=c++17"], source))
              for source in sorted(BENCHMARKS.glob("*.cu"))]
    tasks += [(rejected, ([*common, "--cuda-device-only", "-std=c++17"], *case))
              for case in cases()]
    return tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("compiler", choices=["host", "nvcc", "clang"])
    parser.add_argument("--sample", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        tasks = {"host": host, "nvcc": nvcc, "clang": clang}[options.compiler](
            pathlib.Path(temporary), options.sample)
        if tasks is None:
            print(f"check_helper: skipped: what `{options.compiler}` needs is not there")
            return SKIPPED
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            problems = [p for p in pool.map(lambda task: task[0](*task[1]), tasks) if p]
    for problem in problems:
        print(f"check_helper: {problem}", file=sys.stderr)
    print(f"{options.compiler}: {len(tasks)} checks, {len(problems)} with problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
