#!/usr/bin/env python3
"""Checks that every relative link in the documents leads somewhere.

Usage: links_test.py PROJECT_FOLDER

A link may name a file or folder, a heading of another document (file.md#place)
or of its own (#place). Links to the web are not followed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys


def without_code(text):
    """Fenced code holds no links and no headings."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """The places that headings make, spelled as GitHub spells them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", without_code(text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
        base = anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found.add(anchor)
    return found


def broken_links(document):
    text = without_code(document.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, place = target.partition("#")
        file = (document.parent / name) if name else document
        if not file.exists():
            yield f"{document}: no such file: {target}"
        elif place and place not in anchors(file.read_text(encoding="utf-8")):
            yield f"{document}: no such heading: {target}"


def main():
    root = pathlib.Path(sys.argv[1])
    documents = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")),
                 *sorted((root / "measurements").glob("*.md"))]
    problems = [p for d in documents for p in broken_links(d)]
    print("\n".join(problems) or f"{len(documents)} documents, all links lead somewhere")
    return 1 if problems or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
