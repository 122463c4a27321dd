"""Counts, shares and tables of a survey.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections

MOVED = ("stripe", "slot", "constant")


def in_local_memory(array):
    """Clang leaves it there, and ptxas gives a function that reaches it a stack frame."""
    return array["resident"] and bool(array["frames"]) and bool(array["frames"][0])


def covered(array):
    return array["verdict"] in MOVED or (array["verdict"], array["reason"]) == ("unchanged",
                                                                               "over-budget")


def share(programs):
    """The mean over the programs of each one's share of covered arrays, and their number."""
    shares = [sum(map(covered, arrays)) / len(arrays) for arrays in
              ([a for a in p["arrays"] if in_local_memory(a)] for p in programs) if arrays]
    return (sum(shares) / len(shares) if shares else 0.0), len(shares)


def counted(values):
    counts = collections.Counter(values)
    return ", ".join(f"{what} {n}" for what, n in
                     sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))


def figures(programs):
    """(what, value) of a whole survey."""
    arrays = [a for p in programs for a in p["arrays"]]
    resident = [a for a in arrays if a["resident"]]
    rows = [("folders", len(programs)),
            ("translation units", sum(p["units"] for p in programs)),
            ("exit codes", counted(p["exit"] for p in programs)),
            ("crashes", sum(is_crash(p) for p in programs)),
            ("hangs", sum(p["exit"] == "hang" for p in programs)),
            ("per-thread arrays", len(arrays)),
            ("verdicts", counted(a["verdict"] for a in arrays)),
            ("in local memory after Clang's -O3",
             f"{len(resident)} in {sum(any(a['resident'] for a in p['arrays']) for p in programs)}"
             " programs"),
            ("their verdicts", counted(a["verdict"] for a in resident)),
            ("their reasons", counted(a["reason"] for a in resident))]
    if not any(a["frames"] for a in resident):
        return rows
    left = [a for a in arrays if in_local_memory(a)]
    mean, count = share(programs)
    return rows + [
        ("of these in a kernel with a stack frame, by ptxas", f"{len(left)} in {count} programs"),
        ("their verdicts", counted(a["verdict"] for a in left)),
        ("their reasons", counted(a["reason"] for a in left)),
        ("covered: moved, or kept for lack of shared memory",
         f"{sum(map(covered, left))} of {len(left)}; by program {mean:.1%}"),
        ("other functions with a stack frame", counted_frames(programs)),
        ("folders with a file that the tool cannot read", sum(p["exit"] == 3 for p in programs)),
        ("of these compiled by nvcc", sum(p["exit"] == 3 and p["readableByNvcc"]
                                          for p in programs)),
        ("rewritten translation units", sum(p.get("rewrittenUnits", 0) for p in programs)),
        ("of these not accepted by nvcc", sum(len(p["broken"]) for p in programs))]


def counted_frames(programs):
    """Stack frames without an array that Clang sees: printf, calls, sin and cos, misses."""
    frames = [f for p in programs for f in p["otherFrames"].values()]
    return f"{len(frames)}, of which {sum(f <= 40 for f in frames)} of 40 bytes or less"


def is_crash(program):
    return isinstance(program["exit"], int) and not 0 <= program["exit"] < 128


def title(array):
    return f"{array['name']} ({array['type']}) in {array['function']}"


def summary(programs):
    lines = [f"{what}: {value}" for what, value in figures(programs)]
    for program in programs:
        if is_crash(program) or program["exit"] == "hang":
            lines.append(f"{program['program']}: exit {program['exit']}: "
                         f"{program['errors'].strip()[-300:]}")
        lines += [f"{program['program']}: {file} is not accepted by nvcc: {errors}"
                  for file, errors in program["broken"]]
        lines += [f"{program['program']}: {title(a)}: {a['verdict']}, {a['reason']} "
                  f"{a['detail']}".rstrip()
                  for a in program["arrays"]
                  if (in_local_memory(a) if a["frames"] else a["resident"]) and not covered(a)]
    return "\n".join(lines)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def row(*cells):
    return "| " + " | ".join(map(cell, cells)) + " |\n"


def frame(array):
    if not array["frames"] or array["frames"][0] is None:
        return "not known"
    before, after = array["frames"]
    return f"{before} > {'not known' if after is None else after}"


def markdown(programs):
    text = ("# The suite, array by array\n\nHeCBench, made by `tests/bench/survey.py --nvcc`; see "
            "measurements/2026-11-21-survey.md.\n\n| | |\n|---|---|\n")
    text += "".join(row(what, value) for what, value in figures(programs))
    text += ("\nEvery per-thread array that Clang's -O3 leaves in local memory. The stack frame is "
             "the largest, in bytes, of the\nkernels that reach the array and of the function that "
             "declares it, as ptxas reports it for the original\nand the rewritten file. Arrays "
             "whose frame is 0 in the original are kept out of local memory by ptxas and\nare not "
             "counted; \"not known\" where nvcc does not compile the original.\n\n")
    text += row("program", "array", "type", "function", "verdict", "reason", "stack frame")
    text += "|---|---|---|---|---|---|---|\n"
    for program in programs:
        for a in program["arrays"]:
            if a["resident"]:
                text += row(program["program"], a["name"], f"`{a['type']}`", f"`{a['function']}`",
                            a["verdict"], f"{a['reason']} {a['detail']}".strip(), frame(a))
    text += "\n## Files that nvcc 13.0 does not compile as they are\n\n"
    text += "".join(f"- {file}\n" for p in programs for file, _ in p["uncompilable"])
    text += "\n## Folders in which the tool could not read every file\n\n"
    text += "".join(f"- {p['program']} (exit code {p['exit']})"
                    f"{', which nvcc compiles' if p['readableByNvcc'] else ''}\n"
                    for p in programs if p["exit"] != 0)
    return text
