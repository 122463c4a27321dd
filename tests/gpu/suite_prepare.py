#!/usr/bin/env python3
"""Rewrites programs of a suite, for a machine that has a GPU but no LLVM.

    suite_prepare.py [OPTION...] BANKSTRIPE SUITE PROGRAMS FOLDER [-- OPTION...]

SUITE is the folder with the programs' folders. OPTIONs after -- go to BANKSTRIPE. PROGRAMS says
which programs are taken: a JSON file that you write, a list of objects with

    name        of the folder; all the others may be missing
    arguments   to run the program with, a list
    directory   to run it in, below its folder
    program     what building makes, below its folder (default: main)
    build       a shell command that builds it, where `make -n` does not say how
    prepare     a shell command, run in a copy of its folder: makes input that is not there
    folders     that it needs besides its own and those that its files name with ../, a list
    unchanged   true: it is not rewritten, but compared with itself

such as [{"name": "scan", "arguments": ["100"], "prepare": "seq 1000 > input.txt"}].
FOLDER is made anew and then holds

    programs.json    what was rewritten, and how each program is run
    original/        the programs' folders, and those that they refer to
    changed/NAME/    the files that the rewrite of program NAME changes
    build/NAME.sh    the commands that build it, in its folder
    bin/             bankstripe-verify, -replay and the recorder, with --verify

Take it to that machine and give it to suite_times.py or suite_record.py, or, with
the tool itself, to suite_tune.py.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))

import suite_commands  # noqa: E402
import survey  # noqa: E402
from suite_table import MOVED  # noqa: E402

MARK = "programs.json"
TEXT = {".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".cxx", ".inc", ""}


def referred(suite, name, arguments):
    """The entries of the suite that a program's files and arguments refer to, itself first."""
    found, waiting = [], [name]
    texts = [" ".join(arguments)]
    while waiting or texts:
        if waiting:
            entry = waiting.pop()
            if entry in found or not (suite / entry).exists():
                continue
            found.append(entry)
            texts += [path.read_text(errors="replace") for path in (suite / entry).rglob("*")
                      if path.is_file() and path.suffix in TEXT and path.stat().st_size < 1 << 20
                      ] if entry != "data" else []
        else:
            waiting += re.findall(r"\.\./([\w+.-]*\w)", texts.pop())
    return found


