#!/usr/bin/env python3
"""Draws what the tool decides in the sweep: plot.py FILE BLOCK=DECISIONS... > measurements/sweep.svg

A dot for each point, in a panel for each pattern of indices: to the right, the best speedup that
was measured there; up, that of what the tool decides. What lies on the diagonal is the best choice,
what lies on the line at 1 is left where it is. FILE and DECISIONS are those of analyse.py.

The text and the lines take the colours that the reader's browser prefers, light or dark.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import sys

import analyse
import figures

PATTERNS = {"uniform": "the same index in all lanes", "random": "random indices",
            "worst": "32 different indices"}
SIDE, GAP, LEFT, TOP, BOTTOM = 230, 46, 44, 86, 62
LOWEST, HIGHEST = 0.8, 256
GRID = (1, 2, 5, 10, 20, 50, 100, 200)

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 10px; }
  .title { font-size: 14px; font-weight: 600; }
  .grid { stroke: #8b949e; stroke-opacity: .25; }
  .line { stroke: #57606a; stroke-opacity: .6; }
  .dots { stroke-width: 3.5; stroke-linecap: round; fill: none; }
  .best { stroke: #0969da; stroke-opacity: .5; }
  .missed { stroke: #bc4c00; stroke-opacity: .8; }
  .slower { stroke: #cf222e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .line { stroke: #b1bac4; }
    .best { stroke: #58a6ff; }
    .missed { stroke: #ffa657; }
    .slower { stroke: #ff7b72; }
  }
"""
KINDS = {"best": "within 5 % of the best", "missed": "another choice is faster",
         "slower": "slower than it was, by more than 2 %"}


def kind(judgement):
    if judgement.chosen != "original" and judgement.speedup < analyse.SLOWER:
        return "slower"
    return "best" if judgement.loss <= analyse.CLOSE else "missed"


def along(value):
    """Where a speedup stands on a side of a panel, in tenths of a pixel."""
    return round(SIDE * math.log(value / LOWEST) / math.log(HIGHEST / LOWEST), 1)


def dots(judgements, left):
    """The dots of one kind: lines without a length, whose ends are round."""
    places = sorted({(left + along(j.speedup * j.loss), TOP + SIDE - along(j.speedup))
                     for j in judgements})
    return "".join(f"M{x:g} {y:g}h0" for x, y in places)


def panel(judgements, title, left):
    bottom, right = TOP + SIDE, left + SIDE
    lines = [f'<text x="{left}" y="{TOP - 10}">{title}: {len(judgements)}</text>']
    for value in GRID:
        x, y = left + along(value), bottom - along(value)
        style = "line" if value == 1 else "grid"
        lines.append(f'<path class="{style}" d="M{left} {y:g}H{right}"/>'
                     f'<path class="grid" d="M{x:g} {TOP}V{bottom}"/>'
                     f'<text class="small" x="{x:g}" y="{bottom + 14}" text-anchor="middle">'
                     f'{value}</text>'
                     f'<text class="small" x="{left - 6}" y="{y + 3:g}" text-anchor="end">'
                     f'{value}</text>')
    lines.append(f'<path class="line" d="M{left} {bottom}L{right} {TOP}"/>')
    for style in KINDS:
        path = dots([j for j in judgements if kind(j) == style], left)
        if path:
            lines.append(f'<path class="dots {style}" d="{path}"/>')
    return lines


def legend(judgements):
    lines, x = [], LEFT
    for style, text in KINDS.items():
        count = sum(kind(j) == style for j in judgements)
        lines.append(f'<path class="dots {style}" d="M{x} 48h0"/>'
                     f'<text x="{x + 8}" y="52">{text}: {count}</text>')
        x += 250
    return lines


def draw(judgements):
    width = LEFT + len(PATTERNS) * (SIDE + GAP)
    height = TOP + SIDE + BOTTOM
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" role="img">',
             "<title>What the tool decides at each point of the sweep, on an H200</title>",
             f"<style>{STYLE}</style>",
             f'<text class="title" x="14" y="22">Speedup of what the tool decides (up) and of the '
             f'best choice (to the right): {len(judgements)} points, H200</text>',
             *legend(judgements)]
    for number, (pattern, title) in enumerate(PATTERNS.items()):
        lines += panel([j for j in judgements if j.point.pattern == pattern], title,
                       LEFT + number * (SIDE + GAP))
    lines += [f'<text class="small" x="{LEFT}" y="{height - 20}">On the diagonal nothing is '
              'faster; on the line at 1 the array stays in local memory.</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) < 2 or not all("=" in argument for argument in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    sweep = analyse.Sweep(figures.read(arguments[0]))
    decisions = analyse.read_decisions(arguments[1:])
    judgements, _ = analyse.judge(
        sweep, lambda point, _: decisions.get((point.block, point.kernel)))
    sys.stdout.write(draw(judgements))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
