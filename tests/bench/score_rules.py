#!/usr/bin/env python3
"""Scores rules that decide which kernels change, on what was predicted and what was measured.

Usage: score_rules.py [--sets=NAME,...] [--samples=N] [--kernels=RULE] [TABLE]

TABLE is measurements/predictions.csv unless given. A rule says of each kernel whether the change
that the model finds best is made, by the columns of the table. It is worth the sum of the
logarithms of the speedups of what it changes. That is given as a share of the best that is known
of all these kernels, with a 95 % interval over resampled programs, and beside the default's, with
an interval of the difference: where that holds zero, chance explains it. A rule with a parameter is
fitted to all other programs before it decides about one; what it decides is then resampled, and not
fitted again.

--kernels=RULE lists the kernels that RULE decides otherwise than the default.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import csv
import dataclasses
import math
import pathlib
import random
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "measurements/predictions.csv"
# As in rewriter/plan/Evaluate.h, and --min-speedup in rewriter/tool/Options.h.
LEAST_OF_GROUP = 0.98
MIN_SPEEDUP = 1.05
LOSS = 0.98  # A kernel that runs at less than this has lost.
NEEDED = ("predicted", "low", "high", "resource_factor", "access_factor", "worst")
OUTCOMES = ("measured_default", "measured_change", "measured_all")
OTHERS = ("registers_before", "registers_after", "frame_before", "shared_bytes", "warps_before",
          "warps_after", "code_growth")
BEST = OUTCOMES + ("measured_slots", "best")


@dataclasses.dataclass
class Kernel:
    """A row of the table. Numbers are speedups; `moved` is what the change was measured at."""

    program: str
    name: str
    moved: float
    best: float
    predicted: float
    low: float
    high: float
    resource_factor: float
    access_factor: float
    worst: float
    worst_case: str
    polls: bool
    others: dict  # Columns that no rule of the tool looks at, and that may be missing.


def kernel_of(row):
    """The kernel of a row; None where no rule decides about it, or nobody knows the outcome."""
    # Where nothing beats no change, a rule that changes the kernel all the same moves everything.
    columns = OUTCOMES if row["change"] else OUTCOMES[::-1]
    outcomes = [float(row[column]) for column in columns if row[column]]
    if not outcomes or row["decision"] == "constant" or not all(row[column] for column in NEEDED):
        return None
    return Kernel(f"{row['set']}/{row['program']}", row["kernel"], outcomes[0],
                  max([1.0] + [float(row[column]) for column in BEST if row[column]]),
                  *(float(row[column]) for column in NEEDED), row["worst_case"],
                  "polls-memory" in row["why"],
                  {column: float(row[column]) for column in OTHERS if row.get(column)})


def read_kernels(path, sets=None):
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not sets or row["set"] in sets]
    return [kernel for kernel in map(kernel_of, rows) if kernel], len(rows)


# --- Rules -------------------------------------------------------------------


def risk_outweighs(kernel):
    return kernel.worst < LEAST_OF_GROUP and kernel.predicted * kernel.worst < MIN_SPEEDUP


def is_promising(kernel):
    return not kernel.polls and kernel.predicted >= MIN_SPEEDUP


def is_worth_it(kernel):
    """Searcher::isWorthIt of rewriter/plan/AssignmentSearch.cpp, for a kernel by itself."""
    return is_promising(kernel) and not risk_outweighs(kernel)


def without_case(case):
    """As if what CASE keeps were kept by no other case either: the most that CASE can do."""
    return lambda kernel: is_promising(kernel) and (case in kernel.worst_case or
                                                    not risk_outweighs(kernel))


def only_case(case):
    """As if what other cases keep were not kept by CASE: the least that CASE can do."""
    return lambda kernel: is_promising(kernel) and (case not in kernel.worst_case or
                                                    not risk_outweighs(kernel))


def at_least(threshold, value):
    return lambda kernel: not kernel.polls and value(kernel) >= threshold


def gained(kernels, rule):
    return sum(math.log(kernel.moved) for kernel in kernels if rule(kernel))


def fit_threshold(kernels, value):
    """The rule `value >= t` that gains most; of equal ones the one that changes fewest kernels."""
    ranked = sorted(kernels, key=value, reverse=True)
    best, threshold, total = 0.0, math.inf, 0.0
    for kernel, following in zip(ranked, ranked[1:] + [None]):
        total += 0 if kernel.polls else math.log(kernel.moved)
        if following and value(following) == value(kernel):
            continue
        if total > best + 1e-9:
            best = total
            threshold = (value(kernel) + value(following)) / 2 if following else value(kernel)
    return at_least(threshold, value)


def leave_one_out(kernels, fit):
    """What the rule decides about each program that FIT makes of all the others."""
    decided = {}
    for program in {kernel.program for kernel in kernels}:
        rule = fit([kernel for kernel in kernels if kernel.program != program])
        decided.update((id(kernel), rule(kernel)) for kernel in kernels
                       if kernel.program == program)
    return lambda kernel: decided[id(kernel)]


def ratio(kernel, after, before):
    """1 where it is not known."""
    if after not in kernel.others or not kernel.others.get(before):
        return 1.0
    return kernel.others[after] / kernel.others[before]


def weighted(weight):
    return lambda kernel: math.exp(weight * math.log(kernel.predicted) +
                                   (1 - weight) * math.log(kernel.worst))


VALUES = {
    "predicted": lambda kernel: kernel.predicted,
    "low": lambda kernel: kernel.low,
    "high": lambda kernel: kernel.high,
    "worst": lambda kernel: kernel.worst,
    "predicted x worst": weighted(0.5),
    "resource factor": lambda kernel: kernel.resource_factor,
    "access factor": lambda kernel: kernel.access_factor,
}
# Beside the default: what it changes is changed only where one of these is at least t.
BESIDES = {
    "warps that are left": lambda kernel: ratio(kernel, "warps_after", "warps_before"),
    "growth of registers": lambda kernel: ratio(kernel, "registers_after", "registers_before"),
    "fewer registers": lambda kernel: -ratio(kernel, "registers_after", "registers_before"),
    "frame": lambda kernel: kernel.others.get("frame_before", 0),
    "small frame": lambda kernel: -kernel.others.get("frame_before", 0),
    "few shared bytes": lambda kernel: -kernel.others.get("shared_bytes", 0),
    "little code growth": lambda kernel: -kernel.others.get("code_growth", 1),
}
WEIGHTS = (-0.5, 0.0, 0.5, 1.0, 2.0)


def fit_weighted(kernels):
    """The best `predicted x resource factor^w >= t`, with both fitted."""
    def fitted(weight):
        return fit_threshold(
            kernels, lambda kernel: kernel.predicted * kernel.resource_factor**weight)
    return max(map(fitted, WEIGHTS), key=lambda rule: gained(kernels, rule))


def fit_beside_default(kernels, value):
    rule = fit_threshold([kernel for kernel in kernels if is_worth_it(kernel)], value)
    return lambda kernel: is_worth_it(kernel) and rule(kernel)


def rules_for(kernels):
    """All rules by name, those with a parameter fitted; the first one is the default."""
    cases = sorted({part for kernel in kernels for part in kernel.worst_case.split(", and ")
                    if part})
    rules = {
        "default": is_worth_it,
        "always": lambda kernel: True,
        "never": lambda kernel: False,
        "best that a rule could do": lambda kernel: kernel.moved > 1,
        "default, also where it waits for threads":
            lambda kernel: kernel.predicted >= MIN_SPEEDUP and not risk_outweighs(kernel),
        "default without a worst case": is_promising,
        "predicted >= 1": at_least(1.001, VALUES["predicted"]),
        "predicted >= 1.02": at_least(1.02, VALUES["predicted"]),
        "predicted >= 1.2": at_least(1.2, VALUES["predicted"]),
        "default, and worst >= 0.98":
            lambda kernel: is_promising(kernel) and kernel.worst >= LEAST_OF_GROUP,
        "default, and resource factor >= 0.9":
            lambda kernel: is_worth_it(kernel) and kernel.resource_factor >= 0.9,
    }
    for case in cases:
        rules[f"default without '{case}'"] = without_case(case)
    for case in cases:
        rules[f"default with only '{case}'"] = only_case(case)
    for name, value in VALUES.items():
        rules[f"{name} >= t"] = leave_one_out(kernels, lambda rest, v=value: fit_threshold(rest, v))
    rules["predicted x resource factor^w >= t"] = leave_one_out(kernels, fit_weighted)
    for name, value in BESIDES.items():
        rules[f"default, and {name} >= t"] = leave_one_out(
            kernels, lambda rest, v=value: fit_beside_default(rest, v))
    return rules


# --- Scores ------------------------------------------------------------------


@dataclasses.dataclass
class Score:
    """Shares are of the logarithm of the best known; intervals hold 95 % of the samples."""

    share: float
    interval: tuple
    more: float  # than the default
    interval_of_more: tuple
    changed: int
    losses: int
    worst: float
    mean: float  # geometric, over all kernels


def interval_of(values):
    ordered = sorted(values)
    cut = int(0.025 * len(ordered))
    return ordered[cut], ordered[-1 - cut]


def resamples(programs, samples, seed=1):
    """How often each program is drawn, SAMPLES times."""
    drawing = random.Random(seed)
    for _ in range(samples):
        counts = dict.fromkeys(programs, 0)
        for program in drawing.choices(programs, k=len(programs)):
            counts[program] += 1
        yield counts


def sums_by_program(kernels, value):
    sums = {}
    for kernel in kernels:
        sums[kernel.program] = sums.get(kernel.program, 0.0) + value(kernel)
    return sums


def share_of(gains, possible, counts=None):
    def total(sums):
        return sum(amount * (counts[program] if counts else 1) for program, amount in sums.items())
    everything = total(possible)
    return total(gains) / everything if everything else 0.0


def score_all(kernels, rules, samples):
    """The scores of RULES, whose first one is the default, by name."""
    possible = sums_by_program(kernels, lambda kernel: math.log(kernel.best))
    draws = list(resamples(sorted(possible), samples))
    usual, scores = None, {}
    for name, rule in rules.items():
        changed = [kernel for kernel in kernels if rule(kernel)]
        gains = sums_by_program(kernels,
                                lambda kernel, r=rule: math.log(kernel.moved) if r(kernel) else 0.0)
        share = share_of(gains, possible)
        drawn = [share_of(gains, possible, counts) for counts in draws]
        usual = usual or (share, drawn)
        scores[name] = Score(share, interval_of(drawn), share - usual[0],
                             interval_of([a - b for a, b in zip(drawn, usual[1])]), len(changed),
                             sum(kernel.moved < LOSS for kernel in changed),
                             min((kernel.moved for kernel in changed), default=1.0),
                             math.exp(gained(kernels, rule) / len(kernels)))
    return scores


def line_of(name, score):
    def between(low_and_high):
        return "{:.0f} to {:.0f}".format(*(100 * value for value in low_and_high))
    columns = (name, f"{100 * score.share:.0f}", between(score.interval),
               f"{100 * score.more:+.0f}", between(score.interval_of_more), score.changed, score.losses, f"{score.worst:.2f}",
               f"{score.mean:.3f}")
    return "| " + " | ".join(map(str, columns)) + " |"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("table", nargs="?", default=TABLE)
    parser.add_argument("--sets", default="", help="only these sets, with commas between")
    parser.add_argument("--samples", type=int, default=4000, help="how often programs are drawn")
    parser.add_argument("--kernels", metavar="RULE", help="list what RULE decides otherwise")
    options = parser.parse_args(arguments)
    kernels, rows = read_kernels(options.table, set(filter(None, options.sets.split(","))))
    if not kernels:
        print("no kernel of the table has a prediction and an outcome", file=sys.stderr)
        return 1
    rules = rules_for(kernels)
    if options.kernels:
        for kernel in kernels:
            if rules[options.kernels](kernel) != is_worth_it(kernel):
                print(f"{'moves' if is_worth_it(kernel) else 'stays'} by default: {kernel.program} "
                      f"{kernel.name}: predicted {kernel.predicted}, {kernel.worst} if "
                      f"{kernel.worst_case or 'nothing is worse'}; measured {kernel.moved}")
        return 0
    programs = len({kernel.program for kernel in kernels})
    print(f"{len(kernels)} kernels of {programs} programs, of {rows} rows\n\n"
          "| rule | share, % | 95 % | over the default | 95 % | changed | losses | worst | mean |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for name, score in score_all(kernels, rules, options.samples).items():
        print(line_of(name, score))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
