"""Texts of shapes with words that stand for what a case puts in.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

HOST = "BANKSTRIPE_TESTS_CPU_HOST_CUDA_H"  # The host plays the device there.


def filled(case, text, words):
    """The lines of `text` with `words` put in, each alone or before `_`, and
    FOLD(...) as the statement that folds a value into h."""
    text = re.sub(r"\b([A-Z]+)(?=\b|_)", lambda m: words.get(m.group(1), m.group(1)), text)
    while (at := text.find("FOLD(")) >= 0:
        depth, end = 1, at + 5
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:at] + case.fold(text[at + 5:end - 1]) + text[end:].removeprefix(";")
    return text.split("\n")
