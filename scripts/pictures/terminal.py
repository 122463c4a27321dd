"""Draws a terminal in which bankstripe looks at the sample: what it prints, in its colours.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
from xml.sax.saxutils import escape

import svg

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sample"
COLUMNS = 100
COMMANDS = ("bankstripe analyze src",
            "bankstripe rewrite --quiet src")
LEFT, TOP, LINE = 14, 22, 15

# A terminal is dark in both schemes.
STYLE = """
  .terminal { fill: #0d1117; }
  .shell { font: 11px ui-monospace, "DejaVu Sans Mono", monospace; fill: #e6edf3; white-space: pre; }
  .bold { font-weight: 700; }
  .c30 { fill: #8b949e; }
  .c31 { fill: #ff7b72; }
  .c32 { fill: #7ee787; }
  .c33 { fill: #e3b341; }
  .c34 { fill: #79c0ff; }
  .c35 { fill: #d2a8ff; }
  .c36 { fill: #76e3ea; }
  .prompt { fill: #7ee787; }
"""


def run(command, folder):
    """What a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                          env={**os.environ, "TERM": "xterm"}):
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 4096)
            except OSError:  # All of it was read.
                break
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def printed(tool):
    """The lines of a terminal: commands and what they print, with escape sequences."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SAMPLE, pathlib.Path(folder) / "src")
        for command in COMMANDS:
            text = run([os.path.abspath(tool), *command.split()[1:]], folder)
            text = re.sub(r"\r[^\n]*\r|\x1b\[K", "", text)  # Progress.
            lines += ["$ " + command, *text.rstrip("\n").split("\n"), ""]
    return lines[:-1]


def spans(line):
    """The parts of a line, each with the classes of its colour."""
    kind = []
    parts = []
    for code, words in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", line):
        for number in code.split(";") if code else []:
            value = int(number or 0)
            if value == 0:
                kind = []
            elif value == 1:
                kind = [*kind, "bold"]
            elif 30 <= value <= 37:
                kind = [k for k in kind if k == "bold"] + [f"c{value}"]
        if words:
            parts.append((" ".join(kind), words))
    return parts


def draw(tool):
    lines = printed(tool)
    height = TOP + LINE * len(lines) + 4
    parts = [svg.rect(0, 0, svg.WIDTH, height, "terminal", 8)]
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            line = "\x1b[1m" + line
        words = "".join(f'<tspan class="{kind}">{escape(part)}</tspan>' if kind else escape(part)
                        for kind, part in spans(line))
        parts.append(f'<text class="shell" x="{LEFT}" y="{TOP + LINE * number}" '
                     f'xml:space="preserve">{words}</text>')
    return svg.picture("A terminal: bankstripe analyzes and rewrites the sample", height, parts,
                       STYLE)
