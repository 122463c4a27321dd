"""Draws when moving an array pays: its speedup by what is done with it, at which indices, by size.

From the timings of the sweep in measurements/. A figure is the time in local memory over that of
the fastest other layout: the geometric mean of all its points, which differ in the type of the
elements, the size of the blocks, arithmetic and loads beside the array.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import math
import pathlib
import sys

from svg import picture, rect, text

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gpu" / "sweep"))
import analyse  # noqa: E402
import figures  # noqa: E402

USES = {"updates": "read and written", "writes": "only written", "reads": "only read"}
PATTERNS = {"uniform": "one index for all lanes", "random": "random indices",
            "worst": "32 different indices"}
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)  # Bytes of a thread.
LEFT, TOP, CELL, ROW, GAP = 158, 84, 53, 24, 34

# From a loss to a large gain: below which speedup a cell has which colours.
STEPS = ((0.98, "#ffb3ad", "#8e1f1a"), (1.05, "#eaeef2", "#2a313c"), (1.5, "#cfe8ff", "#12304f"),
         (3, "#96cbff", "#17497f"), (8, "#4a9bf0", "#1f6feb"), (math.inf, "#0b5cc0", "#79c0ff"))
STYLE = {f".step{step}": (f"fill: {light}", f"fill: {dark}") for step, (_, light, dark) in enumerate(STEPS)}
STYLE[".on5"] = ("fill: #ffffff", "fill: #0d1117")  # The text on the last.


def speedups():
    """(use, pattern, bytes of a thread) => those of all points."""
    found = collections.defaultdict(list)
    for name in ("sweep-h200", "sweep-one-way-h200"):
        timings = figures.read(ROOT / "measurements" / f"{name}.txt.xz")
        for point, variants in analyse.Sweep(timings).times.items():
            best = analyse.best_speedup(variants)
            if best is not None:
                found[point.use, point.pattern, point.bytes * point.elements].append(best)
    return found


def cell(x, y, value):
    step = next(step for step, (limit, _, _) in enumerate(STEPS) if value < limit)
    return [rect(x, y, CELL - 2, ROW - 2, f"step{step}", 2),
            text(x + (CELL - 2) / 2, y + 15, f"{value:.1f}" if value >= 9.95 else f"{value:.2f}",
                 f"small on{step}", "middle")]


def draw():
    found = speedups()
    columns = [(LEFT + number * CELL, size) for number, size in enumerate(SIZES)]
    parts = [text(14, 22, "Time of an array in local memory over that of the best other layout, NVIDIA H200",
                  "title"),
             text(LEFT - 10, 50, "bytes per thread", "small faint", "end"),
             *(text(x + (CELL - 2) / 2, 50, str(size), "small faint", "middle") for x, size in columns)]
    y = TOP
    for use, title in USES.items():
        parts.append(text(14, y - 8, f"Elements are {title}", "title"))
        for pattern, indices in PATTERNS.items():
            parts.append(text(LEFT - 10, y + 16, indices, "small", "end"))
            for x, size in columns:
                parts += cell(x, y, analyse.mean(found[use, pattern, size]))
            y += ROW
        y += GAP
    counted = sum(len(points) for (_, _, size), points in found.items() if size in SIZES)
    parts += [text(14, y, f"Geometric means of {counted:,} points: elements of 1, 2, 4 and 8 bytes, blocks of "
                          "64 to 1,024 threads, with and without", "small faint"),
              text(14, y + 16, "arithmetic and loads beside the array. What does not fit into shared memory is "
                               "left out.", "small faint")]
    return picture("When moving an array pays: speedups by indices, size and use", y + 28, parts, STYLE)
