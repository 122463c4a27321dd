"""Draws what becomes of the kernels of public programs: those that change, one row each.

The figures are those of the tables in measurements/: everything moved as stripes, the default
decision as it was timed last, and what `tune` chose where it was run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import pathlib
import re

import svg
from svg import circle, path, text

ENTRY = pathlib.Path(__file__).resolve().parents[2] / "measurements" / "2026-11-22-public-programs.md"
ALL_KERNELS = 56

ROW, TOP, LEFT, SCALE = 17, 96, 186, 430
LOWEST, HIGHEST = 0.5, 6.5
STYLE = {
    ".span": ("stroke: #8b949e; stroke-opacity: .6",),
    ".all": ("fill: none; stroke: #8b949e; stroke-width: 1.5",),
    ".tuned": ("fill: none; stroke: #bc4c00; stroke-width: 1.5", "stroke: #ffa657"),
}


def kernels():
    """Name, everything moved, default, and where it was run `tune`: the rows of a table of the entry."""
    table = ENTRY.read_text(encoding="utf-8").partition("| shown |")[2].partition("\n\n")[0]
    return re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.*?) ?\|$", table, re.MULTILINE)


def means(shown):
    """By default, which leaves the other kernels alone, and with everything moved: the entry says that."""
    default = math.exp(sum(math.log(float(kernel[2])) for kernel in shown) / ALL_KERNELS)
    everything = re.search(r"^\| together, now \| the same \| ([\d.]+)", ENTRY.read_text(encoding="utf-8"), re.MULTILINE)
    return f"{default:.2f} by default, {everything[1]} with every array moved."


def place(value):
    """Where a speedup stands, on a logarithmic scale."""
    return round(LEFT + SCALE * math.log(value / LOWEST) / math.log(HIGHEST / LOWEST), 1)


def diamond(x, y):
    return path(f"M{x:g} {y - 5.5:g}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", "tuned")


def figures(y, default, tuned, kind="small"):
    return [text(svg.WIDTH - 48, y, default, kind, "end"),
            *([text(svg.WIDTH - 10, y, tuned, kind, "end")] if tuned else [])]


def row(y, name, everything, default, tuned):
    """One line, from the lowest to the highest mark."""
    kind = "gain" if float(default) > 1.02 else "loss" if float(default) < 0.98 else "same"
    marks = [place(float(value)) for value in (everything, default, tuned) if value]
    return [text(LEFT - 12, y + 4, name, "small", "end"),
            path(f"M{min(marks):g} {y}H{max(marks):g}", "span"),
            circle(marks[0], y, 4.5, "all"), circle(marks[1], y, 3, kind),
            *(diamond(mark, y) for mark in marks[2:]), *figures(y + 4, default, tuned)]


def draw():
    shown = kernels()
    bottom = TOP + ROW * (len(shown) + 1)
    last = bottom - ROW // 2
    parts = [text(14, 22, "Time of the original over time of the changed kernel, NVIDIA H200", "title"),
             circle(20, 44, 3, "gain"), text(30, 48, "the default decision"),
             diamond(182, 44), text(194, 48, "what tune chose (where it was run)"),
             circle(436, 44, 4.5, "all"), text(448, 48, "every array moved, as stripes"),
             *figures(TOP - 12, "default", "tune", "small faint")]
    for value in (0.5, 1, 2, 4):
        parts += [path(f"M{place(value):g} {TOP - 6}V{bottom}", "line one" if value == 1 else "span"),
                  text(place(value), TOP - 12, f"{value:g}", "small", "middle")]
    for number, kernel in enumerate(shown):
        parts += row(TOP + ROW * number + ROW // 2, *kernel)
    parts += [text(LEFT - 12, last + 4, f"{ALL_KERNELS - len(shown)} left alone", "small", "end"),
              circle(place(1), last, 3, "same"), *figures(last + 4, "1.00", ""),
              text(14, bottom + 26, f"{ALL_KERNELS} kernels of public programs, geometric means: {means(shown)}", "small")]
    return svg.picture(f"Speedups of {len(shown)} kernels of public programs on an H200",
                       bottom + 38, parts, STYLE)
