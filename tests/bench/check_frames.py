#!/usr/bin/env python3
"""Counts what reports say of local memory against ptxas' word.

    check_frames.py REPORT.json...

A report is what `bankstripe rewrite --dry-run --format=json` prints where nvcc
is there. Wrong is an array in local memory, by ptxas, of whose kernels none has
a frame, or whose frames stayed as they were when it moved.

Prints what is wrong, then how much was looked at. Exits with 1 if anything is
wrong.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import sys

SLACK = 16  # What ptxas may add for alignment.


def is_local(array):
    return (array["residency"], array["residencySource"]) == ("local memory", "ptxas")


def wrong_arrays(report, frames):
    for array in filter(is_local, report["arrays"]):
        known = [frames[name] for name in array["kernels"] if name in frames]
        if known and max(known) == 0:
            yield f"{array['name']}: local memory without a frame"
        if array["reason"] == "stack-frame-kept":
            yield f"{array['name']}: local memory, and the frame stayed"


def main(paths):
    wrong, looked_at = [], dict.fromkeys(("kernels", "arrays", "local", "frames", "unexplained"), 0)
    for path in paths:
        report = json.loads(pathlib.Path(path).read_text())
        asked = [k for k in report["kernels"] if k["ptxasBefore"]]
        frames = {k["name"]: k["ptxasBefore"]["stackFrame"] for k in asked}
        wrong += [f"{path}: {each}" for each in wrong_arrays(report, frames)]
        looked_at["kernels"] += len(asked)
        looked_at["arrays"] += len(report["arrays"])
        looked_at["local"] += sum(map(is_local, report["arrays"]))
        looked_at["frames"] += sum(frame >= SLACK for frame in frames.values())
        looked_at["unexplained"] += sum(k["unnamedFrameBytes"] > 0 for k in asked)
    print("\n".join(wrong + [f"{len(paths)} reports: {looked_at}, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
