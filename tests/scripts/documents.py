"""The code blocks of a Markdown document, and what the comment before each says of it.

Indented and fenced blocks alike. A comment that stands alone before a block, and that
no reader sees, says what the block is:

    <!-- not run: REASON -->         commands that cannot be tried here, or no commands
    <!-- with nvcc -->               commands that need nvcc
    <!-- CMakeLists.txt -->          lines for a project
    <!-- printed by: COMMAND -->     a part of what COMMAND prints
    <!-- printed with nvcc by: COMMAND -->
    <!-- file: NAME -->              a file, for the blocks that follow

Without one, the block is a script of commands.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from typing import NamedTuple

KINDS = ("not run", "with nvcc", "CMakeLists.txt", "printed by", "printed with nvcc by", "file")
MARK = re.compile(rf"<!-- ({'|'.join(KINDS)})(?:: (.*?))? -->")


class Block(NamedTuple):
    line: int       # of the document, from 1
    text: str
    kind: str       # one of KINDS, or "run"
    argument: str   # what follows the kind


def blocks(text):
    """All code blocks of a document, in its order."""
    lines = text.splitlines()
    found = []
    previous = ""  # The last line before the block that is not empty.
    number = 0
    while number < len(lines):
        line = lines[number]
        begin = number
        if line.startswith("```"):
            end = next((n for n in range(number + 1, len(lines)) if lines[n] == "```"), len(lines))
            content, number = lines[number + 1:end], end + 1
        elif line.startswith("    ") and not continues_list(lines, number):
            while number < len(lines) and (not lines[number] or lines[number].startswith("    ")):
                number += 1
            content = [part[4:] for part in lines[begin:number]]
        else:
            previous = line or previous
            number += 1
            continue
        found.append(block(begin + 1, "\n".join(content).rstrip("\n") + "\n", previous))
        previous = ""
    return found


def continues_list(lines, number):
    """Whether an indented line belongs to the paragraph before."""
    return number > 0 and bool(lines[number - 1])


def block(line, text, previous):
    mark = MARK.fullmatch(previous)
    return Block(line, text, mark[1] if mark else "run", (mark[2] if mark else "") or "")
