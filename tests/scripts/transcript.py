#!/usr/bin/env python3
"""Runs the commands of a transcript and compares what they print with what it says.

Usage: transcript.py [--update] FILE [WORD...]

A line that begins with "$ " is a command, and the lines up to the next one are
what it printed, on both channels; "[exit status N]" where N is not 0. The
WORDs come before the shell that runs each command, such as `chroot ROOT`; the
folder that it starts in is theirs to choose. --update writes what was printed.

What depends on the machine is made equal on both sides, by NORMALISED and
nothing else. Exit status: 0 the same, 1 not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import time

NORMALISED = (
    # How many files a Debian has, and what dpkg cannot ask without a terminal.
    (r"\(Reading database \.\.\. .*\)\n", "(Reading database ...)\n"),
    (r"debconf: delaying package configuration.*\n", ""),
    # Which release of Clang 22 the tool was built with.
    (r"\(Clang 22\.[0-9.]+\)", "(Clang 22)"),
    # With another release of nvcc registers differ, but not what is in local memory.
    (r"(registers +)\d+ > \d+ per thread, by ptxas", r"\1N > N per thread, by ptxas"),
    (r"time added: [0-9.]+ s", "time added: N s"),
)

# Without a toolkit the tool says so, and has nobody to ask.
TOOLKIT = (
    (r"bankstripe: no CUDA toolkit was found, .*\n", ""),
    (r".*, by ptxas\n", ""),
    (r"(warps per SM), registers not known", r"\1"),
)


def normalised(text, rules=NORMALISED):
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def commands_in(text):
    """The lines before the first command, and pairs of a command and its output."""
    before, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    return before, [part.partition("\n")[::2] for part in parts]


def run(command, words=(), timeout=600, **options):
    """What a command prints, as it is written in a transcript."""
    done = subprocess.run([*words, "bash", "-c", command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=timeout, **options)
    output = done.stdout.decode("utf-8", "replace")
    if output and not output.endswith("\n"):
        output += "\n"
    return output + (f"[exit status {done.returncode}]\n" if done.returncode else "")


def difference(expected, printed, rules=NORMALISED):
    """A diff of the two, empty where they say the same."""
    return "".join(difflib.unified_diff(
        normalised(expected, rules).splitlines(keepends=True),
        normalised(printed, rules).splitlines(keepends=True), "expected", "printed"))


def main():
    parser = argparse.ArgumentParser(usage="transcript.py [--update] FILE [WORD...]")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    text = options.file.read_text(encoding="utf-8")
    before, commands = commands_in(text)
    if not commands:
        parser.error(f"{options.file} has no commands")
    after = before
    for command, _ in commands:
        started = time.monotonic()
        after += f"$ {command}\n" + normalised(run(command, options.words))
        print(f"{time.monotonic() - started:6.1f} s  {command}", flush=True)
    if options.update:
        options.file.write_text(after, encoding="utf-8")
        return 0
    wrong = difference(text, after)
    if wrong:
        print(f"{options.file} says something else:\n{wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
