#!/usr/bin/env python3
"""Tunes the programs that suite_prepare.py packed. Needs a GPU, nvcc and the tool.

    suite_tune.py [OPTION...] BANKSTRIPE PACK OUTPUT

Runs `bankstripe tune` on each program of PACK, several at a time: what they
build overlaps, and a lock keeps all others off a GPU while times are taken. OUTPUT then holds
table.txt (per kernel what was measured best, and every version that was
tried), NAME.json, NAME.log and NAME.yaml, the decisions.

Exit status: 0 all programs were tuned, 1 some were not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import suite
from suite_commands import split_arguments

DECISIONS = ".bankstripe.yaml"


def gate(place, verify, gpu):
    """A bankstripe-verify that has the GPU for itself, and a bankstripe-replay beside it that does
    while it takes times."""
    folder, lock = place / f"gpu-{gpu}", place / f"gpu-{gpu}.lock"
    folder.mkdir()
    lock.touch()
    replay = shlex.quote(str(verify.with_name("bankstripe-replay")))
    relock = f'case "$argument" in --lock=*) argument=--lock={lock} ;; esac'
    scripts = {"bankstripe-verify": f'exec flock {lock} {shlex.quote(str(verify))} "$@"',
               "bankstripe-replay": f'for argument; do shift; {relock}; set -- "$@" "$argument"; '
                                    f'done\nexec {replay} "$@"'}
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\nexport CUDA_VISIBLE_DEVICES={gpu}\n{text}\n")
        (folder / name).chmod(0o755)
    return folder / "bankstripe-verify"


def write_database(program, place):
    """compile_commands.json for the program's units, where they are now."""
    (place / "compile_commands.json").write_text(json.dumps([
        {"directory": str(place / unit["directory"]), "file": str(place / unit["file"]),
         "arguments": ["nvcc", *unit["arguments"], "-arch=sm_90", "-c", str(place / unit["file"])]}
        for unit in program["units"]]))


def end(child):
    """Lets it remove what it captured, which may be gigabytes."""
    try:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait(timeout=5)
        os.killpg(child.pid, signal.SIGKILL)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def tune(program, given, work, verify):
    """The exit status, None when it took too long, and the seconds."""
    name = program["name"]
    place = work / name
    suite.lay_out(given.pack, program, place, suite.ORIGINAL)
    write_database(program, place)
    script = (given.pack / "build" / f"{name}.sh").resolve()
    command = [given.tool.resolve(), "tune", "--no-cache", "--format=json", f"--runs={given.runs}",
               f"-p={place}", f"--tree={place}", f"--build=cd {name} && sh {script}",
               f"--program={name}/{program.get('program', 'main')}", f"--verify-program={verify}",
               *[f"--program-arg={a}" for a in program.get("arguments", [])],
               *given.options, *sorted({str(place / u["file"]) for u in program["units"]}),
               place / name]
    begun = time.time()
    with open(given.output / f"{name}.json", "wb") as out, \
            open(given.output / f"{name}.log", "wb") as log, \
            subprocess.Popen(command, stdout=out, stderr=log, stdin=subprocess.DEVNULL,
                             start_new_session=True,
                             cwd=place / name / program.get("directory", "")) as child:
        try:
            left = given.deadline - (time.time() - given.started)
            status = child.wait(timeout=max(1, min(left, given.limit)))
        except subprocess.TimeoutExpired:
            end(child)
            status = None
    for found in place.rglob(DECISIONS):
        (given.output / f"{name}.yaml").write_bytes(found.read_bytes())
    seconds = time.time() - begun
    print(f"{name}: {'too late' if status is None else status} after {seconds:.0f} s", flush=True)
    return status, seconds


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {"groups": []}


def log_speedup(attempt):
    return math.log(attempt["speedup"])


def lines_of(name, group):
    """The rows of one group, and its (best, chosen) logarithms."""
    tried = [a for a in group["attempts"] if a["speedup"]]
    title = f"{name} {', '.join(k.split('(')[0] for k in group['kernels'])}"
    if group["measuredBy"] == "program":
        title += f", in the program ({group['whyNotReplayed'][:80]})"
    elif group["inProgram"]:
        title += f", {group['inProgram']:.3f} in the program"
    if not tried:
        return [f"{title}: not measured"], None
    best = next((a for a in tried if a["name"] == group["best"]), None)
    lines = [f"{title}: {best['name'] if best else 'the original'}"]
    for attempt in group["attempts"]:
        figure = "-" if not attempt["speedup"] else f"{attempt['speedup']:.3f}"
        lines.append(f"    {attempt['name']:40} {figure} {attempt.get('problem', '')[:80]}")
    return lines, (max(0, *map(log_speedup, tried)), log_speedup(best) if best else 0)


def table(programs, output):
    lines, pairs = [], []
    for program in programs:
        for group in read(output / f"{program['name']}.json")["groups"]:
            rows, pair = lines_of(program["name"], group)
            lines += rows
            if pair:
                pairs.append(pair)
    best, chosen = (sum(p[i] for p in pairs) for i in (0, 1))
    if pairs:
        lines += ["", f"{len(pairs)} groups of kernels: geometric mean of what tune chose "
                      f"{math.exp(chosen / len(pairs)):.3f}, of the best that was tried "
                      f"{math.exp(best / len(pairs)):.3f}: "
                      f"{100 * chosen / best if best else 100:.0f} % of its logarithm"]
    return "\n".join(lines) + "\n"


def parse():
    arguments, options = split_arguments(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tool", type=pathlib.Path, metavar="BANKSTRIPE")
    parser.add_argument("pack", type=pathlib.Path, metavar="PACK")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("--verify", type=pathlib.Path, help="default: PACK/bin/bankstripe-verify")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--limit", type=float, default=240, help="seconds for one program")
    parser.add_argument("--deadline", type=float, default=540, help="seconds for everything")
    given = parser.parse_args(arguments)
    given.options, given.started = options, time.time()
    given.verify = (given.verify or given.pack / "bin/bankstripe-verify").resolve()
    return given


def main():
    given = parse()
    given.output.mkdir(parents=True, exist_ok=True)
    programs = suite.entries_of(given.pack, given.only)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        gates = [gate(work, given.verify, gpu) for gpu in range(given.gpus)]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            done = list(pool.map(lambda p: tune(p[1], given, work, gates[p[0] % len(gates)]),
                                 enumerate(programs)))
    text = table(programs, given.output)
    text += f"{sum(seconds for _, seconds in done):.0f} s for the programs, " \
            f"{time.time() - given.started:.0f} s with {given.jobs} at a time\n"
    (given.output / "table.txt").write_text(text)
    print(text)
    return int(any(status != 0 for status, _ in done))


if __name__ == "__main__":
    sys.exit(main())
