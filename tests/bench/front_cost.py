#!/usr/bin/env python3
"""What `bankstripe rewrite --dry-run` costs beside the compiler it is built on.

    front_cost.py [--repetitions=N] [--check] BANKSTRIPE

For a small file and one that uses thrust, each with and without per-thread arrays,
and for kernels of 200 and of 400 arrays: the time of `bankstripe rewrite
--dry-run --no-confirm`, and of Clang on the same file, device side only:
-fsyntax-only where there are no per-thread arrays, -O3 -S where there are. The runs take turns, so that both meet the same machine;
the ratio is that of the medians. CPU time (user and system) is the measure,
since other work on the machine disturbs it least; the ratio of the wall-clock
times stands beside it.

The last line is the time for 400 arrays by that for 200. With --check the exit status is
1 when a ratio is over its limit.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

INPUTS = pathlib.Path(__file__).resolve().parent / "inputs"
SYNTAX = ("-fsyntax-only",)
OPTIMISE = ("-O3", "-S", "-o", os.devnull)
# File, what Clang does, and the ratio that is not to be exceeded.
CASES = (
    ("small_plain.cu", SYNTAX, 1.15),
    ("thrust_plain.cu", SYNTAX, 1.15),
    ("small_arrays.cu", OPTIMISE, 1.3),
    ("thrust_arrays.cu", OPTIMISE, 1.3),
    ("200_arrays.cu", OPTIMISE, 1.6),
    ("400_arrays.cu", OPTIMISE, 1.6),
)
MOST_FOR_TWICE_THE_ARRAYS = 2.2


def many_arrays(count):
    """A kernel of `count` arrays, all of which stay in local memory."""
    uses = "".join(f"""  int a{i}[4] = {{0}};
  for (int i = 0; i < n; ++i) a{i}[in[i] & 3] += in[i + {i}];
  sum += a{i}[n & 3];
""" for i in range(count))
    return f"""__global__ void many(const int *in, int *out, int n) {{
  int sum = 0;
{uses}  out[threadIdx.x] = sum;
}}
void launch(const int *in, int *out, int n) {{ many<<<10, 32>>>(in, out, n); }}
"""


def measure(command):
    """(CPU seconds, wall-clock seconds) of one run."""
    with open(os.devnull, "wb") as nothing:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nothing,
                                   stderr=subprocess.PIPE)
        errors = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"front_cost: {' '.join(command)}: exit status {process.returncode}\n{errors}")
    return usage.ru_utime + usage.ru_stime, wall


def cuda_path():
    for place in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if place and (pathlib.Path(place) / "include" / "cuda.h").exists():
            return place
    nvcc = shutil.which("nvcc")
    return str(pathlib.Path(nvcc).resolve().parents[1]) if nvcc else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--gpu-arch", default="sm_90")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    toolkit = cuda_path()
    if not toolkit:
        sys.exit("front_cost: there is no CUDA toolkit; set CUDA_HOME")
    clang = [options.clang, "--cuda-device-only", f"--cuda-gpu-arch={options.gpu_arch}",
             f"--cuda-path={toolkit}", f"-I{toolkit}/include/cccl", "-Wno-unknown-cuda-version"]
    tool = [options.tool, "rewrite", "--no-cache", "--dry-run", "--no-confirm", "--quiet",
            f"--gpu-arch={options.gpu_arch}", f"--cuda-path={toolkit}"]

    row = "{:18} {:14} {:>9} {:>12} {:>7} {:>7} {:>11}"
    print(row.format("file", "Clang does", "Clang s", "bankstripe s", "ratio", "limit",
                     "wall ratio"))
    over, times_of = False, {}
    generated = tempfile.TemporaryDirectory()
    for name, action, limit in CASES:
        file = INPUTS / name
        if not file.exists():
            file = pathlib.Path(generated.name) / name
            file.write_text(many_arrays(int(name.split("_")[0])))
        file = str(file)
        commands = ([*clang, *action, file], [*tool, file])
        for command in commands:
            measure(command)  # fills the file cache, and fails early
        times = ([], [])
        for _ in range(options.repetitions):
            for command, column in zip(commands, times):
                column.append(measure(command))
        cpu = [statistics.median(t[0] for t in column) for column in times]
        wall = [statistics.median(t[1] for t in column) for column in times]
        ratio = cpu[1] / cpu[0]
        times_of[name] = cpu[1]
        over = over or ratio > limit
        print(row.format(name, action[0] if action is SYNTAX else "-O3 -S", f"{cpu[0]:.3f}",
                         f"{cpu[1]:.3f}", f"{ratio:.2f}", f"{limit:.2f}",
                         f"{wall[1] / wall[0]:.2f}") + ("  OVER" if ratio > limit else ""),
              flush=True)
    twice = times_of["400_arrays.cu"] / times_of["200_arrays.cu"]
    over = over or twice > MOST_FOR_TWICE_THE_ARRAYS
    print(f"400 arrays by 200: {twice:.2f}, limit {MOST_FOR_TWICE_THE_ARRAYS:.2f}")
    return 1 if over and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
