#!/usr/bin/env python3
"""Wrong rewrites of all test inputs: are they caught, and located? Needs a GPU.

    wrong_rewrites.py [OPTION...] PAIRS OUTPUT

PAIRS is what prepare.sh made. Of the right rewrite of each program in it come three wrong ones, by
spoiling the helper (for objects, the source):

    index         what an index above 0 asks for is one element too early; in a slot, where indices
                  stay as they were, a thread above 0 takes the slot before its own
    initialiser   none is carried over
    stride        31 columns instead of 32 from an element to the next, so that lanes 0 and 31 of a
                  warp meet; slots one unit too short, so that neighbours meet; a bit takes its
                  neighbour along

What really differs is known from memory_dump.cpp, which writes all device memory after each launch
and has nothing in common with the recorder. Then bankstripe-verify runs twice: with digests after
every launch (--all), and with digests after few launches (--first=1), so that it has to search.
Each time it has to say `differs`, at the first launch that really differs, and to name the first
byte, and the first 32-bit element with both values, of an allocation that differs there.
Where the launch fails instead, the launch has to be right.
Lanes that share memory race, and memory that nothing initialises holds what other programs left.
Where several dumps of a wrong program show that it does not reproduce itself, launch and allocation
have to be those of one of them, and the first byte need not; with --at-once=1 few programs vary.

A wrong rewrite that changes nothing has to be identical, for one of two reasons: the program has
nothing that this mistake could spoil (no initialiser, or no helper), or NO_EFFECT says why.
Anything else is a failure.

OUTPUT then holds table.txt, results.json and the verifier's reports. Exit status: 0 all is as it
should be, 1 something is not, 2 bad usage.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import suite

HERE = pathlib.Path(__file__).resolve().parent
HELPER_SOURCE = HERE.parents[1] / "runtime/device/bankstripe.cuh"
# For each mistake, what is replaced in the helper.
MISTAKES = {
    "index": [
        ("detail::number(steps) * target::rows",
         "(detail::number(steps) - (detail::number(steps) > 0)) * target::rows"),
        ("Unit *unit = further(first, index);", "Unit *unit = further(first, index - (index > 0));"),
        ("all[thread()]", "all[thread() - (thread() > 0)]"),
        ("all[lane()]", "all[lane() - (lane() > 0)]"),
        ("return detail::further(first, index * inner::elements);",
         "return detail::further(first, (index - (index > 0)) * inner::elements);"),
        ("place.position += static_cast<int>(steps);",
         "place.position += static_cast<int>(steps - (steps > 0));"),
        ("at.rest + (at.position - First);", "at.rest + (at.position - First - (at.position > First));"),
    ],
    "initialiser": [
        ("detail::cleared<typename planes::unit>::in(*detail::further(first, row));", "(void)first;"),
        ("  listed<Plane>::assign(units, values);", "  (void)units, (void)values;"),
        ("detail::cleared<Type[Extent]>::in(array);", "(void)array;"),
        ("detail::assign(array, values);", "(void)array, (void)values;"),
        ("BANKSTRIPE_ANYWHERE bits() : value(0) {}", "BANKSTRIPE_ANYWHERE bits() : value(7) {}"),
        ("all{first()} = values;", "(void)values;"),
        ("    array[position] = values[position];\n}\n#endif",
         "    (void)array, (void)values;\n}\n#endif"),
    ],
    "stride": [
        ("return ((Unit(*)[32])unit)[rows];", "return ((Unit(*)[31])unit)[rows];"),
        ("unsigned char bytes[(used + spare) * unit];",
         "unsigned char bytes[(used > 1 ? used - 1 : 1) * unit];"),
        ("detail::slot<Type, Alignment> all[Threads];",
         "detail::slot<Type, Alignment> all[Threads + 1];"),
        ("& static_cast<Word>(1) << position;", "& static_cast<Word>(3) << position;"),
    ],
}
# How the helper and an initialiser look in a rewritten source.
HELPER = re.compile(r'#include "[^"]*bankstripe\.cuh"')
INITIALISER = re.compile(r"bankstripe::(clear|initialize)(_slot)?\b|bankstripe::place\(|bankstripe::bits<")
# Objects that are made in their slot, and what is left of that without their constructor.
OBJECTS = ((re.compile(r"(&\w+ = )\*::new \(::bankstripe::place\((\w+)\)\) [^;]*;"), r"\1\2.mine();"),
           (re.compile(r"^ *::new \(::bankstripe::place\(\w+\)\) [^;]*;", re.MULTILINE), ""))
# Mistakes that are made and change no result, and why.
NO_EFFECT = {
    "beyond/launch_beyond initialiser":
        "all 200 blocks run at once, and find shared memory that nobody has used, which was zero",
}
# How often a wrong program is run to know what it does, where it may not reproduce itself.
DUMPS = 6
# The two ways in which the verifier looks.
WAYS = {"all": ["--all"], "search": ["--first=1"]}


class Case:
    """A program with one mistake."""

    def __init__(self, name, mistake):
        self.name, self.mistake = name, mistake
        self.problems = []
        self.outcome, self.truth, self.found = "", {}, {}
        self.truths = []  # Of several runs, where one does not explain what was found.
        self.varies = None  # Nobody asked.

    def flat(self):
        return f"{self.name.replace('/', '-')}.{self.mistake}"

    def wrong(self, text):
        self.problems.append(text)


def texts_of(tree):
    """All sources of a tree, without the helpers."""
    return [path for path in tree.rglob("*") if path.is_file() and path.name != "bankstripe.cuh"]


def whole_text(header):
    """The header with what it includes."""
    return re.sub(r'#include "(.*)"\n', lambda line: whole_text(header.parent / line[1]), header.read_text())


def spoil(tree, mistake):
    for helper in tree.rglob("bankstripe.cuh"):
        text = whole_text(HELPER_SOURCE)
        for right, wrong in MISTAKES[mistake]:
            if right not in text:
                sys.exit(f"wrong_rewrites: the helper has no {right!r}")
            text = text.replace(right, wrong)
        helper.write_text(text)
    if mistake == "initialiser":
        for path in texts_of(tree):
            text = path.read_bytes().decode("latin-1")
            for pattern, rest in OBJECTS:
                text = pattern.sub(rest, text)
            path.write_bytes(text.encode("latin-1"))


def can_be_made(pairs, name, mistake):
    """Whether the program, or a header that was rewritten for it, has something to spoil."""
    source = pairs / "rewritten" / f"{name}.cu"
    text = source.read_bytes().decode("latin-1")
    for header in re.findall(r'#include "(?!bankstripe)([^"]+)"', text):
        if (source.parent / header).exists():
            text += (source.parent / header).read_bytes().decode("latin-1")
    return bool((INITIALISER if mistake == "initialiser" else HELPER).search(text))


class Memory:
    """A dump, read launch by launch."""

    def __init__(self, file):
        self.file = file
        self.now = {}
        self.launches = self.failed = None
        self.next = self.header()

    def header(self):
        line = self.file.readline()
        # The time limit may cut a dump off anywhere.
        words = line.split() if line.endswith(b"\n") else []
        if words and words[0] == b"launches":
            self.launches = int(words[1])
        elif b"fails" in words:
            self.failed = int(words[1])
        if self.launches is not None or self.failed is not None or not words:
            return None
        return {"launch": int(words[1]), "allocation": int(words[3]), "bytes": int(words[5])}

    def after(self, launch):
        """Which allocations changed, after all launches up to this one."""
        changed = set()
        while self.next and self.next["launch"] <= launch:
            self.now[self.next["allocation"]] = self.file.read(self.next["bytes"])
            changed.add(self.next["allocation"])
            self.next = self.header()
        return changed

    def was_cut_off(self):
        """Whether it ends before its program did."""
        return self.next is None and self.launches is None and self.failed is None


def first_byte(one, other):
    """Where two pieces of memory begin to differ."""
    low, high = 0, len(one)
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] != other[low:middle]:
            high = middle
        else:
            low = middle
    return low


def how_many_differ(one, other):
    both = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    return len(one) - both.to_bytes(len(one), "little").count(0)


def truth(original, wrong):
    """The first launch after which memory differs, and by allocation the first byte."""
    with original.open("rb") as left, wrong.open("rb") as right:
        return first_difference(Memory(left), Memory(right))


def first_difference(left, right):
    launch = 0
    while left.next or right.next:
        changed = left.after(launch) | right.after(launch)
        if right.failed == launch and not right.next:
            return {"launch": launch, "fails": True}
        differing = {}
        for number in changed:
            one, other = left.now.get(number), right.now.get(number)
            if one is None or other is None or len(one) != len(other):
                return {"launch": launch, "problem": f"allocation {number} is not in both dumps"}
            if one != other:
                at = first_byte(one, other)
                word = at // 4 * 4
                differing[number] = {
                    "byte": at, "element": at // 4,
                    "bytes": how_many_differ(one, other),
                    "original": int.from_bytes(one[word:word + 4], "little", signed=True),
                    "rewritten": int.from_bytes(other[word:word + 4], "little", signed=True)}
        if differing:
            return {"launch": launch, "allocations": differing}
        if left.was_cut_off() or right.was_cut_off():
            return {"launch": launch, "problem": "one of the programs did not end"}
        launch += 1
    if right.failed is not None and left.launches is not None:
        return {"launch": right.failed, "fails": True}
    if left.launches is None or left.launches != right.launches:
        return {"launch": launch, "problem": "one of the programs did not end"}
    return {}


class Check:
    def __init__(self, given, work):
        self.given, self.work = given, work
        self.bin = given.bin or work / "bin"
        self.names = (given.pairs / "changed").read_text().split()
        self.cases = [Case(name, mistake) for name in self.names for mistake in MISTAKES]

    def trees(self):
        """The spoiled trees."""
        for mistake in MISTAKES:
            shutil.copytree(self.given.pairs / "rewritten", self.work / mistake)
            spoil(self.work / mistake, mistake)

    def program(self, form, name):
        return self.bin / form / name

    def build(self, form, name):
        """Whether it is there, or can be built."""
        program = self.program(form, name)
        if program.exists():
            return True
        program.parent.mkdir(parents=True, exist_ok=True)
        tree = self.given.pairs / form if form == "original" else self.work / form
        done = subprocess.run(["nvcc", "-O3", "-std=c++17", f"-arch={self.given.arch}",
                               "-o", program, tree / f"{name}.cu"],
                              capture_output=True, text=True, check=False)
        (self.given.output / f"build-{form}-{name.replace('/', '-')}.txt").write_text(
            done.stdout + done.stderr)
        return done.returncode == 0

    def build_all(self):
        """What does not build."""
        self.bin.mkdir(parents=True, exist_ok=True)
        library = self.bin / "libmemory_dump.so"
        if not library.exists():
            toolkit = pathlib.Path(shutil.which("nvcc")).resolve().parent.parent
            subprocess.run(["nvcc", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-o", library,
                            HERE / "memory_dump.cpp", "-lcupti", f"-L{toolkit}/lib64/stubs",
                            "-lcuda"], check=True)
        jobs = [("original", name) for name in self.names]
        jobs += [(c.mistake, c.name) for c in self.cases
                 if can_be_made(self.given.pairs, c.name, c.mistake)]
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            built = list(pool.map(lambda job: self.build(*job), jobs))
        return [f"{form}/{name}" for (form, name), is_built in zip(jobs, built) if not is_built]

    def dump(self, form, name, number=0):
        path = self.work / f"{form}-{name.replace('/', '-')}.{number}.dump"
        if not path.exists():
            environment = {**os.environ, "MEMORY_DUMP": str(path),
                           "CUDA_INJECTION64_PATH": str((self.bin / "libmemory_dump.so").resolve())}
            suite.run([self.program(form, name).resolve()], 20, [], env=environment)
        return path

    def verify(self, case, way):
        """The verifier's result."""
        report = self.given.output / f"{case.flat()}.{way}.json"
        command = [self.given.verify, "--runs=0", "--timeout=20", *WAYS[way],
                   f"--json={report}",
                   self.program("original", case.name).resolve(),
                   self.program(case.mistake, case.name).resolve()]
        log = []
        suite.run(command, 200, log)
        report.with_suffix(".txt").write_text("\n".join(log))
        return json.loads(report.read_text()) if report.exists() else {"verdict": "no result"}

    def truths(self, case):
        """What is true in each of several runs of the wrong program."""
        original = self.dump("original", case.name)
        if len(case.truths) == 1:
            case.truths += [truth(original, self.dump(case.mistake, case.name, number))
                            for number in range(1, DUMPS)]
        return case.truths

    def varies(self, case):
        """Whether the wrong program first leaves something else in a further run."""
        if case.varies is None:
            # What comes after the first difference is not asked about, and a dump that was cut off
            # tells nothing.
            case.varies = any(true != case.truth for true in self.truths(case)
                              if "problem" not in true)
        return case.varies

    def judge(self, case, way, result):
        """Compares what the verifier found with what is true."""
        if not case.truth:
            if result["verdict"] != "identical":
                case.wrong(f"{way}: {result['verdict']}, though nothing differs")
            return
        difference = result.get("difference") or {}
        case.found[way] = {
            "launch": difference.get("launch"), "allocation": difference.get("allocation"),
            "byte": (difference.get("firstByte") or {}).get("offset"),
            "rounds": (difference.get("located") or {}).get("rounds")}
        problem = self.problem(case, case.truth, result)
        # In the verifier's runs it may have been as in another one of the dumps.
        if problem and not (self.varies(case) and any(
                not self.problem(case, true, result) for true in case.truths)):
            case.wrong(f"{way}: {problem}")

    def problem(self, case, true, result):
        """Why the result is not what is true of a run; an empty text if it is."""
        if "problem" in true:
            return true["problem"]
        difference = result.get("difference") or {}
        kind = "launch-error" if true.get("fails") else "contents"
        if result["verdict"] != "differs" or difference.get("kind") != kind:
            return f"{result['verdict']}, {difference.get('kind')}"
        if difference.get("launch") != true.get("launch"):
            return f"launch {difference.get('launch')} is not {true.get('launch')}"
        if not (difference.get("located") or {"exactly": True}).get("exactly", True):
            return "the launch is not known exactly"
        return "" if true.get("fails") else self.wrong_place(case, true, difference)

    def wrong_place(self, case, true, difference):
        """Why the place in memory is not the one that differs, of a program that varies: the
        allocation."""
        truly = true["allocations"].get(difference.get("allocation"))
        if truly is None:
            return f"allocation {difference.get('allocation')} does not differ"
        byte = (difference.get("firstByte") or {}).get("offset")
        element = (difference.get("firstElements") or [{}])[0]
        is_right = byte == truly["byte"] and element.get("index") == truly["element"] and [
            element.get(form) for form in ("original", "rewritten")] == [
                str(truly[form]) for form in ("original", "rewritten")]
        return "" if is_right or (byte is not None and self.varies(case)) else (
            f"byte {byte}, element {element} instead of {truly}")

    def run(self, case):
        key = f"{case.name} {case.mistake}"
        if not can_be_made(self.given.pairs, case.name, case.mistake):
            case.outcome = "nothing to spoil"
            return
        case.truth = truth(self.dump("original", case.name), self.dump(case.mistake, case.name))
        case.truths = [case.truth]
        if "problem" in case.truth:
            case.wrong(case.truth["problem"])
            return
        if not case.truth and key not in NO_EFFECT:
            case.wrong("changes nothing, and nobody said why")
        if case.truth and key in NO_EFFECT:
            case.wrong("has an effect, though NO_EFFECT says otherwise")
        for way in WAYS:
            self.judge(case, way, self.verify(case, way))
        case.outcome = "caught" if case.truth else f"no effect: {NO_EFFECT.get(key)}"
        if case.truth.get("fails"):
            case.outcome += " (the launch fails)"
        if case.varies:
            case.outcome += " (it varies)"

    def run_program(self, name):
        """The cases of one program, one after the other: they share runs of the original."""
        for case in self.cases:
            if case.name == name:
                self.run(case)
                print("\n".join(rows([case])), flush=True)
        for path in self.work.glob(f"*-{name.replace('/', '-')}.*.dump"):
            path.unlink()


