#!/usr/bin/env python3
"""Draws what becomes of the kernels of public programs: those that change, one row each.

    speedups.py --means

The figures are those of the tables in measurements/: for each kernel everything moved as stripes
and as slots, and the default decision; of some, what bits changed later; and what `tune` chose for
those that it was asked about. The best is the best of all these and of the original.

With --means, prints what the table of means in that entry says of the default decision.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import pathlib
import re
import sys
from typing import NamedTuple, Optional

import svg

MEASUREMENTS = pathlib.Path(__file__).resolve().parents[2] / "measurements"
ENTRY = MEASUREMENTS / "2026-11-22-public-programs.md"
TUNED = MEASUREMENTS / "2026-11-22-tune.md"
LATER = ("kernel, with bits", "kernel, timed anew")

ROW, TOP, LEFT, SCALE = 17, 96, 186, 430
LOWEST, HIGHEST = 0.5, 6.5
GRID = (0.5, 1, 2, 4)

STYLE = """
  .span { stroke: #8b949e; stroke-opacity: .6; }
  .all { fill: none; stroke: #8b949e; stroke-width: 1.5; }
  .tuned { fill: none; stroke: #bc4c00; stroke-width: 1.5; }
"""
DARK = """
    .tuned { stroke: #ffa657; }
"""


class Kernel(NamedTuple):
    name: str
    everything: float  # all that can move, as stripes
    default: float
    best: float
    kept: bool = False  # by default
    tuned: Optional[float] = None


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def tables(text):
    """Those of a text, as lists of rows."""
    found = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append(cells(line))
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def values(cell):
    """`1.04`, `**0.97**`, `kept`, or several; what is kept is as fast as it was."""
    parts = cell.partition(" (")[0].replace("*", "").split(",")
    return [1.0 if part.strip() == "kept" else float(part) for part in parts]


def names(cell):
    """`program, kernel` or `program, one and other`."""
    for part in ("`", "..._", "..."):
        cell = cell.replace(part, "")
    program, _, kernels = cell.partition(", ")
    return [f"{program} {kernel}".strip() for kernel in kernels.split(" and ")]


def kernels_of(table):
    header, _, *rows = table
    default = len(header) - 1  # The last column is the latest.
    found = []
    for row in rows:
        stripes, slots, chosen = (values(row[n]) for n in (1, 2, default))
        kept = [part.strip().startswith("kept") for part in row[default].split(",")]
        called = names(row[0])
        # One figure may be that of several kernels.
        stripes, slots, chosen, kept = (figures * (len(called) // len(figures))
                                        for figures in (stripes, slots, chosen, kept[:len(chosen)]))
        found += [Kernel(name, stripe, now, max(1.0, stripe, slot, now), stays)
                  for name, stripe, slot, now, stays
                  in zip(called, stripes, slots, chosen, kept, strict=True)]
    return found


def by_table(text):
    """The kernels of each table."""
    return [kernels_of(table) for table in tables(text) if table[0][0] == "kernel"]


def later(text):
    """Kernel => what the default made of it when it was timed again."""
    return {name: values(row[1])[0] for table in tables(text) if table[0][0] in LATER
            for row in table[2:] for name in names(row[0])}


def tuned(text):
    """Kernel => the speedup of what `tune` chose, as it decides without further options."""
    found = {}
    for table in tables(text):
        if table[0][0] == "kernel" and table[0][-1] == "tune chose":
            for row in table[2:]:
                speedup = re.search(r", (\d+\.\d+)", row[-1])
                original = row[-1].startswith("the original")
                found[names(row[0])[0]] = 1.0 if original else float(speedup[1])
    return found


def read(text, tune=""):
    """All kernels, those first that gain most."""
    newer, chosen = later(text), tuned(tune)
    found = []
    for kernel in (kernel for kernels in by_table(text) for kernel in kernels):
        if kernel.name in newer:
            kernel = kernel._replace(default=newer[kernel.name], kept=False)
        tune_value = chosen.get(kernel.name)
        found.append(kernel._replace(
            tuned=tune_value, best=max(kernel.best, kernel.default, tune_value or 1.0)))
    return sorted(found, key=lambda kernel: (-kernel.default, -kernel.best, kernel.name))


def changed(kernel):
    return not kernel.kept or (kernel.tuned or 1.0) != 1.0


def place(value):
    """Where a speedup stands, on a logarithmic scale."""
    share = math.log(value / LOWEST) / math.log(HIGHEST / LOWEST)
    return round(LEFT + SCALE * share, 1)


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def summary(kernels):
    """What the table of means says of some kernels: geometric means of all as stripes, of the
    default and of the best, and what part of the logarithm of the best the default's gains are,
    and its gains and losses."""
    means = [f"{mean([getattr(kernel, field) for kernel in kernels]):.2f}"
             for field in ("everything", "default", "best")]
    reachable = sum(math.log(kernel.best) for kernel in kernels)
    logs = [math.log(kernel.default) for kernel in kernels]
    shares = [sum(max(0, log) for log in logs) / reachable, sum(logs) / reachable]
    return means + [f"{share:.0%}".replace("%", " %") for share in shares]


def diamond(x, y):
    return svg.path(f"M{x:g} {y - 5.5:g}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", "tuned")


def row(kernel, y):
    """One line, from the lowest to the highest mark."""
    kind = "gain" if kernel.default > 1.02 else "loss" if kernel.default < 0.98 else "same"
    marks = [kernel.everything, kernel.default, *([kernel.tuned] if kernel.tuned else [])]
    parts = [svg.text(LEFT - 12, y + 4, kernel.name, "small", "end"),
             svg.path(f"M{place(min(marks)):g} {y}H{place(max(marks)):g}", "span"),
             f'<circle class="all" cx="{place(kernel.everything):g}" cy="{y}" r="4.5"/>',
             f'<circle class="{kind}" cx="{place(kernel.default):g}" cy="{y}" r="3"/>']
    if kernel.tuned:
        parts.append(diamond(place(kernel.tuned), y))
        parts.append(svg.text(svg.WIDTH - 10, y + 4, f"{kernel.tuned:.2f}", "small", "end"))
    parts.append(svg.text(svg.WIDTH - 48, y + 4, f"{kernel.default:.2f}", "small", "end"))
    return parts


def legend(y):
    """What the marks mean, in a line."""
    return [f'<circle class="gain" cx="20" cy="{y - 4}" r="3"/>',
            svg.text(30, y, "the default decision"),
            diamond(182, y - 4), svg.text(194, y, "what tune chose (where it was run)"),
            f'<circle class="all" cx="436" cy="{y - 4}" r="4.5"/>',
            svg.text(448, y, "every array moved, as stripes")]


def draw(text=None, tune=None):
    kernels = read(text or ENTRY.read_text(encoding="utf-8"),
                   tune or TUNED.read_text(encoding="utf-8"))
    rows = [kernel for kernel in kernels if changed(kernel)]
    bottom = TOP + ROW * (len(rows) + 1)
    parts = [svg.text(14, 22, "Time of the original over time of the changed kernel, NVIDIA H200",
                      "title"), *legend(48),
             svg.text(svg.WIDTH - 48, TOP - 12, "default", "small faint", "end"),
             svg.text(svg.WIDTH - 10, TOP - 12, "tune", "small faint", "end")]
    for value in GRID:
        parts += [svg.path(f"M{place(value):g} {TOP - 6}V{bottom}",
                           "line one" if value == 1 else "span"),
                  svg.text(place(value), TOP - 12, f"{value:g}", "small", "middle")]
    for number, kernel in enumerate(rows):
        parts += row(kernel, TOP + ROW * number + ROW // 2)
    last = bottom - ROW // 2
    parts += [svg.text(LEFT - 12, last + 4, f"{len(kernels) - len(rows)} left alone", "small", "end"),
              f'<circle class="same" cx="{place(1):g}" cy="{last}" r="3"/>',
              svg.text(svg.WIDTH - 48, last + 4, "1.00", "small", "end"),
              svg.text(14, bottom + 26, f"{len(kernels)} kernels of public programs, geometric "
                       f"means: {mean([k.default for k in kernels]):.2f} by default, "
                       f"{mean([k.everything for k in kernels]):.2f} with every array moved.",
                       "small")]
    return svg.picture(f"Speedups of {len(rows)} kernels of public programs on an H200",
                       bottom + 38, parts, STYLE, DARK)


def main():
    text = ENTRY.read_text(encoding="utf-8")
    every = [kernel for kernels in by_table(text) for kernel in kernels]
    for kernels in (*by_table(text), every):
        print(f"{len(kernels)} kernels:", " | ".join(summary(kernels)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
