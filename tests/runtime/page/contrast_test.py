#!/usr/bin/env python3
"""Measures the contrast of the colours of the HTML report.

Usage: contrast_test.py STYLE

In both blocks of colours (light, dark) text needs 4.5 to 1 on whatever it
stands on, and bars need 3 to 1: level AA of WCAG 2.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys

TEXTS = {"text": ["ground", "page", "shade", "good-ground", "bad-ground", "unsure-ground",
                  "added", "removed"],
         "quiet": ["ground", "page", "shade", "added", "removed"],
         "good": ["ground", "good-ground", "shade"],
         "bad": ["ground", "bad-ground", "shade"],
         "unsure": ["unsure-ground"]}
BARS = ["bar-good", "bar-bad", "bar-equal"]


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = re.findall(r":root \{(.*?)\}", file.read(), re.DOTALL)
    if len(blocks) != 2:
        sys.exit("there are not two blocks of colours")
    weak = []
    for block in blocks:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        pairs = [(text, ground, 4.5) for text, grounds in TEXTS.items() for ground in grounds]
        pairs += [(bar, "ground", 3) for bar in BARS]
        for front, ground, least in pairs:
            found = contrast(colours[front], colours[ground])
            if found < least:
                weak.append(f"{front} {colours[front]} on {ground} {colours[ground]}: "
                            f"{found:.2f}, needs {least}")
    if weak:
        sys.exit("\n".join(weak))


main()