ROW = "{:22} {:11} {:>6} {:>6} {:>10} {:>9} {:>6} {:>8}  {}"
HEADING = ROW.format("program", "mistake", "launch", "alloc", "first byte", "differing", "all",
                     "search", "outcome")


def rows(cases):
    """A line for each case: what is true, and whether the verifier said so, each way."""
    lines = []
    for case in cases:
        allocation = case.found.get("all", {}).get("allocation")
        place = case.truth.get("allocations", {}).get(allocation, {})
        agrees = {way: "" if way not in case.found else
                  "wrong" if any(p.startswith(f"{way}:") for p in case.problems) else "right"
                  for way in WAYS}
        rounds = case.found.get("search", {}).get("rounds")
        lines.append(ROW.format(
            case.name, case.mistake, case.truth.get("launch", ""),
            "" if allocation is None else allocation, place.get("byte", ""), place.get("bytes", ""),
            agrees["all"], agrees["search"] + (f" {rounds}" if rounds else ""),
            "; ".join(filter(None, [case.outcome, *case.problems]))).rstrip())
    return lines


def table(cases):
    caught = sum(c.outcome.startswith("caught") and not c.problems for c in cases)
    return [HEADING, *rows(cases), "",
            f"{caught} of {len(cases)} wrong rewrites are caught and located; "
            f"{sum(c.outcome == 'nothing to spoil' for c in cases)} cannot be made, "
            f"{sum(c.outcome.startswith('no effect') for c in cases)} have no effect, "
            f"{sum(bool(c.problems) for c in cases)} problems"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pairs", type=pathlib.Path, metavar="PAIRS")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT")
    parser.add_argument("--verify", type=pathlib.Path,
                        default=HERE.parent.parent / "build-runtime/bin/bankstripe-verify")
    parser.add_argument("--bin", type=pathlib.Path, help="keep programs here; those there are not "
                        "built again")
    parser.add_argument("--build-only", action="store_true", help="for a machine without a GPU")
    parser.add_argument("--arch", default="native", help="to compile for")
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-once", type=int, default=6, help="programs that run at a time")
    given = parser.parse_args()
    given.verify = given.verify.resolve()
    if not (given.pairs / "changed").exists():
        parser.error(f"{given.pairs} is not what prepare.sh makes")
    if not given.build_only and not os.access(given.verify, os.X_OK):
        parser.error(f"there is no {given.verify}")
    return given


def main():
    given = parse()
    started = time.time()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        check = Check(given, pathlib.Path(name))
        if given.only:
            check.names = [n for n in check.names if n in given.only.split(",")]
            check.cases = [c for c in check.cases if c.name in check.names]
        check.trees()
        failures = check.build_all()
        print(f"built in {time.time() - started:.0f} s", flush=True)
        if failures or given.build_only:
            print("\n".join(f"{failure} does not build" for failure in failures))
            return 1 if failures else 0
        with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
            list(pool.map(check.run_program, check.names))
    lines = [*table(check.cases), f"{time.time() - started:.0f} s"]
    print("\n".join(lines))
    (given.output / "table.txt").write_text("\n".join(lines) + "\n")
    (given.output / "results.json").write_text(json.dumps(
        [{"program": c.name, "mistake": c.mistake, "outcome": c.outcome, "truth": c.truth,
          "truths": c.truths[1:], "varies": c.varies, "found": c.found, "problems": c.problems}
         for c in check.cases], indent=1) + "\n")
    return 1 if any(c.problems for c in check.cases) else 0


if __name__ == "__main__":
    sys.exit(main())
