#!/usr/bin/env python3
"""Draws the picture in the README: what becomes of the kernels of public programs.

    plot_speedups.py [PROJECT_FOLDER] > docs/pictures/speedups.svg
    plot_speedups.py --means [PROJECT_FOLDER]

The figures are those of the two tables of kernels in measurements/2026-11-22-public-programs.md: a row for each kernel, with everything moved as stripes and as slots, and the default
decision. The best is the best of these and of the original.

With --means, prints what the table of means below them says of the default decision of today.

The text and the lines take the colours that the reader's browser prefers, light or dark.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import pathlib
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENTRY = "measurements/2026-11-22-public-programs.md"

ROW, TOP, LEFT, WIDTH, RIGHT = 12, 74, 200, 520, 40
LOWEST, HIGHEST = 0.2, 6.0
GRID = (0.25, 0.5, 1, 2, 4)

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 10px; }
  .title { font-size: 14px; font-weight: 600; }
  .grid { stroke: #8b949e; stroke-opacity: .35; }
  .one { stroke: #57606a; }
  .span { stroke: #8b949e; stroke-opacity: .6; }
  .all { fill: none; stroke: #8b949e; stroke-width: 1.5; }
  .best { stroke: #bc4c00; stroke-width: 2; }
  .gain { fill: #0969da; }
  .same { fill: #6e7781; }
  .loss { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .one { stroke: #b1bac4; }
    .best { stroke: #ffa657; }
    .gain { fill: #58a6ff; }
    .same { fill: #8b949e; }
    .loss { fill: #ff7b72; }
  }
"""


class Kernel(NamedTuple):
    name: str
    everything: float  # all that can move, as stripes
    default: float
    best: float


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
    default = len(header) - 1  # The last column is that of today.
    found = []
    for row in rows:
        stripes, slots, chosen = (values(row[n]) for n in (1, 2, default))
        called = names(row[0])
        # One figure may be that of several kernels.
        stripes, slots, chosen = (figures * (len(called) // len(figures))
                                  for figures in (stripes, slots, chosen))
        found += [Kernel(name, stripe, now, max(1.0, stripe, slot, now))
                  for name, stripe, slot, now in zip(called, stripes, slots, chosen, strict=True)]
    return found


def by_table(text):
    """The kernels of each table."""
    return [kernels_of(table) for table in tables(text) if table[0][0] == "kernel"]


def read(text):
    """All kernels, those first that gain most by the default decision."""
    found = [kernel for kernels in by_table(text) for kernel in kernels]
    return sorted(found, key=lambda kernel: (-kernel.default, -kernel.best, kernel.name))


def place(value):
    """Where a speedup stands, on a logarithmic scale."""
    share = math.log(value / LOWEST) / math.log(HIGHEST / LOWEST)
    return round(LEFT + WIDTH * share, 1)


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def row(kernel, y):
    """One line: from what everything moved gives to the best, and the dot."""
    kind = "gain" if kernel.default > 1.02 else "loss" if kernel.default < 0.98 else "same"
    low, high = (which(kernel.everything, kernel.default, kernel.best) for which in (min, max))
    best = place(kernel.best)
    return (f'<text class="small" x="{LEFT - 10}" y="{y + 3}" text-anchor="end">'
            f'{kernel.name}</text>'
            f'<path class="span" d="M{place(low)} {y}H{place(high)}"/>'
            f'<path class="best" d="M{best} {y - 4.5}v9"/>'
            f'<circle class="all" cx="{place(kernel.everything)}" cy="{y}" r="3.5"/>'
            f'<circle class="{kind}" cx="{place(kernel.default)}" cy="{y}" r="3"/>'
            f'<text class="small" x="{LEFT + WIDTH + RIGHT}" y="{y + 3}" text-anchor="end">'
            f'{kernel.default:.2f}</text>')


def legend(y):
    """What the marks mean, in a line."""
    return (f'<circle class="gain" cx="20" cy="{y - 4}" r="3.5"/>'
            f'<text x="30" y="{y}">what the tool decides</text>'
            f'<circle class="all" cx="190" cy="{y - 4}" r="4"/>'
            f'<text x="200" y="{y}">every array moved</text>'
            f'<path class="best" d="M340 {y - 9}v10"/>'
            f'<text x="350" y="{y}">the best, also of slots and the original</text>')


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


def draw(kernels):
    bottom = TOP + ROW * len(kernels)
    width, height = LEFT + WIDTH + RIGHT + 14, bottom + 46
    means = [mean([getattr(kernel, field) for kernel in kernels])
             for field in ("everything", "default", "best")]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" role="img">',
             f"<title>Speedups of {len(kernels)} kernels of public programs on an H200</title>",
             f"<style>{STYLE}</style>",
             f'<text class="title" x="14" y="22">Time of the original over time of the rewritten '
             f'kernel: {len(kernels)} kernels of public programs, H200</text>', legend(46)]
    for value in GRID:
        lines.append(f'<path class="{"one" if value == 1 else "grid"}" '
                     f'd="M{place(value)} {TOP - 8}V{bottom}"/>'
                     f'<text class="small" x="{place(value)}" y="{TOP - 12}" '
                     f'text-anchor="middle">{value:g}</text>')
    lines += [row(kernel, TOP + ROW * number + ROW // 2) for number, kernel in enumerate(kernels)]
    lines += [f'<text class="small" x="14" y="{bottom + 28}">Geometric means: {means[1]:.2f} as '
              f'the tool decides, {means[0]:.2f} with every array moved, {means[2]:.2f} with the '
              f'best of each</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def main():
    words = sys.argv[1:]
    wants_means = words[:1] == ["--means"]
    root = pathlib.Path(words[-1]) if len(words) > wants_means else ROOT
    text = (root / ENTRY).read_text(encoding="utf-8")
    if wants_means:
        for kernels in (*by_table(text), read(text)):
            print(f"{len(kernels)} kernels:", " | ".join(summary(kernels)))
    else:
        sys.stdout.write(draw(read(text)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
