#!/usr/bin/env python3
"""What the sweep says: analyse.py FILE [BLOCK=DECISIONS...]
                     analyse.py --uses FILE...

Tables, in Markdown, of the figures that run.sh wrote to FILE: what moving an array gains and what
it costs, where it does not pay, and how the layouts compare. With DECISIONS, what `bankstripe
analyze --format=json --block-size=BLOCK` printed for the originals (decide.py), also how far each
decision is from the best that was measured.

Where kernels do several things with their elements, there are tables for each. With --uses, one
table compares these, at the points that have all of them. A speedup is the time of the original
over that of the other, and means are geometric. `(n)` behind a figure: it is about that many points
only, since the others do not fit. Exit status: 1 if variants differ from the original, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math
import pathlib
import sys
from typing import NamedTuple

import figures

FORMS = {"one element per word": "word", "packed": "packed", "unpacked": "unpacked"}
CLOSE = 1.05
SLOWER = 0.98  # of the original


class Sweep:
    """Point => variant => milliseconds, without what does not fit."""

    def __init__(self, timings):
        self.times = {}
        self.different = []
        self.spreads = []
        for timing in timings:
            variants = self.times.setdefault(timing.point, {})
            if timing.ms is None:
                continue
            if timing.same:
                variants[timing.variant] = timing.ms
                self.spreads.append(timing.spread)
            else:
                self.different.append((timing.point, timing.variant))

    def values(self, field):
        """All that a field of points can be, in order."""
        return list(dict.fromkeys(sorted(getattr(point, field) for point in self.times)))

    def where(self, **fields):
        return [(point, variants) for point, variants in self.times.items()
                if all(getattr(point, name) == value for name, value in fields.items())]


def stripe(variants):
    """The name of the stripe that the controls are about."""
    return "stripe" if "stripe" in variants else "word"


def moved(variants):
    """Those layouts that a program could choose, other than the original."""
    return {name: ms for name, ms in variants.items()
            if name != "original" and name not in figures.CONTROLS}


def best(variants):
    """The name of the fastest of all that a program could choose."""
    choices = {"original": variants["original"], **moved(variants)}
    return min(choices, key=choices.get)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def ratio(variants, numerator, denominator):
    """None where one of the two does not fit."""
    if numerator not in variants or denominator not in variants:
        return None
    return variants[numerator] / variants[denominator]


def cell(ratios, summary=mean):
    known = [value for value in ratios if value is not None]
    if not known:
        return ""
    number = f"{summary(known):.2f}"
    return number if len(known) == len(ratios) else f"{number} ({len(known)})"


def print_table(title, header, rows):
    print(f"\n### {title}\n")
    print("| " + " | ".join(map(str, header)) + " |")
    print("|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


# What it gains and costs

def best_speedup(variants):
    return max((variants["original"] / ms for ms in moved(variants).values()), default=None)


def print_by_size(sweep, title, value):
    """`value` of the variants of a point, by elements and bytes; one table per pattern."""
    sizes = sweep.values("bytes")
    for pattern in sweep.values("pattern"):
        print_table(f"{title}, {pattern} indices",
                    ["elements", *(f"{size} bytes" for size in sizes)],
                    [[elements, *(cell([value(variants) for _, variants in
                                        sweep.where(bytes=size, elements=elements,
                                                    pattern=pattern)])
                                  for size in sizes)]
                     for elements in sweep.values("elements")])


def print_where_original_wins(sweep):
    blocks = sweep.values("block")
    rows = []
    for pattern in sweep.values("pattern"):
        for size in sweep.values("bytes"):
            for elements in sweep.values("elements"):
                points = [(point, variants) for point, variants in
                          sweep.where(pattern=pattern, bytes=size, elements=elements)
                          if moved(variants)]
                won = [(point, variants) for point, variants in points
                       if best(variants) == "original"]
                if won:
                    gains = [1 / best_speedup(variants) for _, variants in won]
                    counts = [(sum(point.block == block for point, _ in won),
                               sum(point.block == block for point, _ in points))
                              for block in blocks]
                    rows.append([pattern, size, elements,
                                 *(f"{wins} of {fits}" if fits else "" for wins, fits in counts),
                                 f"{max(gains):.2f}"])
    print_table("Points in which the original is the best, by size of blocks",
                ["pattern", "bytes", "elements", *blocks, "at most by"], rows)


# How layouts compare

def print_slots(sweep):
    rows = []
    for pattern in sweep.values("pattern"):
        for size in sweep.values("bytes"):
            ratios = [ratio(variants, "slot", stripe(variants)) for _, variants in
                      sweep.where(pattern=pattern, bytes=size)]
            rows.append([pattern, size, cell(ratios), cell(ratios, min), cell(ratios, max)])
    print_table("Time of the slot over that of the stripe (1 and 2 bytes: an element per word)",
                ["pattern", "bytes", "mean", "least", "most"], rows)


def print_forms(sweep):
    rows = []
    for pattern in sweep.values("pattern"):
        for size in (1, 2):
            for elements in sweep.values("elements"):
                points = [variants for _, variants in
                          sweep.where(pattern=pattern, bytes=size, elements=elements)]
                if points:
                    rows.append([pattern, size, elements,
                                 *(cell([ratio(variants, "original", form) for variants in points])
                                   for form in FORMS.values())])
    print_table("Speedups by form", ["pattern", "bytes", "elements", *FORMS.values()], rows)


def print_carve_outs(sweep):
    rows = []
    for pattern in sweep.values("pattern"):
        for size in sweep.values("bytes"):
            ratios = [ratio(variants, stripe(variants), "carve-out") for _, variants in
                      sweep.where(pattern=pattern, bytes=size, stream="loads")]
            rows.append([pattern, size, cell(ratios), cell(ratios, min), cell(ratios, max)])
    print_table("Speedup of the stripe with a carveout for the blocks that there are",
                ["pattern", "bytes", "mean", "least", "most"], rows)


# Decisions

def variant_of(array):
    """The variant that the verdict on an array stands for."""
    if array["verdict"] == "stripe":
        return FORMS.get(array["form"], "stripe")
    return "slot" if array["verdict"] == "slot" else "original"


def read_decisions(arguments):
    """(block, kernel) => variant. The grids of the sweep fill the GPU: a version for resident grids
    does not run in them."""
    decisions = {}
    for argument in arguments:
        block, _, path = argument.partition("=")
        decided = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        originals = {kernel["name"] for kernel in decided["kernels"] if kernel["whereResident"]}
        for array in decided["arrays"]:
            for kernel in array["kernels"]:
                decisions[int(block), kernel] = ("original" if kernel in originals
                                                 else variant_of(array))
    return decisions


class Judgement(NamedTuple):
    """A choice for a point that fits."""
    point: figures.Point
    chosen: str
    best: str
    loss: float  # the time of the chosen one over that of the best
    speedup: float


def judge(sweep, choose):
    """Judgements, and the points whose choice does not fit. No choice: not a point."""
    judgements, unfit = [], []
    for point, variants in sweep.times.items():
        chosen = choose(point, variants)
        if chosen is not None and chosen not in variants:
            unfit.append(point)
        elif chosen is not None:
            winner = best(variants)
            judgements.append(Judgement(point, chosen, winner,
                                        variants[chosen] / variants[winner],
                                        variants["original"] / variants[chosen]))
    return judgements, unfit


def summary(judgements, unfit):
    if not judgements:
        return [0, "", "", "", "", "", len(unfit)]
    losses = [judgement.loss for judgement in judgements]
    count = len(losses)
    return [count,
            f"{100 * sum(j.chosen == j.best for j in judgements) / count:.1f} %",
            f"{100 * sum(loss <= CLOSE for loss in losses) / count:.1f} %",
            f"{mean([j.speedup for j in judgements]):.3f}",
            f"{mean([j.speedup * j.loss for j in judgements]):.3f}",
            f"{max(losses):.2f}", len(unfit)]


def print_misses(judgements):
    """What is not within 5 % of the best, and what is slower than it was."""
    rows = []
    for size in sorted({j.point.bytes for j in judgements}):
        missed = [j for j in judgements if j.point.bytes == size and j.loss > CLOSE]
        kept = sum(j.chosen == "original" for j in missed)
        rows.append([size, len(missed) - kept, kept])
    print_table("Not within 5 % of the best", ["bytes", "another layout was", "it stays"], rows)
    moved = [j for j in judgements if j.chosen != "original"]
    slower = sorted(j.speedup for j in moved if j.speedup < SLOWER)
    print(f"{len(moved)} points at which something moves, {len(slower)} of them below {SLOWER}"
          + (f", the worst {slower[0]:.2f}" if slower else "") + ".")


def print_decisions(sweep, decisions):
    def decided(point, _):
        return decisions.get((point.block, point.kernel))

    def stripe_where_it_fits(point, variants):
        if decided(point, variants) is None:
            return None
        return stripe(variants) if stripe(variants) in variants else "original"

    judgements, unfit = judge(sweep, decided)
    rows = [["the tool", *summary(judgements, unfit)]]
    for pattern in sweep.values("pattern"):
        rows.append([f"the tool, {pattern}",
                     *summary([j for j in judgements if j.point.pattern == pattern],
                              [point for point in unfit if point.pattern == pattern])])
    rows.append(["never move", *summary(*judge(
        sweep, lambda point, variants: decided(point, variants) and "original"))])
    rows.append(["a stripe where it fits", *summary(*judge(sweep, stripe_where_it_fits))])
    print_table("Decisions", ["who decides", "points", "best", "within 5 %", "mean speedup",
                              "of the best", "worst loss", "cannot run"], rows)
    print_misses(judgements)
    fields = [field for field in figures.Point._fields if field != "use"]
    print_table("The worst decisions", [*fields, "chosen", "best", "loss"],
                [[*(getattr(j.point, field) for field in fields), j.chosen, j.best, f"{j.loss:.2f}"] for j in
                 sorted(judgements, key=lambda judgement: -judgement.loss)[:20]])


def print_all(sweep, decisions):
    spreads = sorted(sweep.spreads)
    print(f"{len(sweep.times)} points; spread of the runs: median {spreads[len(spreads) // 2]} %, "
          f"largest {spreads[-1]} %.")
    print_by_size(sweep, "Speedup of the best layout in shared memory", best_speedup)
    print_by_size(sweep, "What the memory costs: original over reserved",
                  lambda variants: ratio(variants, "original", "reserved"))
    print_by_size(sweep, "What the access gains: reserved over stripe",
                  lambda variants: ratio(variants, "reserved", stripe(variants)))
    print_where_original_wins(sweep)
    print_slots(sweep)
    print_forms(sweep)
    print_carve_outs(sweep)
    if decisions:
        print_decisions(sweep, decisions)
    for point, variant in sweep.different:
        print(f"DIFFERENT: {point}: {variant}", file=sys.stderr)


def print_uses(timings):
    """The best speedup by what is done with an element, at points that have all uses."""
    sweep = Sweep(timings)
    uses = list(dict.fromkeys(point.use for point in sweep.times))
    complete = [point for point in sweep.times
                if all(point._replace(use=use) in sweep.times for use in uses)]
    rows = dict.fromkeys((point.bytes, point.pattern, point.elements) for point in complete)
    print_table("Speedup of the best layout in shared memory",
                ["bytes", "indices", "elements", *uses],
                [[*row, *(cell([best_speedup(sweep.times[point]) for point in complete
                                if (point.bytes, point.pattern, point.elements) == row
                                and point.use == use]) for use in uses)]
                 for row in sorted(rows)])


def main(arguments):
    if arguments[1:] and arguments[0] == "--uses":
        print_uses([timing for path in arguments[1:] for timing in figures.read(path)])
        return 0
    if not arguments or not all("=" in argument for argument in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    timings = figures.read(arguments[0])
    decisions = read_decisions(arguments[1:])
    uses = list(dict.fromkeys(timing.point.use for timing in timings))
    sweeps = [Sweep([t for t in timings if t.point.use == use]) for use in uses]
    for use, sweep in zip(uses, sweeps):
        if len(uses) > 1:
            print(f"\n## {use}\n")
        print_all(sweep, decisions)
    return int(any(sweep.different for sweep in sweeps))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
