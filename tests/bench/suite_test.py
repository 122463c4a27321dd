#!/usr/bin/env python3
"""Tests of the survey of a suite: how it reads Makefiles, ptxas and the tool; and of its times.

Usage: suite_test.py BANKSTRIPE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gpu")]

# pylint: disable=wrong-import-position
import suite_commands  # noqa: E402
import suite_prepare  # noqa: E402
import suite_ptxas  # noqa: E402
import suite_table  # noqa: E402
import suite_times  # noqa: E402

TOOL = ""
KERNEL = """
#include "../include/bins.h"
__global__ void count(const unsigned *keys, int *totals) {
  int counts[BINS] = {0};
  for (int i = 0; i < 64; ++i)
    counts[keys[threadIdx.x * 64 + i] & 15]++;
  for (int d = 0; d < BINS; ++d)
    totals[threadIdx.x * BINS + d] = counts[d];
}
void launch(const unsigned *keys, int *totals) { count<<<1, 128>>>(keys, totals); }
"""
MAKEFILE = """main: main.o
\tnvcc -O3 main.o -o main
main.o: main.cu
\tnvcc -arch=$(ARCH) -std=c++14 -DBINS=16 -Xcompiler -Wall -O3 -c main.cu -o main.o
"""


def array(verdict, reason, frame, resident=True):
    return {"verdict": verdict, "reason": reason, "resident": resident, "frames": [frame, 0]}


class Options(unittest.TestCase):
    def test_tells_its_own_from_the_tools(self):
        for given, own, tools in ((["a", "--", "b", "--"], ["a"], ["b", "--"]),
                                  (["a"], ["a"], []), (["--"], [], [])):
            self.assertEqual(suite_commands.split_arguments(given), (own, tools))

    def test_keeps_what_device_code_sees(self):
        kept, inputs, _ = suite_commands.read_options(
            "-O3 -g -Iinc -I ../include -DN=4 -D M -Xcompiler -fopenmp -Xcompiler -Wall -dc a.cu "
            "-maxrregcount 32 --use_fast_math -arch=sm_60 -o a.o -lcublas".split())
        self.assertEqual(kept, ["-std=c++17", "-Iinc", "-I../include", "-DN=4", "-DM",
                                "-Xcompiler=-fopenmp", "-rdc=true", "-maxrregcount=32",
                                "-use_fast_math"])
        self.assertEqual(inputs, ["a.cu"])

    def test_raises_an_old_standard_only(self):
        for given, expected in (("c++14", "c++17"), ("gnu++11", "c++17"), ("c++20", "c++20"),
                                ("c++98", "c++17"), ("c99", "c++17")):
            self.assertEqual(suite_commands.read_options([f"-std={given}"])[0][0],
                             f"-std={expected}")


class Reports(unittest.TestCase):
    def test_reads_frames_of_kernels_and_functions(self):
        text = ("ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'\n"
                "ptxas info    : Function properties for _Z1kPi\n"
                "    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Function properties for _Z1fPi\n"
                "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n")
        self.assertEqual(suite_ptxas.read_report(text), {"_Z1kPi": 64, "_Z1fPi": 8})

    def test_takes_the_largest_frame_of_all_instances(self):
        frames = suite_ptxas.largest_frames([{"frames": {"_Z1kIiEvPT_": 8, "_Z1kIdEvPT_": 32}}])
        self.assertEqual(frames, {"k": 32})

    def test_plain_names_leave_out_what_compilers_spell_differently(self):
        for name in ("void n::k<int, (bool)1>(int*)", "n::(anonymous namespace)::k", "n::k",
                     "n::_INTERNAL_0a1b2c_4_a_cu_d::k(float const*)"):
            self.assertEqual(suite_ptxas.plain_name(name), "n::k")


class Shares(unittest.TestCase):
    def test_every_program_has_the_same_weight(self):
        few = {"arrays": [array("slot", "x", 8)]}
        many = {"arrays": [array("unsupported", "x", 8)] * 3 + [array("unchanged", "over-budget", 8)]}
        self.assertEqual(suite_table.share([few, many]), (0.625, 2))

    def test_only_arrays_that_both_compilers_leave_in_memory_count(self):
        programs = [{"arrays": [array("unsupported", "x", 0), array("registers", "x", 8, False),
                                array("unchanged", "block-size-unknown", 8)]}]
        self.assertEqual(suite_table.share(programs), (0.0, 1))


class Times(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pack(self, form, text):
        """Where a form of the program `count` has such a file."""
        file = self.folder / form / "changed/count/main.cu"
        file.parent.mkdir(parents=True)
        file.write_text(text)
        return self.folder / form

    def test_compares_medians_and_takes_the_same_files_for_one_form(self):
        program = suite_times.Program("count")
        for form, text in (("stripe", "a"), ("slot", "b"), ("default", "a")):
            program.add(form, self.pack(form, text), {"kernels": ["count<int>"]})
        program.times = {"original": {"count": [4e6, 6e6, 9e6]}, "stripe": {"count": [3e6]},
                         "slot": {"count": [8e6]}}
        self.assertEqual(program.forms(), ["original", "stripe", "slot"])
        row = suite_times.table([program], ["stripe", "slot", "default", "other"])[1]
        self.assertEqual(row.split(), ["count", "count", "6.000", "2.000", "0.750", "2.000", "as",
                                       "it", "is"])

    def test_names_what_did_not_run(self):
        program = suite_times.Program("count")
        program.problems["original"] = "takes too long"
        self.assertEqual(suite_times.table([program], ["stripe"])[1].split(),
                         ["count", "takes", "too", "long"])


# Stands for the recorder, too: it writes the recording that a program would be given.
PROGRAM = """#!/bin/sh
[ -z "$BANKSTRIPE_REQUEST" ] || touch "$(cut -d'"' -f4 "$BANKSTRIPE_REQUEST")"
echo "$1 launches in 0.5 s"
"""
VERIFY = """#!/bin/sh
for given; do
  case $given in --json=*) echo '{"verdict": "identical"}' > "${given#--json=}" ;; esac
