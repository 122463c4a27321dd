#!/usr/bin/env python3
"""Counts the arrays that also move when every file is rewritten by itself.

    one_file_at_a_time.py [--jobs=N] BANKSTRIPE FOLDER... [-- OPTION...]

The folders stand side by side, as in SUITE/src/*-cuda, and are compiled as
their Makefiles say, for sm_90. Where an array of one can move while the folder
is a whole program, each of its files is given to the tool once more, alone and
with --versions. OPTIONs after -- go to both. Nothing is built, and the suite is
not written to.

Prints how many of these arrays move in the end, and why the others do not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import suite_commands

TIMEOUT = 900  # seconds of the tool for one folder or file


def moves(array):
    return array["verdict"] in ("stripe", "slot")


def arrays_of(tool, root, units, options):
    """The arrays of these units by place and name; none where the tool gives no report."""
    with tempfile.TemporaryDirectory() as scratch:
        suite_commands.write_database(units, scratch)
        command = [tool, "rewrite", "--dry-run", "--no-config", "--min-speedup=0", "--format=json",
                   "-j1", "-p", scratch, *options, str(root)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
            arrays = json.loads(done.stdout)["arrays"]
        except (subprocess.TimeoutExpired, ValueError):
            print(f"nothing is known of {', '.join(u.file for u in units)}", file=sys.stderr)
            return {}
    return {(a["place"]["file"], a["place"]["line"], a["name"]): a for a in arrays}


def compare(tool, folder, options):
    """(array, what it is when its files are alone; None if nobody saw it) for each that moves."""
    units = suite_commands.units_of(folder)
    if not units:
        return []
    whole = arrays_of(tool, folder.parent, units, ["--whole-program", *options])
    whole = {key: array for key, array in whole.items() if moves(array)}
    alone = {}
    for unit in units if whole else []:
        for key, array in arrays_of(tool, folder.parent, [unit], ["--versions", *options]).items():
            # Of a header, the file in which it moves counts.
            if key not in alone or moves(array):
                alone[key] = array
    return [(array, alone.get(key)) for key, array in whole.items()]


def describe(array, alone, root):
    place = os.path.relpath(array["place"]["file"], root)
    why = f"{alone['reason']} {alone['detail']}".rstrip() if alone else "not seen"
    return f"{place}:{array['place']['line']}: {array['name']}: {why}"


def main():
    arguments, options = suite_commands.split_arguments(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tool", metavar="BANKSTRIPE")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args(arguments)
    folders = sorted(f.resolve() for f in given.folders if f.is_dir())
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(lambda folder: compare(given.tool, folder, options), folders))
    lost = [describe(array, alone, folder.parent) for folder, pairs in zip(folders, found)
            for array, alone in pairs if not (alone and moves(alone))]
    total = sum(map(len, found))
    print(f"{total - len(lost)} of {total} arrays move one file at a time")
    print("".join(f"{line}\n" for line in lost), end="")


if __name__ == "__main__":
    main()
