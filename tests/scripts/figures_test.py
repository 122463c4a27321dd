#!/usr/bin/env python3
"""Checks the figures of README.md and docs/performance.md, and that scripts/figures.py finds wrong ones.

Usage: figures_test.py PROJECT_FOLDER

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile


def check(root, folder):
    """The exit status, and what is printed."""
    done = subprocess.run([sys.executable, "-B", root / "scripts" / "figures.py", "--check", folder],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def with_change(root, document, before, after):
    """What is printed of a project in which a document says something else."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root / "measurements", copy / "measurements")
        (copy / "docs").mkdir()
        for name in ("README.md", "docs/performance.md"):
            shutil.copy(root / name, copy / name)
        text = (copy / document).read_text(encoding="utf-8")
        assert before in text, before
        (copy / document).write_text(text.replace(before, after, 1), encoding="utf-8")
        return check(root, copy)


def main():
    root = pathlib.Path(sys.argv[1])
    status, printed = check(root, root)
    print(printed, end="")
    # A quotation, a row that is made, and a figure without an entry.
    for document, before, after, said in (
            ("docs/performance.md", "99.6 % of", "99.7 % of", "99.7 stands in no entry"),
            ("docs/performance.md", "| geometric mean of", "| the mean of", "run scripts/figures.py"),
            ("README.md", "## Use\n", "## Use\n\nIt gains 7.77.\n", "there is none")):
        wrong, told = with_change(root, document, before, after)
        assert wrong == 1 and said in told, told
    return status


if __name__ == "__main__":
    sys.exit(main())
