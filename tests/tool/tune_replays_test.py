"""Tuning by replays of launches, with a program whose times are known and no GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from programs import BUILD, GAINS, LOSES, TuneTest
from support import DONE, TOOL, ends, find_nvcc, moves

# What is tried does not depend on which of them is measured first: carveouts are tried with what is
# within 5 % of the fastest.
CLOSE = {"keep": 100, "stripe": 50, "slot": 52}

# A kernel, and the function of another file that has the array.
CALLS = """__device__ int weigh(int digit);
__global__ void count(const int *in, int *out) {
  out[threadIdx.x] = weigh(in[threadIdx.x]);
}
void run(const int *in, int *out) { count<<<1, 96>>>(in, out); }
"""
CALLED = """__device__ int weigh(int digit) {
  int table[8];
  for (int i = 0; i < 8; ++i)
    table[i] = digit * i;
  table[digit & 7] += 3;
  return table[digit >> 3 & 7];
}
"""


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class Replayed(TuneTest):
    """Kernels are measured alone; the program is only run to see and to confirm."""

    def tune(self, times, *args, in_program=None, refused="nothing like it", build=BUILD,
             **replay):
        self.fake_replay(times, **replay)
        if not (self.folder / "kit").exists():
            self.fake_toolkit(refused)
        return super().tune(in_program or times, "--cuda-path=kit", *args, build=build,
                            replays=True)

    def attempts(self, done):
        group, = json.loads(self.expect(DONE, done).stdout)["groups"]
        return group, {a["name"]: a["speedup"] for a in group["attempts"]}

    def test_the_program_is_compared_once(self):
        done = self.expect(DONE, self.tune(GAINS))
        self.assertEqual(self.calls(), 1)
        self.assertIn("* stripes ", done.stdout)
        self.assertIn("in the program, with the best of all kernels: 2.00x", done.stdout)
        self.assertIn("decision:        stripe", self.decisions())
        behind_launcher = "may make versions of these kernels instead: for it, tune with --versions\n"
        self.assertIn(behind_launcher, done.stdout)
        self.assertNotIn(behind_launcher, self.expect(DONE, self.tune(GAINS, "--versions")).stdout)

    def test_a_log_tells_what_it_waits_for(self):
        done = self.expect(DONE, self.tune(GAINS))
        waits = re.findall("bankstripe: ((?:tuning|running|building).*)", done.stderr)
        self.assertEqual(waits, [
            "tuning for 120 s, or 150 s with the last comparison; --time=0 tries all, and what is "
            "best so far is written on Ctrl-C",
            "running the program to see what it launches",
            "building and running the program with the best of each kernel"])
        self.assertIn("trying count, as it is\n", self.tune(GAINS, "--verbose").stderr)
        self.assertEqual(self.tune(GAINS, "--quiet").stderr, "")

    def test_nothing_is_run_again_where_nothing_gains(self):
        self.expect(DONE, self.tune(LOSES))
        self.assertFalse((self.folder / "calls").exists())
        self.assertIn("decision:        keep", self.decisions())

    def test_the_page_agrees_with_the_table(self):
        done = self.expect(DONE, self.tune(GAINS, "--html=page.html", failing=("slot",)))
        data = re.search('id="data">(.*?)</script>', self.read("page.html"), re.S)[1]
        group, = json.loads(data)["tune"]["groups"]
        rows = [("* " if a["name"] == group["best"] else "  ", a["name"],
                 f"{a['speedup']:.2f}x" if a["speedup"] else a["standing"])
                for a in group["attempts"]]
        table = re.findall(r"^  ([* ] )(\S.*?) +(\d\.\d\dx|fails.*)$",
                           done.stdout.replace(" (the default)", ""), re.M)
        self.assertEqual(rows, table)
        best, = (a for a in group["attempts"] if a["name"] == "stripes")
        self.assertAlmostEqual(best["speedupInterval"][0], 1.98)
        self.assertEqual(best["resources"][0]["registers"], 40)

    def test_carveouts_need_no_compile(self):
        group, attempts = self.attempts(self.tune(GAINS, "--format=json", "--time=0",
                                                  factors={"30": 0.5}))
        self.assertEqual(group["best"], "stripes, carveout 30")
        self.assertEqual(attempts["stripes, carveout 30"], 4)
        # The original, stripes, slots, and a split of the eight elements.
        self.assertEqual(len(self.read("compiled").splitlines()), 4)

    def replayed(self, *args, digest="1", **fake):
        """What is replayed by a run of the same programs."""
        (self.folder / "replayed").unlink(missing_ok=True)
        self.expect(DONE, TuneTest.tune(self, CLOSE, "--cuda-path=kit", "--time=0", *args,
                                        replays=True, digest=digest, **fake))
        log = self.folder / "replayed"
        return sorted(log.read_text().split()) if log.exists() else []

    def test_what_was_measured_is_not_measured_again(self):
        self.fake_replay(CLOSE)
        self.fake_toolkit()
        first = self.replayed()
        self.assertGreater(len(first), 4)
        self.assertEqual(self.replayed(), [])
        done = self.expect(DONE, TuneTest.tune(self, CLOSE, "--cuda-path=kit", "--time=0",
                                               replays=True, digest="1"))
        self.assertIn(f": 0 replays and {len(first)} known from before, 1 whole", done.stdout)
        self.assertIn("* stripes (the default)            2.00x", done.stdout)
        self.assertEqual(self.replayed("--no-cache"), first)

    def test_what_was_stopped_early_is_told_also_where_it_is_known_from_before(self):
        self.fake_replay(LOSES)
        self.fake_toolkit()
        for is_known in (False, True):
            done = TuneTest.tune(self, LOSES, "--cuda-path=kit", "--format=json", replays=True,
                                 digest="1")
            result = json.loads(self.expect(DONE, done).stdout)
            self.assertEqual(result["replays"] == 0, is_known)
            stripes, = (a for a in result["groups"][0]["attempts"] if a["name"] == "stripes")
            self.assertTrue(stripes["standing"].startswith("stopped early"), stripes)

    def test_what_differs_is_measured_anew(self):
        self.fake_replay(CLOSE)
        self.fake_toolkit()
        first = self.replayed()
        self.assertEqual(self.replayed(digest="2"), first)
        self.assertEqual(self.replayed(device="Another GPU"), first)
        driver = self.write("driver/libcuda.so.1", "")
        driver.write_bytes((pathlib.Path(self.driver) / "libcuda.so.1").read_bytes())
        self.driver = str(driver.parent)
        self.assertEqual(self.replayed(), first)
        self.assertEqual(self.replayed(), [])
        self.write("a.cu", moves().replace("[8]", "[9]"))
        self.assertNotEqual(self.replayed(), [])

    def test_an_interrupted_run_writes_what_is_best_and_goes_on(self):
        self.fake_replay(GAINS)
        self.fake_toolkit()
        self.write("hang", "")
        scratch = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, scratch)
        verify = self.fake_verify(GAINS, replays=True, digest="1")
        with subprocess.Popen(
                [TOOL, "tune", "--no-confirm", f"--verify-program={verify}", f"--build={BUILD}",
                 "--program=app", "--cuda-path=kit", "--time=0", "a.cu"], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=self.environment(TMPDIR=scratch), text=True) as tool:
            while not (self.folder / "hanging").exists():
                self.assertIsNone(tool.poll())
                time.sleep(0.02)
            tool.send_signal(signal.SIGINT)
            table = tool.communicate(timeout=60)[0]
            self.assertEqual(tool.returncode, -signal.SIGINT)
        self.assertTrue(ends(self.read("hanging")))
        self.assertEqual(os.listdir(scratch), [])
        self.assertEqual(self.read("a.cu"), moves())
        self.assertIn("not tried: ", table)
        self.assertIn("not compared in the program: it was interrupted", table)
        self.assertIn("decision:        stripe", self.decisions())
        before = self.read("replayed").split()
        (self.folder / "hang").unlink()
        self.assertNotIn("keep", self.replayed())
        self.assertIn("keep", before)

    def test_what_is_best_is_written_when_the_time_is_up(self):
        self.write("hang", "")
        self.fake_replay(GAINS)
        self.fake_toolkit()
        done = self.expect(DONE, TuneTest.tune(self, GAINS, "--cuda-path=kit", "--time=5", replays=True, takes=0.5))
        self.assertIn("not tried: ", done.stdout)
        # Some of the time was kept for that.
        self.assertIn("in the program, with the best of all kernels: 2.00x", done.stdout)
        self.assertIn("* stripes", done.stdout)
        self.assertIn("decision:        stripe", self.decisions())

    def confirm_late(self, in_program):
        """A search that would not end, and two timed runs would take longer than half of the time."""
        self.write("hang", "")
        self.fake_replay(GAINS)
        self.fake_toolkit()
        done = self.expect(DONE, TuneTest.tune(self, in_program, "--cuda-path=kit", "--time=8", replays=True, takes=1,
                                               compares=3))
        self.assertIn("not tried: ", done.stdout)
        self.assertIn("--runs=0", self.read("calls").splitlines()[0])
        return done.stdout

    def test_a_comparison_that_has_begun_comes_to_its_end_by_few_runs(self):
        out = self.confirm_late(GAINS)
        self.assertIn("in the program, with the best of all kernels: 2.00x\n", out)
        self.assertIn("all kernels of the program together: 1.83x, by one run of each\n", out)

    def test_what_one_run_condemns_stays_where_there_is_no_time_for_more(self):
        out = self.confirm_late(LOSES)
        self.assertIn("the original stays: what was 2.00x alone is 0.53x in it", out)
        self.assertIn("decision:        keep", self.decisions())

    def test_why_a_version_differs_is_asked(self):
        wrong = {**GAINS, "stripe": -50}
        done = self.expect(DONE, self.tune(wrong, rounding=True))
        self.assertIn("computes something else only in fused multiply-adds, at 2.00x; "
                      "--accept=fmad takes it", done.stdout)
        self.assertIn("* slots", done.stdout)
        done = self.expect(DONE, self.tune(wrong, unstable=True))
        self.assertIn("so does the original at another optimisation level", done.stdout)
        done = self.expect(DONE, self.tune(wrong))
        self.assertRegex(done.stdout, r"(?m)stripes \(the default\) +computes something else$")

    def test_what_differs_by_fusing_can_be_accepted(self):
        done = self.expect(DONE, self.tune({**GAINS, "stripe": -50}, "--accept=fmad",
                                           rounding=True, in_program=GAINS))
        self.assertIn("* stripes", done.stdout)
        self.assertIn("differs in fused multiply-adds", self.decisions())

    def test_a_kernel_that_hardly_counts_is_left(self):
        self.fake_replay(GAINS)
        self.fake_toolkit()
        done = self.expect(DONE, TuneTest.tune(self, GAINS, "--cuda-path=kit", replays=True,
                                               others=100000))
        self.assertIn("not measured: it takes 0.1% of the time of all kernels", done.stdout)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    # The path of its copy would be longer than paths may be.
    def test_a_version_with_a_header_that_cannot_be_copied_is_not_measured(self):
        folder = self.folder
        while (room := 4085 - len(f"{folder}//h.cuh")) > 0:
            folder = folder / ("x" * min(room, 200))
            folder.mkdir()
        (folder / "h.cuh").write_text("inline __device__ int one() { return 1; }\n")
        deep = folder.relative_to(self.folder)
        self.write("a.cu", f'#include "{deep}/h.cuh"\n' + moves())
        self.fake_replay(GAINS)
        self.fake_toolkit()
        verify = self.fake_verify(GAINS, replays=True)
        done = self.expect(DONE, self.run_tool(
            "tune", "--no-confirm", f"--verify-program={verify}", "--cuda-path=kit", "a.cu",
            env=self.environment(TMPDIR="/tmp")))
        self.assertRegex(done.stdout, r"\n +stripes \(the default\) +cannot make folder")
        self.assertIn("decision:        keep", self.decisions())

    def run_program(self, *args, verdict="identical", program="build/app", path="", **fake):
        """A program that is there, with its sources in a compilation database."""
        self.fake_replay(GAINS, verdict=verdict)
        self.fake_toolkit()
        self.write("build/app", "#!/bin/sh\n").chmod(0o755)
        self.write("build/compile_commands.json", json.dumps([{
            "directory": str(self.folder), "file": "a.cu",
            "command": "nvcc -O3 -arch=sm_90 -c a.cu"}]))
        verify = self.fake_verify(GAINS, **fake)
        return self.run_tool("tune", f"--verify-program={verify}", "--cuda-path=kit",
                             "--no-confirm", *args, "--", program, "7",
                             env={**self.environment(), "PATH": f"{path}:{os.environ['PATH']}"})

    def test_a_program_that_is_there_needs_no_build(self):
        self.write("other.cu", "this is of another program\n")
        done = self.expect(DONE, self.run_program(replays=True))
        self.assertIn("* stripes ", done.stdout)
        self.assertIn("not compared in the program, which takes a --build", done.stdout)
        self.assertIn("decision:        stripe", self.decisions())
        self.assertFalse((self.folder / "calls").exists())

    def runs_python_of_the_environment(self, program):
        self.write("venv/bin/kept", "")
        (self.folder / "venv/bin/python").symlink_to("../../build/app")
        (self.folder / "python").mkdir()  # No program, though it is called so.
        done = self.expect(DONE, self.run_program("--verbose", replays=True, program=program,
                                                  path=f"{self.folder}/venv/bin"))
        self.assertIn(f" -- {self.folder}/venv/bin/python 7", done.stderr)

    def test_a_virtual_environment_keeps_its_python(self):
        self.runs_python_of_the_environment("venv/bin/python")

    def test_a_program_is_found_on_path(self):
        self.runs_python_of_the_environment("python")

    def test_of_a_program_the_database_that_is_named_tells_the_sources_wherever_they_are(self):
        self.write("here/kept", "")
        self.expect(DONE, self.run_program("--dry-run", "-p", "build"))
        done = subprocess.run([TOOL, "tune", "--dry-run", "--no-confirm", "--cuda-path=../kit", "-p", "../build", "--",
                               "../build/app"], cwd=self.folder / "here", capture_output=True, text=True,
                              env=self.environment(), check=False)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("capture launches of count", done.stdout)

    def test_what_cannot_be_replayed_needs_a_build(self):
        done = self.expect(DONE, self.run_program())
        self.assertIn("not measured: count: a test; with --build", done.stdout)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    def test_a_dry_run_measures_nothing(self):
        done = self.expect(DONE, self.run_program("--dry-run"))
        self.assertIn("capture launches of count\n  arrays 'last'; to compile", done.stdout)
        self.assertFalse((self.folder / "compiled").exists())

    def link(self, called=CALLED):
        self.write("a.cu", CALLS)
        self.write("c.cu", called)
        self.write("compile_commands.json", json.dumps([{
            "directory": str(self.folder), "file": name,
            "command": f"nvcc -O3 -arch=sm_90 -dc {name}"} for name in ("a.cu", "c.cu")]))
        return self.attempts(self.tune(GAINS, "c.cu", "--format=json",
                                       build=BUILD.replace("a.cu", "a.cu c.cu")))

    def test_functions_of_other_files_are_linked(self):
        group, attempts = self.link()
        self.assertEqual(group["measuredBy"], "replay")
        self.assertEqual(group["best"], "stripes")
        compiled = self.read("compiled").splitlines()
        links = [words.split() for words in compiled if "-dlink" in words]
        self.assertEqual(len(links), sum("carveout" not in name for name in attempts))
        for words in links:
            self.assertEqual(sum(word.endswith(".cubin") for word in words), 1 + 2)
        # The kernel's file has another launch in each version, the original once.
        for name in ("a.cu", "c.cu"):
            pieces = [words for words in compiled if words.endswith("/" + name)]
            self.assertEqual(len(pieces), len(links))
            self.assertTrue(all("-rdc=true" in words for words in pieces))

    def whole(self, why, *args, best="stripes", **how):
        """The whole program is run in each version, for this reason."""
        done = self.expect(DONE, self.tune(GAINS, *args, **how))
        self.assertIn("by runs of the whole program: " + why, done.stdout)
        self.assertGreater(self.calls(), 1)
        self.assertIn("* " + best, done.stdout)

    def test_what_leaves_something_else_each_time_is_compared_in_the_program(self):
        done = self.expect(DONE, self.tune(GAINS, verdict="varies"))
        self.assertIn("\n  each launch leaves something else, so that only the program can be "
                      "compared\n", done.stdout)
        self.assertIn("* stripes", done.stdout)
        self.assertEqual(self.calls(), 1)
        # A stripe that is wrong is found there, and what is right after it.
        self.whole("with what is best alone, ", verdict="varies", best="slots",
                   in_program={**GAINS, "stripe": -50})

    def test_without_a_build_nothing_can_be_compared(self):
        done = self.expect(DONE, self.run_program(replays=True, verdict="varies"))
        self.assertIn("not measured: each launch leaves something else", done.stdout)
        self.assertFalse((self.folder / ".bankstripe.yaml").exists())

    def test_an_original_that_does_not_reproduce_itself(self):
        self.whole("count: launched again, it does not leave", verdict="not reproduced")

    def test_a_file_that_does_not_compile_alone(self):
        self.whole("the original compiled alone: nvcc does not compile", refused="count")

    def test_a_file_that_is_built_in_another_way(self):
        self.whole("compiled alone, the original runs at 1.50x", elsewhere=1.5)

    def test_a_kernel_that_is_not_captured(self):
        done = self.expect(DONE, TuneTest.tune(self, GAINS))
        self.assertIn("by runs of the whole program: count: a test", done.stdout)

    def test_what_does_not_gain_in_the_program_is_measured_there(self):
        done = self.expect(DONE, self.tune(GAINS, in_program=LOSES))
        self.assertIn("by runs of the whole program: what was 2.00x alone is 0.53x in it",
                      done.stdout)
        self.assertIn("decision:        keep", self.decisions())


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class EndedRun(TuneTest):
    """A program that runs longer than the time allows."""

    # A half of what is left by then.
    ENDED = "the run was ended after [01] s; --time=0 runs it whole"
    ENDED_OF_6 = "the run was ended after [23] s; --time=0 runs it whole"

    def ended(self, *args, verdict="identical", replays=True, **fake):
        self.fake_replay(GAINS, verdict=verdict)
        self.fake_toolkit()
        done = self.expect(DONE, super().tune(GAINS, "--cuda-path=kit", *args, replays=replays,
                                              **fake))
        self.assertFalse((self.folder / "calls").exists())
        return done

    def test_what_is_best_alone_is_written(self):
        done = self.ended("--time=6", takes=1000)
        self.assertRegex(done.stderr, f"bankstripe: {self.ENDED_OF_6}")
        self.assertIn("* stripes ", done.stdout)
        self.assertRegex(done.stdout, f"not compared in the program: {self.ENDED_OF_6}")
        self.assertIn("decision:        stripe", self.decisions())

    def test_what_only_the_program_could_compare_stays(self):
        done = self.ended("--time=6", takes=1000, verdict="varies")
        self.assertRegex(done.stdout, "the original stays: each launch leaves something else, and "
                         f"the program was not compared: {self.ENDED_OF_6}")
        self.assertIn("decision:        keep", self.decisions())

    def test_what_only_the_program_could_measure_is_left(self):
        done = self.ended("--time=0.5", takes=1000, replays=False)
        self.assertRegex(done.stdout, f"not measured: count: a test; {self.ENDED}")

    def test_a_kernel_that_was_not_launched_by_then_is_not_called_unused(self):
        done = self.ended("--time=0.5", takes=1000, kernel="another()")
        self.assertRegex(done.stdout, f"not measured: no launch was seen; {self.ENDED}")

    def test_a_run_that_ends_in_time_is_whole(self):
        self.fake_replay(GAINS)
        self.fake_toolkit()
        for limit in ("--time=0", "--time=20"):
            done = self.expect(DONE, super().tune(GAINS, "--cuda-path=kit", "--verbose", limit,
                                                  replays=True, takes=0.1))
            self.assertEqual("--end-after=" in done.stderr, limit == "--time=20")
            self.assertNotIn("was ended", done.stderr + done.stdout)
            self.assertIn("in the program, with the best of all kernels: 2.00x", done.stdout)


if __name__ == "__main__":
    unittest.main()
