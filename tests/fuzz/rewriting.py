"""Calls the tool on generated files and counts what it says.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from context import standard_of
from run_pairs import headers_of

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_TOOL = HERE.parents[1] / "build" / "bin" / "bankstripe"


# What the tool is asked for beyond the usual: one entry for 20 seeds on end.
OPTIONS = [[], ["--shared-limit=232448"], ["--layout=split"], ["--layout=slot"], ["--shared-limit=232448"],
           ["--shared-limit=232448", "--layout=slot"]]
# Every other of these entries is about versions, also of kernels whose addresses are taken; what
# blocks usually have is said to be less than some launches have.
PROGRAMS = [["--whole-program"], ["--versions"], ["--whole-program"],
            ["--versions", "--block-size=40"]]


def options_of(seed, versions=False):
    turn, programs = seed // 20, PROGRAMS[versions::1 + versions]
    program = programs[turn // len(OPTIONS) % len(programs)]
    return [*program, *OPTIONS[turn % len(OPTIONS)], "--", f"-std={standard_of(seed)}",
            *(["--expt-relaxed-constexpr"] if standard_of(seed) == "c++20" else []),
            *(["-DTAKES_ADDRESSES"] if len(program) > 1 else [])]


class ToolFailure(Exception):
    """The tool has crashed, or could not process a generated file."""


def complaints(arrays, programs, copy):
    """What the tool says of cases that must not be treated so: (seed, text)."""
    rewritten = "".join(path.read_text() for path in [copy, *headers_of(copy)]) if copy else ""
    watched = {str(p.case.seed): p.watched for p in programs if p.watched}
    found = []
    for array in arrays:
        seed = seed_of(array)
        text = watched[seed].complaint(array, rewritten) if seed in watched else None
        found += [(int(seed), text)] if text else []
    return found


def seed_of(array):
    """The seed, as text, of the case that an array of a report is of, or None."""
    found = re.search(r"_(\d+)(?:_\w+)?(?:::|<|$)", array["function"])
    return found and found.group(1)


def rewrite(tool, source, target, extra=()):
    """Rewrites `source` into the folder `target`. Returns the rewritten file,
    None when nothing changes, and the list of arrays from the report."""
    target.mkdir(parents=True, exist_ok=True)
    command = [str(tool), "rewrite", "--no-cache", "--quiet", "--no-confirm", "--gpu-arch=sm_90",
               "--min-speedup=0", "--format=json", f"--output-dir={target}", str(source),
               *map(str, headers_of(source)), *extra]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=300)
    except subprocess.TimeoutExpired as problem:
        raise ToolFailure("the tool runs longer than 300 s") from problem
    if done.returncode != 0:
        raise ToolFailure(f"the tool exits with {done.returncode}\n{done.stderr[-3000:]}")
    try:
        report = json.loads(done.stdout)
    except ValueError as problem:
        raise ToolFailure(f"no JSON: {problem}\n{done.stdout[:500]}") from problem
    copy = next(target.rglob(source.name), None)
    if copy is not None and copy.read_bytes() == source.read_bytes():
        copy = None
    return copy, report["arrays"]


# Stands for nvcc behind the launcher: keeps the copy that it is given.
KEEPER = """#!/bin/sh
for a in "$@"; do
  case "$a" in *.bankstripe/*.cu) cp -r "${a%/*}"/. KEPT && exit 0;; esac
done
case " $* " in *" -c "*) exit 0;; esac
exec NVCC "$@"
"""


def launch(tool, source, target, extra=()):
    """The same by `bankstripe wrap`, as nvcc gets it. There is no report."""
    target.mkdir(parents=True, exist_ok=True)
    at = list(extra).index("--")
    with tempfile.TemporaryDirectory() as folder:
        nvcc, kept = pathlib.Path(folder) / "nvcc", pathlib.Path(folder) / "kept"
        kept.mkdir()
        nvcc.write_text(KEEPER.replace("KEPT", str(kept)).replace("NVCC", shutil.which("nvcc")))
        nvcc.chmod(0o755)
        command = [str(tool), "wrap", "--no-cache", "--no-confirm", "--min-speedup=0", *extra[:at],
                   str(nvcc), "-arch=sm_90", *extra[at + 1:], "-c", source.name, "-o", f"{folder}/object.o"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300,
                              cwd=source.parent, check=False)
        if done.returncode:
            raise ToolFailure(f"the launcher exits with {done.returncode}\n{done.stderr[-3000:]}")
        if not (kept / source.name).exists():
            return None, []
        # Headers that change lie in folders of their own, as the launcher leaves them.
        for file in [*headers_of(source), *(f for f in kept.rglob("*") if f.is_file())]:
            text = re.sub(r'#include "(?:headers/\d+|\.\./\.\.)/', '#include "', file.read_text())
            (target / file.name).write_text(text)
    return target / source.name, []


class Counts:
    """Verdicts and reasons over all arrays, and the verdicts per shape."""

    def __init__(self):
        self.verdicts, self.shapes = collections.Counter(), collections.defaultdict(
            collections.Counter)
        self.cases = self.moved_cases = self.dynamic = 0

    def add(self, arrays, programs):
        shapes = {(str(p.case.seed), name): found
                  for p in programs for name, found in p.case.shapes_of.items()}
        moved = set()
        for array in arrays:
            self.verdicts[array["verdict"], array["reason"]] += 1
            self.dynamic += array.get("storage") == "dynamic"
            seed = seed_of(array)
            if not seed:
                continue
            if array["verdict"] in ("stripe", "slot", "split", "bits", "constant"):
                moved.add(seed)
            for shape in shapes.get((seed, array["name"]), ()):
                self.shapes[shape][array["verdict"]] += 1
        self.cases += len(programs)
        self.moved_cases += len(moved)

    def too_few(self, wanted):
        """What is missing to `{verdict: least number of arrays}`, as lines.
        Those whose storage launches bring count as "dynamic", too."""
        found = collections.Counter(dynamic=self.dynamic)
        for (verdict, _), count in self.verdicts.items():
            found[verdict] += count
        return [f"only {found[verdict]} arrays are {verdict}, {least} expected"
                for verdict, least in wanted.items() if found[verdict] < least]

    def text(self, with_shapes):
        total = sum(self.verdicts.values())
        lines = [f"{total} arrays of {self.cases} cases; something moves in "
                 f"{self.moved_cases} cases; launches bring the storage of {self.dynamic}"]
        lines += [f"{count:7} {verdict:10} {reason}"
                  for (verdict, reason), count in sorted(self.verdicts.items(),
                                                         key=lambda item: -item[1])]
        if with_shapes:
            kinds = ["stripe", "slot", "split", "bits", "constant", "registers", "unchanged", "unsupported"]
            lines += ["", "verdicts of the arrays that are used in a shape:",
                      f"{'':28}" + "".join(f"{kind:>10}" for kind in kinds)]
            lines += [f"{shape:28}" + "".join(f"{counts[kind]:10}" for kind in kinds)
                      for shape, counts in sorted(self.shapes.items())]
        return "\n".join(lines)
