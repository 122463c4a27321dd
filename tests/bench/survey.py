#!/usr/bin/env python3
"""Runs `bankstripe rewrite` over the folders of a suite of programs, and nvcc over
what comes of it.

    survey.py [OPTION...] BANKSTRIPE FOLDER... [-- OPTION...]

The folders stand side by side, as in SUITE/src/*-cuda, and are compiled as
their Makefiles say, for sm_90. Each is one run of the tool; OPTIONs after --
go to it. The suite itself is not written to. With --nvcc, every translation
unit with an array that Clang sees in local memory is compiled as it is, and
as rewritten, and ptxas tells the stack frames.

Prints counts and what is not covered; --table and --json write all of it.
Results are kept in the folder --cache, by all that they depend on: a run that
is repeated, or was cut off, does only what is left.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import suite_commands
import suite_ptxas
import suite_table

TIMEOUT = 600  # seconds of the tool for one folder


class Survey:
    """One tool with its options, over folders."""

    def __init__(self, tool, options, cache, nvcc):
        self.options, self.nvcc = options, nvcc
        self.cache = suite_ptxas.Cache(cache)
        self.tool_hash = suite_commands.hash_of_file(tool)
        # A copy, because a tool that is worked on is built anew at any time.
        kept = pathlib.Path(cache) / "tool" / self.tool_hash / "bankstripe"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tool, kept)
        self.tool = str(kept)

    def run_tool(self, folder, units):
        """The tool's exit code, report and the files that it wrote."""
        root = folder.parent
        with tempfile.TemporaryDirectory() as scratch:
            suite_commands.write_database(units, scratch)
            output = pathlib.Path(scratch) / "output"
            command = [self.tool, "rewrite", "--no-cache", "--format=json", "-j1",
                       f"--output-dir={output}", "-p", scratch, *self.options, str(root)]
            started = time.time()
            try:
                done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
            except subprocess.TimeoutExpired:
                return {"exit": "hang", "seconds": TIMEOUT, "errors": "", "report": None,
                        "changes": {}}
            try:
                report = json.loads(done.stdout)
            except ValueError:
                report = None
            changes = {}
            for change in (report or {}).pop("changes", []):
                path = pathlib.Path(os.path.relpath(change["file"], root))
                for name in (path, *map(pathlib.Path, suite_ptxas.HELPERS)):
                    if (output / name).exists():
                        changes[str(name)] = (output / name).read_bytes().decode(
                            "utf-8", "surrogateescape")
            return {"exit": done.returncode, "seconds": time.time() - started,
                    "errors": done.stderr.decode(errors="replace")[-4000:], "report": report,
                    "changes": changes}

    def cached_run(self, folder, units):
        key = suite_commands.hash_of(self.tool_hash, self.options, str(folder),
                                     [u.command() for u in units])
        return self.cache.get("scan", key, lambda: self.run_tool(folder, units))

    def of_folder(self, folder):
        """Everything about one folder."""
        units = suite_commands.units_of(folder)
        result = {"program": folder.name, "units": len(units), "exit": "no CUDA source",
                  "errors": "", "arrays": [], "uncompilable": [], "broken": [], "seconds": 0,
                  "otherFrames": {}, "readableByNvcc": False}
        if not units:
            return result
        run = self.cached_run(folder, units)
        result.update({name: run[name] for name in ("exit", "errors", "seconds")})
        result["changed"] = sorted(run["changes"])
        arrays = run["report"]["arrays"] if run["report"] else []
        result["arrays"] = [shorten(array, folder.parent) for array in arrays]
        if self.nvcc:
            self.ask_nvcc(folder, units, run, result)
        return result

    def ask_nvcc(self, folder, units, run, result):
        """Stack frames before and after, and what does not compile."""
        files = {folder.parent / a["file"] for a in result["arrays"] if a["resident"]}
        # What the tool cannot read, nvcc may.
        asked = units if self.nvcc == "all" or run["exit"] else units_with(units, files)
        before = {u: suite_ptxas.original(self.cache, u) for u in asked}
        files = {folder.parent / name for name in run["changes"]
                 if os.path.basename(name) not in suite_ptxas.HELPERS}
        changed = units_with(units, files)
        after = dict(before)
        for unit in changed:
            before.setdefault(unit, suite_ptxas.original(self.cache, unit))
            if before[unit]["compiles"]:
                after[unit] = suite_ptxas.rewritten(self.cache, folder.parent, unit,
                                                    run["changes"])
        result["readableByNvcc"] = all(b["compiles"] for b in before.values())
        result["rewrittenUnits"] = sum(before[u]["compiles"] for u in changed)
        for unit, compiled in before.items():
            name = os.path.relpath(unit.file, folder.parent)
            if not compiled["compiles"]:
                result["uncompilable"].append([name, compiled["errors"]])
            elif not after[unit]["compiles"]:
                result["broken"].append([name, after[unit]["errors"]])
        frames = [suite_ptxas.largest_frames(r.values()) for r in (before, after)]
        explained = set()
        for array in result["arrays"]:
            names = {suite_ptxas.plain_name(n) for n in [array["function"], *array["kernels"]]}
            array["frames"] = [max((f[n] for n in names if n in f), default=None) for f in frames]
            explained |= names if array["resident"] else set()
        result["otherFrames"] = {name: frame for name, frame in frames[0].items()
                                 if frame and name not in explained}
        # A function that only other translation units call can be inlined into another one.
        for array in result["arrays"]:
            if array["resident"] and array["frames"][0] is None:
                hosts = [name for name, frame in result["otherFrames"].items()
                         if frame >= array["bytesPerThread"]]
                array["frames"] = [max((f.get(n, 0) for n in hosts), default=None)
                                   for f in frames]


