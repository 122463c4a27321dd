#!/usr/bin/env python3
"""Tables of what run.sh measured, in Markdown: table.py FILE

One table per question, one row per case and pattern. The column of the first
variant gives milliseconds, the others the time as a multiple of it. An asterisk
stands where the compiler kept no array in local memory although it was told to,
a minus sign behind a figure where fewer blocks fit than with the first.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

COLUMNS = ("question", "case", "pattern", "variant", "ms", "spread", "registers",
           "local", "shared", "blocks", "same")


def read(path):
    """question => (case, pattern) => variant => measurement, in the order of the file."""
    questions = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            row = dict(zip(COLUMNS, (cell.strip() for cell in line.split("|"))))
            cases = questions.setdefault(row["question"], {})
            cases.setdefault((row["case"], row["pattern"]), {})[row["variant"]] = row
    return questions


def cell(row, first):
    if row is None:
        return ""
    if row["same"] != "same":
        return "DIFFERENT"
    if row is first:
        promoted = row["variant"] == "local" and row["local"] == "0"
        return f"{float(row['ms']):.3g}" + ("*" if promoted else "")
    fewer = int(row["blocks"]) < int(first["blocks"])
    return f"{float(row['ms']) / float(first['ms']):.3g}" + ("-" if fewer else "")


def print_table(question, cases):
    variants = list(dict.fromkeys(v for rows in cases.values() for v in rows))
    print(f"\n### {question}\n")
    print("| case | pattern | " + " | ".join([variants[0] + " ms", *variants[1:]]) + " |")
    print("|---" * (len(variants) + 2) + "|")
    for (case, pattern), rows in cases.items():
        first = rows[variants[0]]
        print(f"| {case} | {pattern} | "
              + " | ".join(cell(rows.get(v), first) for v in variants) + " |")
    spreads = sorted(float(row["spread"]) for rows in cases.values() for row in rows.values())
    print(f"\nSpread of the runs: median {spreads[len(spreads) // 2]} %, "
          f"largest {spreads[-1]} %.")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    for question, cases in read(sys.argv[1]).items():
        print_table(question, cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
