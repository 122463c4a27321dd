#!/usr/bin/env python3
"""How the time and the memory of a run grow with its input.

    growth.py [--check] [--sizes=N,M,...] BANKSTRIPE [INPUT...]

Makes inputs of a size and of four times that size, of one kind of thing each,
and gives them to `bankstripe rewrite --dry-run --no-confirm --no-cache -j1`.
Prints the CPU time (user and system, of all processes), the most memory that
one process took, and by how much more the larger one takes. Without INPUT, all
kinds. With --check the exit status is 1 when the larger input takes seven times
as long or more: what looks at everything for each thing takes 16 times.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

MOST = 7

HEAD = "(const int *in, int *out, int n)"


def array(number):
    return f"""  int a{number}[4] = {{0}};
  for (int i = 0; i < n; ++i) a{number}[in[i] & 3] += in[i + {number}];
  sum += a{number}[n & 3];
"""


def kernel(name, arrays):
    body = "".join(array(number) for number in range(arrays))
    return f"""__global__ void {name}{HEAD} {{
  int sum = 0;
{body}  out[threadIdx.x] = sum;
}}
void launch_{name}{HEAD} {{ {name}<<<10, 32>>>(in, out, n); }}
"""


def kernels(count):
    return {"a.cu": "".join(kernel(f"k{i}", 5) for i in range(count))}


def arrays(count):
    return {"a.cu": kernel("k", count)}


def decisions(count):
    """Of arrays that are no more."""
    gone = "".join(f"""  - file: a.cu
    function: gone{i}
    array: a
    decision: keep
""" for i in range(count))
    return {"a.cu": kernel("k", 1), ".bankstripe.yaml": f"version: 1\narrays:\n{gone}"}


def functions(count):
    """With an array each, which nobody calls."""
    return {"a.cu": "".join(f"""__device__ int f{i}(int n) {{
  int a[4];
  a[n & 3] = {i};
  return a[n >> 1];
}}
""" for i in range(count))}


def launches(count):
    return {"a.cu": kernel("k", 2) + f"void launch_all{HEAD} {{\n"
                    + "  k<<<n, 64>>>(in, out, n);\n" * count + "}\n"}


def instances(count):
    uses = "".join(f"  k<{i}><<<n, 32>>>(in, out, n);\n" for i in range(count))
    return {"a.cu": f"""template <int N> __global__ void k{HEAD} {{
  int a[N % 16 + 2];
  for (int i = 0; i < n; ++i) a[in[i] % (N % 16 + 2)] = in[i + N];
  out[0] = a[n % (N % 16 + 2)];
}}
void launch{HEAD} {{
{uses}}}
"""}


def uses(count):
    return {"a.cu": f"""__global__ void k{HEAD} {{
  int a[16];
  for (int i = 0; i < 16; ++i) a[i] = in[i];
""" + "".join(f"  a[in[{i}] & 15] += {i};\n" for i in range(count)) + f"""  out[0] = a[n & 15];
}}
void launch{HEAD} {{ k<<<1, 32>>>(in, out, n); }}
"""}


def calls(count):
    """A chain of functions."""
    links = "".join(f"""__device__ __noinline__ int f{i}(int n) {{
  int a[4] = {{0}};
  for (int i = 0; i < n; ++i) a[i * n & 3] += i;
  return f{i + 1}(a[n & 3]);
}}
""" for i in reversed(range(count)))
    return {"a.cu": f"""__device__ int f{count}(int n) {{ return n; }}
{links}__global__ void k{HEAD} {{ out[0] = f0(n); }}
void launch{HEAD} {{ k<<<1, 32>>>(in, out, n); }}
"""}


def headers(count):
    """With a kernel each."""
    files = {f"h{i}.h": "#pragma once\n" + kernel(f"k{i}", 1) for i in range(count)}
    return {**files, "a.cu": "".join(f'#include "{name}"\n' for name in files)}


# With the smaller of the two sizes.
INPUTS = {kernels: 400, arrays: 200, decisions: 5000, functions: 2000, launches: 5000,
          instances: 500, uses: 2000, calls: 500, headers: 250}


def measure(tool, files):
    """(CPU seconds, megabytes) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text)
        command = [tool, "rewrite", "--dry-run", "--no-confirm", "--no-cache", "-j1", "."]
        with open(os.devnull, "wb") as nothing:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=nothing, stderr=nothing)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"growth: {' '.join(command)}: exit status {process.returncode}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("inputs", nargs="*", metavar="INPUT",
                        help=f"of {', '.join(make.__name__ for make in INPUTS)}")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sizes", help="these instead, separated by commas")
    given = parser.parse_args()
    tool, too_fast = str(pathlib.Path(given.tool).resolve()), False
    print(f"{'input':10} {'size':>8} {'CPU s':>8} {'MB':>6} {'times':>6}")
    for make, size in INPUTS.items():
        if given.inputs and make.__name__ not in given.inputs:
            continue
        before = None
        for count in map(int, given.sizes.split(",")) if given.sizes else (size, 4 * size):
            seconds, memory = measure(tool, make(count))
            times = seconds / before if before else None
            too_fast |= bool(times and times >= MOST)
            print(f"{make.__name__:10} {count:8} {seconds:8.2f} {memory:6.0f} "
                  f"{f'{times:6.1f}' if times else ''}", flush=True)
            before = seconds
    return 1 if given.check and too_fast else 0


if __name__ == "__main__":
    sys.exit(main())