def build_script(folder):
    """The commands of the folder's Makefile, for any folder in which it is copied; files are
    compiled side by side."""
    done = subprocess.run(["make", "-n", "-B", "--no-print-directory",
                           f"ARCH={suite_commands.ARCHITECTURE}"], cwd=folder,
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        return None
    text = re.sub(r"-std=(c|gnu)\+\+(03|11|14)\b", "-std=c++17", done.stdout)
    lines = [line if "-arch" in line or "-gencode" in line else
             re.sub(r"^nvcc\b", f"nvcc -arch={suite_commands.ARCHITECTURE}", line)
             for line in text.replace("\\\n", " ").splitlines()]
    lines = [f"{line} &" if re.search(r"(^|\s)-d?c(\s|$)", line) else f"wait\n{line}"
             for line in lines]
    return "\n".join(["set -e", *lines]).replace(str(folder), ".") + "\n"


def copy_entry(source, target, largest):
    if target.exists():
        return
    if source.is_dir():
        def too_large(folder, names):
            return [n for n in names if (pathlib.Path(folder) / n).is_file()
                    and (pathlib.Path(folder) / n).stat().st_size > largest]
        shutil.copytree(source, target, ignore=too_large)
    else:
        shutil.copy2(source, target)


def packed_units(units, suite):
    return [{"file": str(pathlib.Path(u.file).relative_to(suite)),
             "directory": str(pathlib.Path(u.directory).relative_to(suite)),
             "arguments": [a.replace(str(suite), "..") for a in u.arguments]} for u in units]


def rewrite(entry, run, suite, place):
    """What the rewrite adds to the entry for programs.json, or a string: why nothing is rewritten."""
    name = entry["name"]
    units = suite_commands.units_of(suite / name)
    if not run:
        return {"units": packed_units(units, suite)}
    result = run.cached_run(suite / name, units)
    if result["report"] is None:
        return f"the tool failed: exit {result['exit']}"
    moved = [a for a in result["report"]["arrays"] if a["verdict"] in MOVED]
    if not moved:
        return "nothing is moved: " + ", ".join(sorted(
            {a["reason"] for a in result["report"]["arrays"]
             if a["residency"] == "local memory"}))
    for path, text in result["changes"].items():
        target = place / "changed" / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
    return {"units": packed_units(units, suite),
            "kernels": sorted({k for a in moved for k in a["kernels"]}),
            "arrays": [f"{a['name']} ({a['type']}): {a['verdict']}" for a in moved]}


def prepare(entry, run, suite, place, largest):
    """The entry for programs.json, or a string that says why there is none."""
    name = entry["name"]
    folder = suite / name
    script = None
    if folder.is_dir():
        script = f"set -e\n{entry['build']}\n" if "build" in entry else build_script(folder)
    if script is None:
        return "make does not say how to build it"
    rewritten = {} if "unchanged" in entry else rewrite(entry, run, suite, place)
    if isinstance(rewritten, str):
        return rewritten
    folders = referred(suite, name, entry.get("arguments", []))
    folders += [one for one in entry.get("folders", []) if one not in folders]
    for one in folders:
        copy_entry(suite / one, place / "original" / one, largest)
    if "prepare" in entry:
        subprocess.run(entry["prepare"], shell=True, cwd=place / "original" / name, check=True)
    (place / "build" / f"{name}.sh").write_text(script)
    return {**entry, "folders": folders, **rewritten}


def main():
    arguments, options = suite_commands.split_arguments(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("suite", type=pathlib.Path, metavar="SUITE")
    parser.add_argument("programs", type=pathlib.Path, metavar="PROGRAMS")
    parser.add_argument("place", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--cache", type=pathlib.Path, help="see survey.py")
    parser.add_argument("--verify", type=pathlib.Path, metavar="BUILD",
                        help="a build folder, whose bankstripe-verify and recorder go along")
    parser.add_argument("--as-it-is", action="store_true",
                        help="rewrite nothing: for suite_tune.py, which does that itself")
    parser.add_argument("--largest", type=int, default=8, help="leave out files above so many MiB")
    given = parser.parse_args(arguments)
    suite, place = given.suite.resolve(), given.place
    if place.exists() and not (place / MARK).exists():
        sys.exit(f"suite_prepare: {place} is there, and not made by this script")
    shutil.rmtree(place, ignore_errors=True)
    (place / "build").mkdir(parents=True)
    (place / "original").mkdir()
    wanted = [e for e in json.loads(given.programs.read_text())
              if not given.only or e["name"] in given.only.split(",")]
    prepared = []
    with tempfile.TemporaryDirectory() as scratch:
        run = None if given.as_it_is else \
            survey.Survey(given.tool, options, given.cache or scratch, nvcc=False)
        for entry in wanted:
            result = prepare(entry, run, suite, place, given.largest << 20)
            if isinstance(result, str):
                print(f"{entry['name']}: left out: {result}")
            else:
                prepared.append(result)
    (place / MARK).write_text(json.dumps(prepared, indent=1) + "\n")
    if given.verify:
        (place / "bin").mkdir()
        for name in "bankstripe-verify", "bankstripe-replay", "print_recording":
            shutil.copy2(given.verify / "bin" / name, place / "bin")
        shutil.copy2(given.verify / "lib/libbankstripe-recorder.so", place / "bin")
    size = sum(p.stat().st_size for p in place.rglob("*") if p.is_file())
    print(f"{len(prepared)} of {len(wanted)} programs are prepared, {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
