#!/usr/bin/env python3
"""Tries whether bankstripe reads the headers of several CUDA toolkits, and decides the same.

    try_toolkits.py BANKSTRIPE TOOLKIT...

Each TOOLKIT is a folder as --cuda-path takes it; headers are enough, with nvvm/libdevice beside
them. With each, `bankstripe analyze` looks at test_inputs/, at the inputs of tests/golden, and at
one small kernel for each header that device code often includes. Prints a table: what failed, and
how many verdicts differ from those with the first toolkit. Needs neither nvcc nor a GPU.

Exit status: 0 all is read and decided alike, 1 something is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))

import run as golden  # noqa: E402

HEADERS = ("cooperative_groups.h", "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_pipeline.h",
           "curand_kernel.h", "mma.h")
# Some collections of headers lack libcu++, and what needs it.
LIBCUXX = "cuda/std/type_traits"
WITH_LIBCUXX = ("cooperative_groups/reduce.h", "cub/cub.cuh", "cuda/atomic", "cuda/barrier",
                "cuda/std/array", "thrust/device_vector.h", "thrust/sort.h")

KERNEL = """#include <{header}>
__global__ void count(const int *in, int *out) {{
  int last[8] = {{0}};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}}
void launch(const int *in, int *out) {{ count<<<1, 128>>>(in, out); }}
"""


class Outcome:
    """What came of one toolkit."""

    def __init__(self):
        self.failed = []    # what could not be read
        self.messages = []  # and why
        self.lacking = ()   # headers that are not there
        self.verdicts = {}  # of the arrays at each place


def version_of(toolkit):
    """As in `12.9`, of the headers."""
    text = (toolkit / "include" / "cuda.h").read_text(encoding="utf-8", errors="replace")
    found = re.search(r"^#define CUDA_VERSION (\d+)", text, re.MULTILINE)
    number = int(found[1]) if found else 0
    return f"{number // 1000}.{number % 1000 // 10}"


def analyze(tool, toolkit, name, arguments, folder, outcome):
    """Looks at files; name is what the outcome calls them."""
    done = subprocess.run(
        [tool, "analyze", "--no-confirm", "--no-cache", "--format=json", f"--cuda-path={toolkit}",
         *arguments], capture_output=True, text=True, errors="replace", check=False, timeout=900,
        stdin=subprocess.DEVNULL, cwd=folder)
    if done.returncode:
        outcome.failed.append(name)
        outcome.messages += [f"{name}: {line}" for line in done.stderr.splitlines()
                             if "error:" in line][:3] or [f"{name}: {done.stderr.strip()}"]
    try:
        arrays = json.loads(done.stdout)["arrays"]
    except ValueError:
        return
    for array in arrays:
        place = array["place"]
        where = (name, pathlib.Path(place["file"]).name, place["line"], place["column"])
        outcome.verdicts.setdefault(where, []).append((array["verdict"], array["reason"]))


def try_toolkit(tool, toolkit, folder):
    outcome = Outcome()
    analyze(tool, toolkit, "test_inputs", ["test_inputs"], ROOT, outcome)
    for case in golden.cases():
        files = [path.name for path in golden.sources(case) if path.suffix == ".cu"]
        analyze(tool, toolkit, f"golden/{case}", [*golden.options(case), *files],
                ROOT / "tests" / "golden" / case, outcome)
    libcuxx = any((toolkit / folder / LIBCUXX).exists() for folder in ("include", "include/cccl"))
    outcome.lacking = [] if libcuxx else WITH_LIBCUXX
    for header in (*HEADERS, *(WITH_LIBCUXX if libcuxx else ())):
        source = folder / (re.sub(r"\W", "_", header) + ".cu")
        source.write_text(KERNEL.format(header=header), encoding="utf-8")
        analyze(tool, toolkit, header, [source.name, "--", "-std=c++17"], folder, outcome)
    return outcome


def main():
    parser = argparse.ArgumentParser(usage="try_toolkits.py BANKSTRIPE TOOLKIT...")
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("toolkits", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for toolkit in options.toolkits:
        if not (toolkit / "include" / "cuda.h").exists():
            parser.error(f"{toolkit} holds no include/cuda.h")
    first = None
    wrong = 0
    print("| CUDA | arrays | verdicts that differ | could not be read | not there | seconds |")
    print("|---|---|---|---|---|---|")
    for toolkit in options.toolkits:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            outcome = try_toolkit(options.tool.resolve(), toolkit.resolve(), pathlib.Path(folder))
        first = first or outcome
        keys = {key for key in first.verdicts.keys() | outcome.verdicts.keys()
                if key[0] not in (*first.lacking, *outcome.lacking)}
        differ = sum(first.verdicts.get(key) != outcome.verdicts.get(key) for key in keys)
        arrays = sum(map(len, outcome.verdicts.values()))
        print(f"| {version_of(toolkit)} | {arrays} | {differ} | "
              f"{', '.join(outcome.failed) or 'none'} | {', '.join(outcome.lacking) or 'none'} | "
              f"{time.monotonic() - started:.0f} |",
              flush=True)
        for message in outcome.messages:
            print(f"{version_of(toolkit)}: {message}", file=sys.stderr, flush=True)
        wrong += differ + len(outcome.failed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
