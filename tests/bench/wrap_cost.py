#!/usr/bin/env python3
"""What `bankstripe wrap` costs a build.

    wrap_cost.py BANKSTRIPE NVCC [OPTION...] FILE...
    wrap_cost.py BANKSTRIPE NVCC --link [OPTION...] FILE...
    wrap_cost.py BANKSTRIPE NVCC --fixed

Compiles each FILE with NVCC -arch=sm_90 -c, with the file's folder among those
of headers, alone and behind the launcher, in turns. Prints CPU seconds (user
and system) for each file, how many times as long the launcher takes, and what
became of it; then the total, and median and maximum of the files of which the
same became. Each OPTION begins with -- and is the launcher's. Files that do not
compile alone are left out. The launcher begins with an empty cache; then each
is compiled behind it once more, when the cache knows. With --link, makes a
program of each, so that the launcher knows all launches. With --fixed, what the
launcher costs before a compiler that only says that no kernel uses local memory,
in milliseconds on the clock: for a link, and for a CUDA file with nothing to
rewrite.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PLAIN = """#include <cstdio>
__global__ void scale(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}
int main() { scale<<<1, 128>>>(nullptr, nullptr, 0); }
"""


def used():
    """CPU seconds of all commands so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(clock, words):
    """The time of a command, and whether it succeeded."""
    begin = clock()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return clock() - begin, done.returncode == 0


def print_fixed(tool, folder):
    nothing = folder / "nvcc"
    nothing.write_text("#!/bin/sh\necho 'ptxas info    : 0 bytes gmem'\n")
    nothing.chmod(0o755)
    source = folder / "plain.cu"
    source.write_text(PLAIN)
    for what, words in (("link", ["plain.o", "-o", "plain"]),
                        ("nothing to rewrite", ["-c", source, "-o", folder / "plain.o"])):
        alone, wrapped = [], []
        for _ in range(50):
            alone.append(seconds(time.perf_counter, [nothing, *words])[0])
            wrapped.append(seconds(time.perf_counter, [tool, "wrap", nothing, *words])[0])
        cost = statistics.median(wrapped) - statistics.median(alone)
        print(f"{what:20} {1e3 * cost:6.1f} ms, at most {1e3 * max(wrapped):.1f}")


def what_became(folder):
    stats = (folder / ".bankstripe-stats").read_text().splitlines()
    counts = json.loads(stats[-1])["counts"] if stats else {}
    return ("rewritten" if counts.get("rewritten") else
            "looked at" if counts.get("parsed") else "not parsed")


def print_ratios(ratios):
    for became in sorted(set(b for b, _ in ratios)):
        these = [r for b, r in ratios if b == became]
        print(f"{became}: {len(these)} files, median {statistics.median(these):.2f}, "
              f"{min(these):.2f} to {max(these):.2f}")


def print_files(tool, nvcc, flags, files, phase, folder):
    total = [0.0, 0.0, 0.0]
    ratios = []
    for file in files:
        words = [nvcc, "-arch=sm_90", "-I" + str(pathlib.Path(file).parent), *phase, file, "-o"]
        here = folder / str(len(ratios))
        here.mkdir(exist_ok=True)
        alone, works = seconds(used, [*words, here / "b.o"])
        if not works:
            continue
        wrapped, works = seconds(used, [tool, "wrap", *flags, *words, here / "a.o"])
        if not works:
            sys.exit(f"{file} compiles, but not behind the launcher")
        became = what_became(here)
        again, _ = seconds(used, [tool, "wrap", *flags, *words, here / "a.o"])
        ratios.append((became, wrapped / alone))
        total = [t + s for t, s in zip(total, (alone, wrapped, again))]
        print(f"{file:60} {alone:7.2f} s {wrapped:7.2f} s {again:7.2f} s {wrapped / alone:5.2f} "
              f"{became}", flush=True)
    more = [100 * (t / total[0] - 1) for t in total]
    print(f"{len(ratios)} files: {total[0]:.1f} s alone, {total[1]:.1f} s behind the launcher, "
          f"{more[1]:.1f} % more, {total[2]:.1f} s once more, {more[2]:.1f} % more")
    print_ratios(ratios)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    tool, nvcc, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        os.environ["BANKSTRIPE_CACHE_DIR"] = name + "/cache"
        if files == ["--fixed"]:
            print_fixed(tool, pathlib.Path(name))
            return
        flags = [word for word in files if word.startswith("--") and word != "--link"]
        phase = [] if "--link" in files else ["-c"]
        files = [word for word in files if not word.startswith("--")]
        print_files(tool, nvcc, flags, files, phase, pathlib.Path(name))


if __name__ == "__main__":
    main()
