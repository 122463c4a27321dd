#!/usr/bin/env python3
"""Verifies and times the programs that suite_prepare.py rewrote. Needs a GPU.

    suite_verify.py [OPTION...] PACK OUTPUT

Builds every program of PACK in both forms, in parallel, then gives the pairs
one after the other (per GPU, with --gpus) to bankstripe-verify: all device memory after each launch,
the output, and the time of each kernel. A pair that differs is built again
without fused multiply-add, which nvcc decides anew for every version of a
kernel, and compared once more.

OUTPUT then holds table.txt, results.json and logs.txt. A program that exceeds
--limit, or that the time for all (--deadline) leaves out, is named as such.

Exit status: 0 all that ran is identical, 1 something is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))

from suite_ptxas import plain_name  # noqa: E402

FORMS = ("original", "rewritten")
CHILDREN = set()  # What runs, to be ended with this program.


def end(*_):
    for child in list(CHILDREN):
        os.killpg(child, signal.SIGKILL)
    os._exit(128 + signal.SIGTERM)


def lay_out(pack, program, place, form):
    """The program's folders below `place`, with the changes of the rewrite."""
    for name in program["folders"]:
        source = pack / "original" / name
        if source.is_dir():
            shutil.copytree(source, place / name)
        elif source.exists():
            shutil.copy2(source, place / name)
    if form == "rewritten":
        shutil.copytree(pack / "changed" / program["name"], place, dirs_exist_ok=True)


def run(command, limit, log, **options):
    """The exit status, None when the time is up. What it prints goes to the list `log`."""
    log.append(f"--- {' '.join(map(str, command))}")
    # A session of its own, so that what the command started ends with it.
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, **options) as child:
        CHILDREN.add(child.pid)
        try:
            text, status = child.communicate(timeout=limit)[0], child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            text, status = child.communicate()[0], None
        CHILDREN.discard(child.pid)
    log.append(text.decode(errors="replace")[-6000:])
    return status


class Verification:
    """All programs of one pack."""

    def __init__(self, given, work):
        self.given, self.work = given, work
        self.started = time.time()
        self.logs = {}
        self.gpus = queue.Queue()
        for gpu in range(given.gpus):
            self.gpus.put(given.first_gpu + gpu)

    def folder(self, program, form):
        return self.work / form / program["name"]

    def executable(self, program, form):
        return self.folder(program, form) / program["name"] / program.get("program", "main")

    def build(self, program, form, flags=""):
        """An empty string, or what went wrong."""
        place = self.folder(program, form + flags)
        begun = time.time()
        lay_out(self.given.pack, program, place, form)
        log = self.logs.setdefault(program["name"], [])
        status = run(["sh", (self.given.pack / "build" / f"{program['name']}.sh").resolve()],
                     self.given.build_limit, log, cwd=place / program["name"],
                     env={**os.environ, "NVCC_APPEND_FLAGS": flags})
        log.append(f"{time.time() - begun:.0f} s")
        if status == 0 and self.executable(program, form + flags).exists():
            return ""
        return f"the {form} program does not build"

    def build_all(self, programs):
        jobs = [(p, form) for p in programs for form in FORMS]
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            failures = pool.map(lambda job: self.build(*job), jobs)
            for (program, _), failure in zip(jobs, failures):
                if self.given.build_only:
                    print(f"{program['name']}: {failure or 'builds'}", flush=True)
                if failure:
                    program.setdefault("failure", failure)

    def seconds_left(self):
        return self.given.deadline - (time.time() - self.started)

    def compare(self, program, gpu, runs, flags=""):
        """The verifier's result, or a string that says why there is none."""
        limit = min(self.given.limit, self.seconds_left())
        if limit < 5:
            return "left out: the time for all is up"
        name = program["name"]
        result = self.work / f"{name}{flags}.json"
        status = run([self.given.verify, "--all", f"--runs={runs}", f"--timeout={limit:.0f}",
                      f"--json={result}",
                      *[self.executable(program, form + flags) for form in FORMS], "--",
                      *program.get("arguments", [])],
                     limit, self.logs[name], cwd=self.folder(program, "original" + flags) / name
                     / program.get("directory", ""), env={**os.environ, **gpu})
        if result.exists():
            return json.loads(result.read_text())
        return "takes too long" if status is None else f"not verified (status {status})"

    def verify(self, program):
        """Fills in the program's result."""
        if "failure" in program:
            return
        number = self.gpus.get()
        try:
            self.verify_on(program, {"CUDA_VISIBLE_DEVICES": str(number)}
                           if self.given.gpus + self.given.first_gpu > 1 else {})
        finally:
            self.gpus.put(number)

    def verify_on(self, program, gpu):
        result = self.compare(program, gpu, self.given.runs)
        if isinstance(result, str):
            program["failure"] = result
            return
        program["result"] = result
        if result["verdict"] != "differs":
            return
        flags = "-fmad=false"
        if not any(self.build(program, form, flags) for form in FORMS):
            again = self.compare(program, gpu, 0, flags)
            program["withoutFusing"] = again if isinstance(again, str) else again["verdict"]