def units_with(units, files):
    """The units that compile one of `files`; any of them may include what is no unit."""
    main = {u.file for u in units}
    files = {os.path.realpath(f) for f in files}
    return [u for u in units if u.file in files or files - main]


def shorten(array, root):
    """What the survey needs to know of an array of the tool's report."""
    place, verdict = array["place"], array["verdict"]
    result = {name: array[name] for name in ("name", "type", "function", "kernels", "verdict",
                                             "reason", "detail", "residency", "index",
                                             "bytesPerThread")}
    result["file"] = os.path.relpath(place["file"], root)
    result["line"] = place["line"]
    result["resident"] = array["residency"] == "local memory" or verdict in suite_table.MOVED
    result["frames"] = None
    return result


def describe(program, array):
    return "\t".join([program, array["name"], array["type"], array["function"], array["verdict"],
                      array["reason"], array["detail"], f"{array['file']}:{array['line']}",
                      "" if not array["frames"] else "{} > {}".format(*array["frames"])])


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", type=pathlib.Path, help="default: a folder that is removed")
    parser.add_argument("--nvcc", nargs="?", const="some", choices=("some", "all"),
                        help="ask nvcc for stack frames; all: of files without such arrays too")
    parser.add_argument("--like", type=pathlib.Path, metavar="JSON",
                        help="only folders with an array in local memory in this earlier result")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE",
                        help="write each array in local memory as soon as it is known")
    parser.add_argument("--table", type=pathlib.Path, metavar="MD")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args(arguments)


def survey(given, options, cache):
    folders = sorted(f.resolve() for f in given.folders if f.is_dir())[given.first::given.every]
    if given.like:
        earlier = json.loads(given.like.read_text())["programs"]
        wanted = {p["program"] for p in earlier if any(a["resident"] for a in p["arrays"])}
        folders = [f for f in folders if f.name in wanted]
    run = Survey(given.tool, options, cache, given.nvcc)
    results, lock, started = [], threading.Lock(), time.time()
    if given.list:
        given.list.write_text("")

    def one(folder):
        result = run.of_folder(folder)
        with lock:
            results.append(result)
            if given.list:
                with given.list.open("a") as file:
                    file.writelines(describe(folder.name, a) + "\n" for a in result["arrays"]
                                    if a["resident"])
            if sys.stderr.isatty() or len(results) % 25 == 0:
                print(f"{len(results)} of {len(folders)}, {time.time() - started:.0f} s",
                      file=sys.stderr)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(one, folders))
    return sorted(results, key=lambda r: r["program"])


def main():
    arguments, options = suite_commands.split_arguments(sys.argv[1:])
    given = parse(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        results = survey(given, options, given.cache or scratch)
    print(suite_table.summary(results))
    if given.table:
        given.table.write_text(suite_table.markdown(results))
    if given.json:
        given.json.write_text(json.dumps({"programs": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
