"""Draws the house: through which folders an array passes, and what is handed on between them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import svg
from svg import path, rect, text

# A folder of rewriter/, what it does, and the value that it hands on.
STAGES = (("frontend", ("commands of nvcc", "for Clang"), "unit"),
          ("find", ("arrays, their uses,", "kernels, launches"), "findings"),
          ("evidence", ("what -O3, ptxas", "leave in memory"), "facts"),
          ("plan", ("candidates, search,", "verdicts"), "plan"),
          ("edit", ("how the text", "changes"), ""))
# Folders of a row below: what they are for, and the stage at which they begin.
AROUND = (("decisions", "what people and measurements said", 3),
          ("facts, cache, workers", "units in parallel, and known from before", 1))
USERS = (("report", "text, JSON, SARIF, diff"), ("tool", "analyze, rewrite, verify"),
         ("wrap", "before a compiler"), ("tune", "measures candidates"))
RUNTIME = (("recorder, recording", "launches and memory"), ("verify", "compares and times"),
           ("replay", "one launch, alone"), ("page", "the report in HTML"))

BOX, GAP, LEFT, HIGH = 112, 28, 14, 74
STYLE = {
    ".name": ("font-weight: 600",),
    ".arrow": ("stroke: #59636e; stroke-width: 1.5; fill: none", "stroke: #9198a1"),
}


def box(x, y, width, height, name, lines):
    return [rect(x, y, width, height, "box", 6),
            text(x + width / 2, y + 22, name, "name code", "middle"),
            *(text(x + width / 2, y + 41 + 15 * number, line, "small faint", "middle")
              for number, line in enumerate(lines))]


def row(y, boxes):
    width = (svg.WIDTH - 2 * LEFT - GAP * (len(boxes) - 1)) / len(boxes)
    return [part for number, (name, line) in enumerate(boxes)
            for part in box(LEFT + number * (width + GAP), y, width, 56, name, [line])]


def draw():
    parts = [text(LEFT, 22, "rewriter/: each stage is a folder, and hands on plain values", "title")]
    for number, (name, lines, handed) in enumerate(STAGES):
        x = LEFT + number * (BOX + GAP)
        parts += box(x, 62, BOX, HIGH, name, lines)
        if handed:
            parts += [path(f"M{x + BOX + 3} {62 + HIGH / 2:g}h{GAP - 6}m-5 -4l5 4l-5 4", "arrow"),
                      text(x + BOX + GAP / 2, 54, handed, "small", "middle")]
    for name, line, stage in AROUND:
        x = LEFT + stage * (BOX + GAP)
        parts += box(x, 160, 2 * BOX + GAP, 56, name, [line])
        parts.append(path(f"M{x + BOX / 2:g} 160v-22m-4 5l4 -5l4 5", "arrow"))
    parts += [text(LEFT, 248, "Who runs the stages, and what comes out", "title"), *row(262, USERS),
              text(LEFT, 350, "runtime/: what runs beside a program on the GPU", "title"), *row(364, RUNTIME),
              text(LEFT, 446, "runtime/device/bankstripe.cuh is all that rewritten code includes. "
                              "rewriter/model/ holds the values, rewriter/arch/ the GPUs.", "small faint")]
    return svg.picture("The folders of bankstripe, and what is handed on between them", 460, parts, STYLE)
