"""Draws why a stripe is fast: what 32 lanes touch in local memory and in a stripe.

Both hold `int counts[16]` of 32 lanes word by word, lane beside lane. The indices are those of a
generator that always begins alike.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import svg

LANES, ELEMENTS = 32, 16
CELL, LEFT, HALF = 9, 24, 364
TOP = 88

STYLE = """
  .cells { stroke: #dde3e9; stroke-width: 8; stroke-dasharray: 8 1; }
  .lane { fill: #0969da; }
  .row { fill: #cf222e; fill-opacity: .22; }
  .column { fill: #1a7f37; fill-opacity: .25; }
  .slow { fill: #cf222e; font-weight: 600; }
  .fast { fill: #1a7f37; font-weight: 600; }
"""
DARK = """
    .cells { stroke: #262c36; }
    .lane { fill: #58a6ff; }
    .row { fill: #ff7b72; fill-opacity: .3; }
    .column { fill: #3fb950; fill-opacity: .3; }
    .slow { fill: #ff7b72; }
    .fast { fill: #3fb950; }
"""


def indices():
    """One for each lane, as if they came from data."""
    state, found = 1, []
    for _ in range(LANES):
        state = (state * 1103515245 + 12345) % 2**31
        found.append(state >> 16 & ELEMENTS - 1)
    return found


def side(left, touched, kind, by_row):
    """A word is a square: lanes from left to right, elements from top to bottom."""
    parts = [svg.path(f"M{left} {TOP + element * CELL + (CELL - 1) / 2:g}h{LANES * CELL}", "cells")
             for element in range(ELEMENTS)]
    size = (LANES * CELL, CELL) if by_row else (CELL, ELEMENTS * CELL)
    for number in sorted(set(touched)):
        x, y = (left, TOP + number * CELL) if by_row else (left + number * CELL, TOP)
        parts.append(svg.rect(x - .5, y - .5, *size, kind))
    return parts


def lanes(left, chosen):
    return [svg.rect(left + lane * CELL, TOP + element * CELL, CELL - 1, CELL - 1, "lane", 1)
            for lane, element in enumerate(chosen)]


def heading(left, title, below):
    return [svg.text(left, 50, title, "title"), svg.text(left, 68, below, "small faint")]


def draw():
    chosen = indices()
    lines = len(set(chosen))
    bottom = TOP + ELEMENTS * CELL
    parts = [svg.text(LEFT, 22, "One access counts[digit]++ of a warp, where each lane has a digit "
                                "of its own"),
             *heading(LEFT, "Local memory", "device memory, a row is a line of 128 bytes"),
             *side(LEFT, chosen, "row", True), *lanes(LEFT, chosen),
             svg.text(LEFT, bottom + 22, f"{lines} lines, one after the other", "slow"),
             *heading(HALF, "A stripe", "shared memory, a column is a bank"),
             *side(HALF, range(LANES), "column", False), *lanes(HALF, chosen),
             svg.text(HALF, bottom + 22, "32 banks, all at once", "fast"),
             svg.text(LEFT, bottom + 48, "Across: the 32 lanes of a warp. Down: the 16 elements of "
                                         "each lane's array. Blue: the word that a lane wants.",
                      "small faint")]
    return svg.picture("A warp's access to an array of each lane: many lines of local memory, or "
                       "one access to 32 banks", bottom + 62, parts, STYLE, DARK)
