#!/usr/bin/env python3
"""Generates CUDA programs with per-thread arrays, one case per seed.

    generate.py SEED [COUNT]      prints a program with COUNT cases
    generate.py --statistics SEED COUNT
    generate.py --gpu ...         for run_pairs.py --compiler=nvcc

A case is a kernel with random per-thread arrays and everything that it uses, now
and then with other kernels that use the same functions. Its
behaviour is defined, and independent of the order of its threads: each thread
writes a digest of all that it has seen. A case has the same text whether it is
generated alone or with others.

With --gpu a GPU and a host give the same results: there are no atomic operations on
local memory, no extents that differ between host and device, and no floats that are
read as integers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import sys

from program import batch


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--statistics", action="store_true",
                        help="print how often each shape occurs instead")
    parser.add_argument("--gpu", action="store_true", help="only what a GPU does as a host does")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    options = parser.parse_args()
    text, programs = batch(range(options.seed, options.seed + options.count), options.gpu)
    if not options.statistics:
        sys.stdout.write(text)
        return 0
    shapes = collections.Counter()
    for program in programs:
        shapes.update(program.case.shapes)
    for name, count in sorted(shapes.items()):
        print(f"{count:6} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
