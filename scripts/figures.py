#!/usr/bin/env python3
"""Writes the figures of README.md and docs/performance.md from measurements/.

    figures.py [--check] PROJECT_FOLDER

What stands between `<!-- figures: NAME -->` and `<!-- end -->` is made of
measurements/predictions.csv, a row for each kernel, and measurements/programs.csv,
a row for each program. All other figures of the two documents, numbers with a
point or a percentage, are quotations: each must stand in an entry that the same
paragraph, item or row of a table links to.

With --check nothing is written. Exit status: 0 all is well; 1 a document has
other figures, or a quotation stands in none of its entries.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import math
import pathlib
import re
import sys

KNOWN = ("hecbench", "others")  # The model got its terms on these.
UNSEEN = ("unseen", "more", "nineteen", "eighteen", "kept back")
LOSS = 0.98
ENTRY = r"\]\((?:\.\./)?(measurements/[^)#\s]+\.md)"
QUOTED = re.compile(r"(?<![\w.])(\d+\.\d+)(?! [GMK]B|\.\d)|(?<![\w.])(\d+) (?:and \d+ )?%")


def rows(root, name):
    with open(root / "measurements" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def speedup(text):
    """1 where a cell is empty: nothing changed."""
    return float(text) if text else 1.0


def losses(speedups):
    lost = sorted(x for x in speedups if x < LOSS)
    return f"{len(lost)}, the worst {lost[0]:.2f}" if lost else "none"


def kernels(root, sets):
    found = [row for row in rows(root, "predictions.csv") if row["set"] in sets]
    default = [speedup(row["measured_default"]) for row in found]
    best = [max(1.0, *default[i:i + 1], speedup(row["best"])) for i, row in enumerate(found)]
    return default, best


def table_of_kernels(root):
    lines = ["| kernels | default | below 0.98 | the best that is known |", "|---|---|---|---|"]
    for title, sets in (("of programs that the model had never seen", UNSEEN),
                        ("of programs on which we improved it", KNOWN)):
        default, best = kernels(root, sets)
        lines.append(f"| {len(default)} {title} | {mean(default):.2f} | {losses(default)} | {mean(best):.2f} |")
    return lines


def programs(root):
    """Of each program the speedups of the default, of versions alone and of choosing."""
    result = {}
    for row in rows(root, "programs.csv"):
        plain = float(row["plain_ms"])
        result[row["program"]] = row, [plain / float(row[form + "_ms"])
                                       for form in ("default", "version", "choose")]
    return result


def table_of_programs(root):
    lines = ["| program | launches | host | default | all versions | `--choose` |", "|---|---|---|---|---|---|"]
    found = programs(root)
    for name in sorted(found, key=lambda name: found[name][1][0]):
        row, forms = found[name]
        cells = " | ".join(f"**{x:.2f}**" if x < LOSS else f"{x:.2f}" for x in forms)
        lines.append(f"| {row['repository']} ({name}) | {row['launches']} | {row['host']} | {cells} |")
    forms = list(zip(*(forms for _, forms in found.values())))
    lines.append(f"| geometric mean of {len(found)} | | | {' | '.join(f'{mean(x):.2f}' for x in forms)} |")
    return lines


def sentence(root):
    """Of the README."""
    known, _ = kernels(root, KNOWN)
    unseen, best = kernels(root, UNSEEN)
    lost = [x for x in unseen if x < LOSS]
    default, _, choose = zip(*(forms for _, forms in programs(root).values()))
    return [f"That kernel does nothing else. Many become slower if everything moves that can move, so bankstripe predicts first. On {len(known)} kernels of public programs on which we improved the predictions, the default runs {mean(known):.2f} times as fast (geometric mean). On {len(unseen)} of programs that it had",
            f"never seen, it is {mean(unseen):.2f} times, where {mean(best):.2f} is known to be possible, and {len(lost)} became slower by more than 2 %, the worst to {min(lost):.2f}. On {len(default)} more programs, timed as a whole, the default runs {mean(default):.2f} times as fast, with one at {min(default):.2f}, and `--choose` {mean(choose):.2f} with none below {min(choose):.2f} ([figures](docs/performance.md#public-programs))."]


BLOCKS = {"kernels": table_of_kernels, "programs": table_of_programs, "sentence": sentence}


def written(root, text):
    def block(match):
        return f"{match[1]}\n" + "\n".join(BLOCKS[match[2]](root)) + "\n<!-- end -->"

    return re.sub(r"(<!-- figures: (\w+) -->)\n.*?<!-- end -->", block, text, flags=re.S)


def quotations(text):
    """Each paragraph, item or row with figures: (its first line, figures, entries)."""
    text = re.sub(r"<!-- figures: .*?<!-- end -->|^```.*?^```|^    .*?$", lambda m: "\n" * m[0].count("\n"),
                  text, flags=re.S | re.M)
    line, entries_above = 1, set()
    for part in re.split(r"(\n\n+|\n(?=[-|#] ?))", text):
        entries = set(re.findall(ENTRY, part))
        if part.startswith("#"):
            entries_above = set()
        entries_above |= entries
        prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "]", part)
        figures = {a or b for a, b in QUOTED.findall(prose)}
        if figures:
            yield line, figures, entries or entries_above
        line += part.count("\n")


def problems_of(root, document, text):
    for line, figures, entries in quotations(text):
        told = " ".join((root / entry).read_text(encoding="utf-8") for entry in entries)
        for figure in sorted(figures):
            if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d]|\.\d)", told):
                yield (f"{document}:{line}: {figure} stands in no entry that is linked here"
                       f" ({', '.join(sorted(entries)) or 'there is none'})")


def main():
    check = "--check" in sys.argv[1:]
    root = pathlib.Path(sys.argv[-1])
    problems = []
    for document in ("README.md", "docs/performance.md"):
        text = (root / document).read_text(encoding="utf-8")
        made = written(root, text)
        if made != text and check:
            problems.append(f"{document}: other figures than measurements/: run scripts/figures.py")
        elif made != text:
            (root / document).write_text(made, encoding="utf-8")
        problems += problems_of(root, document, made)
    print("\n".join(problems) or "all figures stand in measurements/")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
