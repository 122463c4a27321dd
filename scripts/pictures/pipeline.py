"""Draws the house: through which folders an array passes, and what is handed on between them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import svg

# A folder of rewriter/, what it does, and the value that it hands on.
STAGES = (("frontend", ("commands of nvcc", "for Clang"), "unit"),
          ("find", ("arrays, their uses,", "kernels, launches"), "findings"),
          ("evidence", ("what -O3, ptxas", "leave in memory"), "facts"),
          ("plan", ("candidates, search,", "verdicts"), "plan"),
          ("edit", ("how the text", "changes"), "edits"))
# Folders of a row below: what they are for, and between which stages they belong.
AROUND = (("decisions, calibrate", "what people and measurements said", 3),
          ("facts, cache, workers", "units in parallel, and known from before", 1))
USERS = (("report", "text, JSON, SARIF, diff"), ("tool", "analyze, rewrite, verify"),
         ("wrap", "before a compiler"), ("tune", "measures candidates"))
RUNTIME = (("recorder, recording", "launches and memory"), ("verify", "compares and times"),
           ("replay", "one launch, alone"), ("page", "the report in HTML"))

BOX, GAP, LEFT, HIGH = 112, 28, 14, 74

STYLE = """
  .name { font-weight: 600; }
  .arrow { stroke: #59636e; stroke-width: 1.5; fill: none; }
  .area { fill: none; stroke: #8b949e; stroke-dasharray: 4 3; }
"""
DARK = """
    .arrow { stroke: #9198a1; }
"""


def box(x, y, width, height, name, lines):
    parts = [svg.rect(x, y, width, height, "box", 6),
             svg.text(x + width / 2, y + 22, name, "name code", "middle")]
    return parts + [svg.text(x + width / 2, y + 41 + 15 * number, line, "small faint", "middle")
                    for number, line in enumerate(lines)]


def arrow(x, y, length):
    return svg.path(f"M{x:g} {y:g}h{length:g}m-5 -4l5 4l-5 4", "arrow")


def down(x, y, length):
    return svg.path(f"M{x:g} {y:g}v{length:g}m-4 -5l4 5l4 -5", "arrow")


def stages(y):
    parts = []
    for number, (name, lines, handed) in enumerate(STAGES):
        x = LEFT + number * (BOX + GAP)
        parts += box(x, y, BOX, HIGH, name, lines)
        if number + 1 < len(STAGES):
            parts += [arrow(x + BOX + 3, y + HIGH / 2, GAP - 6),
                      svg.text(x + BOX + GAP / 2, y - 8, handed, "small", "middle")]
    return parts


def around(y):
    parts = []
    for name, line, stage in AROUND:
        x = LEFT + stage * (BOX + GAP)
        width = 2 * BOX + GAP
        parts += box(x, y, width, 56, name, [line])
        middle = x + BOX / 2
        parts.append(svg.path(f"M{middle:g} {y:g}v-22m-4 5l4 -5l4 5", "arrow"))
    return parts


def row(y, boxes):
    width = (svg.WIDTH - 2 * LEFT - GAP * (len(boxes) - 1)) / len(boxes)
    return [part for number, (name, line) in enumerate(boxes)
            for part in box(LEFT + number * (width + GAP), y, width, 56, name, [line])]


def draw():
    parts = [svg.text(LEFT, 22, "rewriter/: each stage is a folder, and hands on plain values",
                      "title"),
             *stages(62), *around(160),
             svg.text(LEFT, 248, "Who runs the stages, and what comes out", "title"),
             *row(262, USERS),
             svg.text(LEFT, 350, "runtime/: what runs beside a program on the GPU", "title"),
             *row(364, RUNTIME),
             svg.text(LEFT, 446, "runtime/device/bankstripe.cuh is all that rewritten code "
                                 "includes. rewriter/model/ holds the values, rewriter/arch/ "
                                 "the GPUs.", "small faint")]
    return svg.picture("The folders of bankstripe, and what is handed on between them", 460, parts,
                       STYLE, DARK)


def folders():
    """All that the picture names, for the test that they are there."""
    named = [name for name, _, _ in STAGES] + ["model", "arch"]
    named += [name for names, _, _ in AROUND for name in names.split(", ")]
    named += [name for name, _ in USERS]
    return ([f"rewriter/{name}" for name in named] +
            [f"runtime/{name}" for names, _ in RUNTIME for name in names.split(", ")])
