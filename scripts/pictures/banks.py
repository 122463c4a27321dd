"""Draws why a stripe is fast: what 32 lanes touch in local memory and in a stripe.

Both hold `int counts[16]` of 32 lanes word by word: a word is a square, lanes are from left to
right, elements from top to bottom.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from svg import path, picture, rect, text

LANES, ELEMENTS = 32, 16
CELL, TOP = 9, 88
BOTTOM = TOP + ELEMENTS * CELL
# One for each lane, as if they came from data.
INDICES = (6, 14, 1, 11, 11, 11, 2, 11, 4, 6, 13, 15, 12, 12, 1, 7,
           1, 15, 1, 14, 6, 2, 15, 7, 7, 6, 7, 9, 10, 8, 12, 9)
STYLE = {
    ".cells": ("stroke: #dde3e9; stroke-width: 8; stroke-dasharray: 8 1", "stroke: #262c36"),
    ".lane": ("fill: #0969da", "fill: #58a6ff"),
    ".row": ("fill: #cf222e; fill-opacity: .22", "fill: #ff7b72; fill-opacity: .3"),
    ".column": ("fill: #1a7f37; fill-opacity: .25", "fill: #3fb950; fill-opacity: .3"),
    ".slow": ("fill: #cf222e; font-weight: 600", "fill: #ff7b72"),
    ".fast": ("fill: #1a7f37; font-weight: 600", "fill: #3fb950"),
}


def side(left, title, below, touched):
    return [text(left, 50, title, "title"), text(left, 68, below, "small faint"),
            *(path(f"M{left} {TOP + element * CELL + (CELL - 1) / 2:g}h{LANES * CELL}", "cells")
              for element in range(ELEMENTS)),
            *touched,
            *(rect(left + lane * CELL, TOP + element * CELL, CELL - 1, CELL - 1, "lane", 1)
              for lane, element in enumerate(INDICES))]


def draw():
    left, right = 24, 364
    lines = sorted(set(INDICES))
    rows = [rect(left - .5, TOP + line * CELL - .5, LANES * CELL, CELL, "row") for line in lines]
    columns = [rect(right + bank * CELL - .5, TOP - .5, CELL, ELEMENTS * CELL, "column")
               for bank in range(LANES)]
    parts = [text(left, 22, "One access counts[digit]++ of a warp, where each lane has a digit of its own"),
             *side(left, "Local memory", "device memory, a row is a line of 128 bytes", rows),
             text(left, BOTTOM + 22, f"{len(lines)} lines, one after the other", "slow"),
             *side(right, "A stripe", "shared memory, a column is a bank", columns),
             text(right, BOTTOM + 22, "32 banks, all at once", "fast"),
             text(left, BOTTOM + 48, "Across: the 32 lanes of a warp. Down: the 16 elements of each lane's "
                                     "array. Blue: the word that a lane wants.", "small faint")]
    return picture("A warp's access to an array of each lane: many lines of local memory, or one "
                   "access to 32 banks", BOTTOM + 62, parts, STYLE)
