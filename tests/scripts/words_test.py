#!/usr/bin/env python3
"""Checks that the documents and --help use the field's terms, and that the README stays short.

Usage: words_test.py PROJECT_FOLDER

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys

# What the documents do not say, and what they say instead.
WORDS = {
    r"\bprices?\b": "resource factor",
    r"\bbring(s|ing)? (the |its |their )?(storage|memory)\b": "asks for shared memory",
    r"\btaken back\b": "reverted",
    r"\b(a|the) (keep|refuse)\b": "left unchanged, unsupported",
    r"\bthe other form\b": "its name",
    r"\bmoves? to constant storage\b": "a static const table",
    r"\b(prove[sn]?|proof)\b": "identical where compared",
    r"\brun(s)? what (it was|they ran)\b": "runs the original code",
    r"\bwould know\b": "run bankstripe tune to measure it",
    r"\bno source tells\b": "the source does not show",
}
LONGEST_README = 120  # Lines.


def prose(text):
    """Without code, links' targets and the glossary, in as many lines."""
    text = re.sub(r"^## Glossary\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*|`[^`\n]*`|\]\([^)\s]*\)", "", text, flags=re.MULTILINE)


def wrong_words(text):
    lines = text.split("\n")
    return [(number, match[0], better) for number, line in enumerate(lines, 1)
            for word, better in WORDS.items() for match in re.finditer(word, line, re.IGNORECASE)]


def main():
    assert wrong_words(prose("Its price\n\n    price `price`\n")) == [(1, "price", "resource factor")]
    root = pathlib.Path(sys.argv[1])
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    # What --help prints is code there.
    texts = {d: d.read_text(encoding="utf-8") for d in documents}
    problems = [f"{d.relative_to(root)}:{number}: '{word}': say '{better}'"
                for d, text in texts.items()
                for number, word, better in wrong_words(
                    text if d.name == "command-line.md" else prose(text))]
    length = len(texts[documents[0]].splitlines())
    if length > LONGEST_README:
        problems.append(f"README.md has {length} lines, more than {LONGEST_README}")
    print("\n".join(problems) or f"{len(documents)} documents")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