done
"""
PRINT = """#!/bin/sh
echo '{"type": "launch", "kernel": "count", "digested": true, "nanoseconds": 0}'
echo '{"type": "execution", "kernel": "count", "digested": false, "nanoseconds": 2000000}'
echo '{"type": "allocation", "madeBefore": 0, "bytes": 2000000000}'
"""


class Packs(unittest.TestCase):
    """What is done with a pack, without a GPU."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        pack = self.folder / "pack"
        for path, text in (("original/count/program", PROGRAM),
                           ("changed/count/count/program", PROGRAM + "# changed\n"),
                           ("build/count.sh", "cp program main && chmod +x main\n"),
                           ("bin/bankstripe-verify", VERIFY), ("bin/print_recording", PRINT),
                           ("programs.json", json.dumps([
                               {"name": "count", "arguments": ["3"], "folders": ["count"],
                                "kernels": ["count"]}]))):
            (pack / path).parent.mkdir(parents=True, exist_ok=True)
            (pack / path).write_text(text)
        for program in (pack / "bin").iterdir():
            program.chmod(0o755)

    def run_script(self, name, *operands):
        subprocess.run([sys.executable, str(HERE.parent / "gpu" / name), "--runs=2", *operands],
                       cwd=self.folder, capture_output=True, check=True)

    def test_programs_are_timed_and_compared(self):
        self.run_script("suite_times.py", "out", "moved=pack")
        row = (self.folder / "out/times.txt").read_text().splitlines()[1]
        self.assertEqual(row.split(), ["count", "count", "2.000", "1.000", "moved", "identical"])

    def test_programs_are_recorded_in_turns(self):
        self.run_script("suite_record.py", "pack", "out")
        result, = json.loads((self.folder / "out/results.json").read_text())
        self.assertEqual([len(times) for times in result["seconds"].values()], [2, 2, 0, 2, 0])
        self.assertEqual([result[name] for name in ("launches", "digested", "bytes", "same",
                                                    "verdict", "compared-with")],
                         [1, 1, 2000000000, True, "identical", "rewritten"])


class WholeSuite(unittest.TestCase):
    def test_surveys_and_remembers(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for path, text in (("src/count/main.cu", KERNEL), ("src/count/Makefile", MAKEFILE),
                               ("src/include/bins.h", "#pragma once\n")):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            command = [sys.executable, str(pathlib.Path(__file__).with_name("survey.py")),
                       f"--cache={root}/cache", f"--json={root}/result.json",
                       f"--table={root}/table.md", TOOL, f"{root}/src/count",
                       "--", "--no-confirm"]
            for _ in range(2):
                printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                self.assertIn("verdicts: stripe 1\n", printed)
            program = json.loads((root / "result.json").read_text())["programs"][0]
            self.assertEqual(program["changed"], ["bankstripe.cuh", "count/main.cu"])
            self.assertIn("| count | counts | `int[16]` | `count` | stripe |",
                          (root / "table.md").read_text())
            self.assertEqual(len(list((root / "cache/scan").iterdir())), 1)
            self.assertEqual((root / "src/count/main.cu").read_text(), KERNEL)


class Frames(unittest.TestCase):
    def test_hold_the_arrays_in_local_memory(self):
        kernel = {"name": "k", "ptxasBefore": {"stackFrame": 40, "spillStores": 0, "spillLoads": 0},
                  "unnamedFrameBytes": 0}
        array = {"name": "a", "kernels": ["k"], "place": {"line": 2}, "residency": "local memory",
                 "residencySource": "ptxas", "reason": "not-profitable"}

        def wrong(array=array, **of_kernel):
            with tempfile.TemporaryDirectory() as scratch:
                report = pathlib.Path(scratch) / "report.json"
                report.write_text(json.dumps({"arrays": [array], "kernels": [kernel | of_kernel]}))
                done = subprocess.run([sys.executable, str(HERE / "check_frames.py"), str(report)],
                                      capture_output=True, text=True)
                lines = done.stdout.splitlines()
                self.assertEqual(done.returncode, len(lines) > 1)
                return [line.split(": ", 1)[1] for line in lines[:-1]]
        self.assertEqual(wrong(), [])
        self.assertEqual(wrong(array | {"residency": "registers"}, unnamedFrameBytes=40), [])
        self.assertEqual(wrong(array | {"reason": "stack-frame-kept"}),
                         ["a: local memory, and the frame stayed"])
        self.assertEqual(wrong(ptxasBefore=kernel["ptxasBefore"] | {"stackFrame": 0}),
                         ["a: local memory without a frame"])


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
