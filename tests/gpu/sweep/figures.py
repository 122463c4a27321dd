"""Reads what run.sh has measured: the one reader of the sweep's figures.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import lzma
from typing import NamedTuple

import generate

CONTROLS = ("reserved", "carve-out")


class Point(NamedTuple):
    """What is one question to the tool."""
    bytes: int
    elements: int
    pattern: str
    arithmetic: int
    stream: str
    block: int
    use: str = generate.UPDATES

    @property
    def kernel(self):
        """What generate.py calls the original."""
        configuration = generate.Configuration(generate.TYPE_OF_BYTES[self.bytes],
                                               self.pattern == "uniform", self.arithmetic,
                                               "quiet" if self.stream == "none" else self.stream,
                                               self.use)
        return configuration.kernel("original", self.elements)


class Timing(NamedTuple):
    """One variant of a point, a line of the file; ms is None where it does not fit."""
    point: Point
    grid: int
    variant: str
    ms: float
    spread: float
    shared: int  # bytes of a block
    blocks: int  # that an SM has at a time
    same: bool   # results as those of the original


def read(path):
    """The timings in a file, which may be compressed with xz."""
    with (lzma.open if str(path).endswith(".xz") else open)(path, "rt", encoding="utf-8") as lines:
        return parse(lines)


def parse(lines):
    return [timing(line) for line in lines if line.strip() and not line.startswith("#")]


def timing(line):
    (size, elements, pattern, arithmetic, stream, block, grid, variant, milliseconds, spread, _, _,
     shared, blocks, same) = (cell.strip() for cell in line.split("|"))
    stream, _, use = stream.partition(" ")
    point = Point(int(size), int(elements), pattern, int(arithmetic), stream, int(block),
                  use or generate.UPDATES)
    fits = milliseconds != "-"
    return Timing(point, int(grid), variant, float(milliseconds) if fits else None,
                  float(spread) if fits else None, int(shared), int(blocks), same == "same")
