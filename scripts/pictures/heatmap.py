"""Draws when moving an array pays: its speedup by what is done with it, at which indices, by size.

From the timings of the sweep in measurements/. A figure is the time in local memory over that of
the fastest other layout: the geometric mean of all its points, which differ in the type of the
elements, the size of the blocks, arithmetic and loads beside the array.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import pathlib
import sys

import svg

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gpu" / "sweep"))
import analyse  # noqa: E402
import figures  # noqa: E402

FILES = ("sweep-h200", "sweep-one-way-h200")
USES = {"updates": "read and written", "writes": "only written", "reads": "only read"}
PATTERNS = {"uniform": "one index for all lanes", "random": "random indices",
            "worst": "32 different indices"}
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)  # Bytes of a thread.

LEFT, TOP, CELL, ROW, GAP = 158, 84, 53, 24, 34

# From a loss to a large gain; the text on each can be read in both schemes.
STEPS = ((0.98, "lost"), (1.05, "even"), (1.5, "gain1"), (3, "gain2"), (8, "gain3"),
         (math.inf, "gain4"))
STYLE = """
  .lost { fill: #ffb3ad; }
  .even { fill: #eaeef2; }
  .gain1 { fill: #cfe8ff; }
  .gain2 { fill: #96cbff; }
  .gain3 { fill: #4a9bf0; }
  .gain4 { fill: #0b5cc0; }
  .on-dark { fill: #ffffff; }
"""
DARK = """
    .lost { fill: #8e1f1a; }
    .even { fill: #2a313c; }
    .gain1 { fill: #12304f; }
    .gain2 { fill: #17497f; }
    .gain3 { fill: #1f6feb; }
    .gain4 { fill: #79c0ff; }
    .gain4-text { fill: #0d1117; }
"""


def speedups():
    """(use, pattern, bytes of a thread) => those of all points."""
    found = {}
    for name in FILES:
        sweep = analyse.Sweep(figures.read(ROOT / "measurements" / f"{name}.txt.xz"))
        for point, variants in sweep.times.items():
            best = analyse.best_speedup(variants)
            if best is not None:
                size = point.bytes * point.elements
                found.setdefault((point.use, point.pattern, size), []).append(best)
    return found


def kind(value):
    return next(name for limit, name in STEPS if value < limit)


def rows(found, use, top):
    parts = [svg.text(14, top - 8, f"Elements are {USES[use]}", "title")]
    for line, (pattern, title) in enumerate(PATTERNS.items()):
        y = top + line * ROW
        parts.append(svg.text(LEFT - 10, y + 16, title, "small", "end"))
        for column, size in enumerate(SIZES):
            value = analyse.mean(found[use, pattern, size])
            shade = kind(value)
            x = LEFT + column * CELL
            parts += [svg.rect(x, y, CELL - 2, ROW - 2, shade, 2),
                      svg.text(x + (CELL - 2) / 2, y + 15,
                               f"{value:.1f}" if value >= 9.95 else f"{value:.2f}",
                               "small on-dark gain4-text" if shade == "gain4" else "small",
                               "middle")]
    return parts


def draw():
    found = speedups()
    height = len(PATTERNS) * ROW
    parts = [svg.text(14, 22, "Time of an array in local memory over that of the best other "
                              "layout, NVIDIA H200", "title"),
             svg.text(LEFT - 10, 50, "bytes per thread", "small faint", "end")]
    parts += [svg.text(LEFT + column * CELL + (CELL - 2) / 2, 50, str(size), "small faint",
                       "middle") for column, size in enumerate(SIZES)]
    for number, use in enumerate(USES):
        parts += rows(found, use, TOP + number * (height + GAP))
    bottom = TOP + len(USES) * (height + GAP)
    counted = sum(len(points) for (_, _, size), points in found.items() if size in SIZES)
    parts.append(svg.text(14, bottom, f"Geometric means of {counted:,} points: elements of 1, 2, 4 "
                          "and 8 bytes, blocks of 64 to 1,024 threads, with and without",
                          "small faint"))
    parts.append(svg.text(14, bottom + 16, "arithmetic and loads beside the array. What does not "
                          "fit into shared memory is left out.", "small faint"))
    return svg.picture("When moving an array pays: speedups by indices, size and use",
                       bottom + 28, parts, STYLE, DARK)
