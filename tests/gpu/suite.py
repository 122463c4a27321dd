"""What the scripts about the programs of a suite have in common: packs, building and running.

A pack is what suite_prepare.py has made. The same program may be in several, rewritten with other
options; these are its forms. Forms whose files are the same are built and run once.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))

from suite_ptxas import plain_name  # noqa: E402

ORIGINAL = "original"


def run(command, limit, log, **options):
    """The exit status, None when the time is up. What it prints goes to the list `log`."""
    log.append(f"--- {' '.join(map(str, command))}")
    # A session of its own, so that what the command started ends with it.
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, **options) as child:
        try:
            text, status = child.communicate(timeout=limit)[0], child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            text, status = child.communicate()[0], None
    log.append(text.decode(errors="replace")[-6000:])
    return status


def entries_of(pack, only):
    """What programs.json of a pack says of each program; `only` names some, between commas."""
    return [entry for entry in json.loads((pack / "programs.json").read_text())
            if not only or entry["name"] in only.split(",")]


def lay_out(pack, entry, place, form):
    """The program's folders below `place`, with the changes of the rewrite but for the original."""
    for name in entry["folders"]:
        source = pack / "original" / name
        if source.is_dir():
            shutil.copytree(source, place / name)
        elif source.exists():
            shutil.copy2(source, place / name)
    if form != ORIGINAL:
        shutil.copytree(pack / "changed" / entry["name"], place, dirs_exist_ok=True)


def contents(folder):
    """All files below a folder, for comparison."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Program:
    """One program of the suite, in all its forms."""

    def __init__(self, name):
        self.name = name
        self.entries = {}  # form => (pack, what programs.json says)
        self.first = None  # The same of any form, for the original.
        self.same = {}     # form => the form that has the same files
        self.kernels = set()
        self.problems = {}
        self.log = []

    def add(self, form, pack, entry):
        self.first = self.first or (pack, entry)
        if "unchanged" in entry:
            return
        files = contents(pack / "changed" / self.name)
        for other, (other_pack, _) in self.entries.items():
            if contents(other_pack / "changed" / self.name) == files:
                self.same[form] = other
                return
        self.entries[form] = (pack, entry)
        self.kernels |= {plain_name(kernel) for kernel in entry["kernels"]}

    def forms(self):
        """What can be run, the original first."""
        return [form for form in (ORIGINAL, *self.entries) if form not in self.problems]

    def entry(self, form):
        return self.entries.get(form, self.first)


class Suite:
    """All programs, in a folder to work in."""

    def __init__(self, given, forms, work, program=Program):
        self.given, self.work, self.started = given, work, time.time()
        self.binaries = (forms[0][1] / "bin").resolve()
        self.programs = {}
        for form, pack in forms:
            for entry in entries_of(pack, given.only):
                name = entry["name"]
                if name not in self.programs:
                    self.programs[name] = program(name)
                self.programs[name].add(form, pack, entry)

    def seconds_left(self):
        return self.given.deadline - (time.time() - self.started)

    def folder(self, program, form):
        return self.work / form / program.name

    def executable(self, program, form):
        entry = program.entry(form)[1]
        return self.folder(program, form) / program.name / entry.get("program", "main")

    def command(self, program, form):
        """How it is run, and in which folder."""
        entry = program.entry(form)[1]
        return ([self.executable(program, form), *entry.get("arguments", [])],
                self.folder(program, form) / program.name / entry.get("directory", ""))

    def build(self, program, form, flags=""):
        """Whether that works. Programs with other flags are other forms, named after both."""
        pack, entry = program.entry(form)
        place = self.folder(program, form + flags)
        if place.exists():
            return self.executable(program, form + flags).exists()
        lay_out(pack, entry, place, form)
        script = (pack / "build" / f"{program.name}.sh").resolve()
        status = run(["sh", script], self.given.build_limit, program.log,
                     cwd=place / program.name, env={**os.environ, "NVCC_APPEND_FLAGS": flags})
        if status == 0 and self.executable(program, form + flags).exists():
            return True
        program.problems[form + flags] = "does not build"
        return False

    def build_all(self):
        jobs = [(program, form) for program in self.programs.values()
                for form in (ORIGINAL, *program.entries)]
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            list(pool.map(lambda job: self.build(*job), jobs))
        print(f"built in {time.time() - self.started:.0f} s", flush=True)

    def recorder(self, path, asked):
        """The environment in which the recorder writes to `path` what it is asked for."""
        request = path.with_name(f"{path.name}.request")
        request.write_text(json.dumps({"Recording": str(path), **asked}))
        return {**os.environ, "BANKSTRIPE_REQUEST": str(request),
                "CUDA_INJECTION64_PATH": str(self.binaries / "libbankstripe-recorder.so")}

    def events(self, recording):
        printed = subprocess.run(
            [self.binaries / "print_recording", recording],
            capture_output=True, text=True, check=False)
        return map(json.loads, printed.stdout.splitlines())

    def verify(self, program, form, limits, *options, flags=""):
        """The verifier's verdict on memory and output of a form, or None. The seconds in `limits` are
        those for one run, and for all of it."""
        result = self.work / f"{program.name}-{form}{flags}.json"
        command, folder = self.command(program, ORIGINAL + flags)
        run([self.binaries / "bankstripe-verify", "--runs=0", f"--timeout={limits[0]:.0f}",
             f"--json={result}", *options, command[0], self.executable(program, form + flags),
             "--", *command[1:]], limits[1], program.log, cwd=folder)
        return json.loads(result.read_text())["verdict"] if result.exists() else None

    def write_logs(self):
        (self.given.output / "logs.txt").write_text("\n".join(
            f"=== {program.name}\n" + "\n".join(map(str, program.log))
            for program in self.programs.values()))


def parser(text, limit, packs):
    """The command line of such a script, whose description is `text`. `packs` is its last operand."""
    result = argparse.ArgumentParser(description=text.split("\n\n", maxsplit=1)[0])
    if packs == "FORM=PACK":
        result.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
        result.add_argument("forms", nargs="+", metavar=packs, type=form_of)
    else:
        result.add_argument("pack", type=pathlib.Path, metavar=packs)
        result.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    result.add_argument("--only", default="", help="names, separated by commas")
    result.add_argument("--runs", type=int, default=3, help="of each program, in each form or way")
    result.add_argument("--jobs", type=int, default=os.cpu_count())
    result.add_argument("--limit", type=float, default=limit, help="seconds for one run")
    result.add_argument("--build-limit", type=float, default=240)
    result.add_argument("--deadline", type=float, default=540, help="seconds for everything")
    return result


def form_of(text):
    name, separator, pack = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("a form needs a pack: FORM=PACK")
    return name, pathlib.Path(pack)
