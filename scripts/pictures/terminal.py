"""Draws a terminal in which bankstripe looks at the sample: what it prints, in its colours.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from xml.sax.saxutils import escape

import svg

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sample"
COMMANDS = ("bankstripe analyze src", "bankstripe rewrite --quiet src")
LINE = 15

# A terminal is dark in both schemes.
COLOURS = ("#8b949e", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea")
STYLE = {
    ".terminal": ("fill: #0d1117",),
    ".shell": ('font: 11px ui-monospace, "DejaVu Sans Mono", monospace; fill: #e6edf3; white-space: pre',),
    ".bold": ("font-weight: 700",),
    **{f".c{30 + number}": (f"fill: {colour}",) for number, colour in enumerate(COLOURS)},
}


def printed(tool, command, folder):
    """What a command prints on a terminal of 100 columns, but for the line of progress."""
    path = f"{pathlib.Path(tool).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run(["script", "-qec", "stty cols 100; " + command, "/dev/null"], cwd=folder, check=True,
                          env={**os.environ, "PATH": path, "TERM": "xterm"}, stdout=subprocess.PIPE)
    text = done.stdout.decode().replace("\r\n", "\n")
    return re.sub(r"\r[^\n]*\r|\x1b\[K", "", text).rstrip("\n")


def coloured(line):
    """A line whose escape sequences are spans with classes."""
    words, kind = "", []
    for code, part in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", line):
        for number in map(int, filter(None, code.split(";"))):
            kind = [] if number == 0 else [*kind, "bold"] if number == 1 else [
                *(name for name in kind if name == "bold"), f"c{number}"]
        part = escape(part)
        words += f'<tspan class="{" ".join(kind)}">{part}</tspan>' if part and kind else part
    return words


def draw(tool):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SAMPLE, pathlib.Path(folder) / "src")
        text = "\n\n".join(f"\x1b[1m$ {command}\x1b[0m\n{printed(tool, command, folder)}" for command in COMMANDS)
    lines = text.split("\n")
    height = 26 + LINE * len(lines)
    parts = [svg.rect(0, 0, svg.WIDTH, height, "terminal", 8),
             *(f'<text class="shell" x="14" y="{22 + LINE * number}" xml:space="preserve">{coloured(line)}</text>'
               for number, line in enumerate(lines))]
    return svg.picture("A terminal: bankstripe analyzes and rewrites the sample", height, parts, STYLE)
