#!/usr/bin/env python3
"""What it costs to read a program in pieces.

    facts_cost.py BANKSTRIPE BUILD_DIR

Takes the files of BUILD_DIR/compile_commands.json. One process analyses all of
them; then each is read by a process of its own, the facts are merged, and one
process plans for all and prints the diff. Prints CPU time, memory and sizes,
and whether both ways give the same report. Exit status: 0 the same, 1 not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile


class Costs:
    """CPU seconds, and the most memory that one process took."""

    def __init__(self):
        self.seconds, self.megabytes, self.processes = 0.0, 0.0, 0

    def run(self, *command):
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            output = process.stdout.read()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0  # It is gone; nobody needs to wait again.
        self.seconds += usage.ru_utime + usage.ru_stime
        self.megabytes = max(self.megabytes, usage.ru_maxrss / 1024)
        self.processes += 1
        return output

    def show(self, what, reference):
        print(f"{what:44} {self.processes:6} {self.seconds:8.2f} s "
              f"{self.seconds / reference.seconds:8.4f} {self.megabytes:8.0f} MB")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    tool, build = sys.argv[1:]
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    files = sorted({str(pathlib.Path(e["directory"], e["file"])) for e in entries})
    report = ("analyze", "--no-cache", "--no-confirm", "--format=json")
    whole, pieces, merge, plan, one = (Costs() for _ in range(5))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        direct = whole.run(tool, *report, "-j1", "-p", build, *files)
        for number, file in enumerate(files):
            pieces.run(tool, "facts", "--no-cache", "--no-confirm", "-j1", "-p", build, "-o",
                       str(folder / f"{number}.facts"), file)
        parts = sorted(folder.glob("*.facts"))
        facts = folder / "all.facts"
        merge.run(tool, "merge-facts", "-o", str(facts), *map(str, parts))
        same = plan.run(tool, *report, f"--facts={facts}") == direct
        one.run(tool, *report, f"--facts={facts}", files[0])
        size = facts.stat().st_size
        packed = len(gzip.compress(facts.read_bytes()))
    print(f"{'':44} {'runs':>6} {'CPU time':>10} {'ratio':>8} {'memory':>11}")
    whole.show("one process", whole)
    pieces.show("facts, a process per file", whole)
    merge.show("merge-facts", whole)
    plan.show("analyze --facts", whole)
    one.show("analyze --facts, one file of them", whole)
    source = sum(pathlib.Path(file).stat().st_size for file in files)
    print(f"{len(parts)} units of {source} bytes without headers; facts: {size} bytes, "
          f"{packed} compressed; the report is {'the same' if same else 'ANOTHER'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