def verdict(program):
    if "result" not in program:
        return program.get("failure", "not run")
    result = program["result"]
    text = result["verdict"]
    if text == "identical" and not kernels(program):
        return "no rewritten kernel was launched"
    if text == "differs" and program.get("withoutFusing") == "identical":
        return "identical with -fmad=false"
    unstable = len(result.get("not-deterministic") or [])
    return text + (f" ({unstable} launches not deterministic)" if unstable else "")


def kernels(program):
    """The kernels whose arrays were moved, as the verifier saw them."""
    names = {plain_name(k) for k in program["kernels"]}
    return [k for k in program.get("result", {}).get("kernels", [])
            if plain_name(k["name"]) in names and k.get("speedup")]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def table(programs):
    """The lines of the table."""
    layout = "{:26} {:>8}  {:36} {:28} {:>10} {:>10} {:>8} {:>14} {:>16}"
    lines = [layout.format("program", "launches", "memory", "kernel", "before ms", "after ms",
                           "speedup", "local/thread", "shared/block")]
    speedups = []
    for program in programs:
        cells = [program["name"], program.get("result", {}).get("launches", ""), verdict(program)]
        for kernel in kernels(program) or [None]:
            rest = [""] * 6
            if kernel:
                speedups.append(kernel["speedup"])

                def change(what, kernel=kernel):
                    pair = ["?" if kernel[f].get(what) is None else kernel[f][what] for f in FORMS]
                    return f"{pair[0]} > {pair[1]}"
                rest = [plain_name(kernel["name"])[:28],
                        *[f"{kernel[f + '-total-ns'] / 1e6:.3f}" for f in FORMS],
                        f"{kernel['speedup']:.2f}", change("local"), change("static-shared")]
            lines.append(layout.format(*cells, *rest).rstrip())
            cells = [""] * 3
    identical = sum(verdict(p).startswith("identical") for p in programs)
    lines += ["", f"{identical} of {len(programs)} programs are identical"]
    if speedups:
        lines.append(f"{len(speedups)} kernels: geometric mean {mean(speedups):.2f}, "
                     f"{sum(s < 1 for s in speedups)} below 1, least {min(speedups):.2f}, "
                     f"largest {max(speedups):.2f}")
    return lines


def write_results(output, programs, logs):
    """What is known so far, in case that the time for the machine is up."""
    (output / "logs.txt").write_text("\n".join(
        f"=== {name}\n" + "\n".join(log) for name, log in logs.items()))
    (output / "results.json").write_text(json.dumps(programs, indent=1) + "\n")
    (output / "table.txt").write_text("\n".join(table(programs)) + "\n")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pack", type=pathlib.Path, metavar="PACK")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("--verify", type=pathlib.Path, help="default: PACK/bin/bankstripe-verify")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--runs", type=int, default=3, help="timed runs of each form")
    parser.add_argument("--gpus", type=int, default=1, help="how many programs run side by side")
    parser.add_argument("--first-gpu", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=60, help="seconds for one comparison")
    parser.add_argument("--build-limit", type=float, default=240)
    parser.add_argument("--deadline", type=float, default=540, help="seconds for everything")
    parser.add_argument("--build-only", action="store_true", help="for a machine without a GPU")
    given = parser.parse_args()
    given.verify = (given.verify or given.pack / "bin/bankstripe-verify").resolve()
    if not given.build_only and not os.access(given.verify, os.X_OK):
        parser.error(f"there is no {given.verify}")
    return given


def main():
    given = parse()
    signal.signal(signal.SIGTERM, end)
    given.output.mkdir(parents=True, exist_ok=True)
    programs = [p for p in json.loads((given.pack / "programs.json").read_text())
                if not given.only or p["name"] in given.only.split(",")]
    with tempfile.TemporaryDirectory() as work:
        run_all = Verification(given, pathlib.Path(work))
        run_all.build_all(programs)
        print(f"built in {time.time() - run_all.started:.0f} s", flush=True)

        def verify(program):
            begun = time.time()
            run_all.verify(program)
            return program, time.time() - begun
        with concurrent.futures.ThreadPoolExecutor(given.gpus) as pool:
            running = [pool.submit(verify, p) for p in programs if not given.build_only]
            for done in concurrent.futures.as_completed(running):
                program, seconds = done.result()
                write_results(given.output, programs, run_all.logs)
                print(f"{program['name']}: {verdict(program)}, {seconds:.0f} s", flush=True)
    write_results(given.output, programs, run_all.logs)
    if given.build_only:
        lines = [f"{p['name']}: {p['failure']}" for p in programs if "failure" in p]
        print("\n".join(lines or ["everything builds"]))
        return 1 if lines else 0
    print("\n".join(table(programs)))
    return 0 if all(verdict(p).startswith("identical") for p in programs) else 1


if __name__ == "__main__":
    sys.exit(main())
