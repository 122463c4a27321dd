"""Programs whose results and times are known, for tests without a GPU.

What --build makes is no program but its source and the flags that nvcc would
get. In the place of bankstripe-verify stands a script that reads two of these
and says how fast they are, and whether they compute the same. As a page it writes
the plan that it got. Asked what a program launches, it names one kernel, with a
capture if there is a bankstripe-replay beside it: a script that reads sources in
the place of modules.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import ToolTest, find_nvcc, moves

VERIFY = """#!{python}
import json, shutil, sys, time as clock
own = sys.argv[1:]
def option(name):
    return next((a[len(name) + 1:] for a in own if a.startswith(name + "=")), None)
result = option("--json")
if option("--survey"):
    limit = max(float(option("--end-after") or 1000), 0.01)
    clock.sleep(min({takes}, limit))
    captures = [{{"file": "captured", "ns": 100, "digest": "{digest}"}}] if {replays} else []
    open(result, "w").write(json.dumps({{
        "version": 3, "problem": "", "device": "{device}", "capability": "9.0",
        "endedAfter": limit if {takes} > limit else 0,
        "kernels": [{{"name": "{kernel}", "blockThreads": 96, "captures": captures,
                     "totalNs": 100,
                     "problem": "" if captures else "a test"}},
                    *([{{"name": "other()", "totalNs": {others}}}] if {others} else [])]}}))
    sys.exit(0)
if page := option("--html"):
    shutil.copy(option("--plan"), page)
original, changed = [open(a).read() for a in own if not a.startswith("-")]
TIMES = {times}
def time(text):
    form = "slot" if "slots<" in text else "stripe" if "bankstripe::" in text else "keep"
    return TIMES[form]
clock.sleep({compares})
with open("{calls}", "a+") as calls:
    calls.write(" ".join(a for a in own if a.startswith("-")) + "\\n")
    calls.seek(0)
    call = len(calls.readlines())
unfused = all("-fmad=false" in text for text in (original, changed))
beside = 10 if time(changed) == time(original) else {beside}
wrong = call >= {wrong_from} or time(changed) < 0 and not ({rounding} and unfused)
if result:
    open(result, "w").write(json.dumps({{
        "version": 3, "device": "Test GPU", "verdict": "differs" if wrong else "identical",
        "reason": "", "difference": None,
        "kernels": [{{"name": "{kernel}", "originalNs": time(original),
                     "rewrittenNs": abs(time(changed))}},
                    {{"name": "other()", "originalNs": 10, "rewrittenNs": beside}}],
        "allLaunches": {{"originalNs": time(original) + 10,
                        "rewrittenNs": abs(time(changed)) + beside}}}}))
sys.exit(wrong)
"""

REPLAY = """#!{python}
import json, os, sys, time as clock
option = {{a.split("=")[0]: a.split("=")[-1] for a in sys.argv[1:]}}
TIMES = {times}
results = []
clock.sleep({takes})
candidates = json.load(open(option["--candidates"]))
if os.path.exists("{folder}/hang") and "carveout" in candidates[0]:
    new = f"{folder}/hanging.{{os.getpid()}}"
    open(new, "w").write(str(os.getpid()))
    os.rename(new, "{folder}/hanging")
    clock.sleep(1000)
for candidate in candidates:
    text = open(candidate["module"]).read()
    form = "slot" if "slots<" in text else "stripe" if "bankstripe::" in text else "keep"
    with open("{folder}/replayed", "a") as log:
        log.write(form + "\\n")
    time = TIMES[form] * {factors}.get(str(candidate.get("carveout")), 1)
    time *= 1.05 if "_rest[" in text else 1  # A split is a bit slower.
    error = "CUDA_ERROR_ILLEGAL_ADDRESS" if form in {failing} else ""
    speedup = TIMES["keep"] * {elsewhere} / abs(time)
    unfused, slow = "// -fmad=false" in text, "// -O1" in text
    digest = (form if time < 0 and not (unfused and {rounding}) else
              "another" if slow and {unstable} else "")
    results.append({{
        "version": 3, "verdict": "differs" if time < 0 or error else "{verdict}", "problem": "",
        "original": {{}}, "rewritten": {{"error": error, "digest": digest}}, "untimed": "",
        "times": {{"originalNs": speedup, "rewrittenNs": 1, "stopped": speedup < 0.6,
                  "speedupInterval": [speedup * 0.99, speedup * 1.02]}}}})
json.dump(results, open(option["--json"], "w"))
"""

# Compiles nothing: a module is its source. Says what ptxas might.
NVCC = """#!/bin/sh
echo "$@" >>"{log}"
echo "ptxas info    : Compiling entry function '_Z5countPKiPi' for 'sm_90'"
echo "ptxas info    : Used 40 registers, 400 bytes smem"
for word; do [ "$last" = -o ] && output=$word; last=$word; done
! grep -q "{refused}" "$last" && cp "$last" "$output" || exit 1
for word; do case $word in -fmad=false | -O1) echo "// $word" >>"$output" ;; esac; done
"""

BUILD = '{ cat a.cu; echo "// $NVCC_APPEND_FLAGS"; } >app && chmod +x app'


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class ProgramTest(ToolTest):
    """A test with an `a.cu` that can be rewritten, and a driver to find."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.driver = folder.name
        (pathlib.Path(folder.name) / "driver.c").write_text("int driver;\n")
        subprocess.run(["cc", "-shared", "-o", f"{folder.name}/libcuda.so.1",
                        f"{folder.name}/driver.c"], check=True)

    def setUp(self):
        super().setUp()
        self.write("a.cu", moves())

    def fake_verify(self, times, kernel="count(int const*, int*)", rounding=False,
                    wrong_from=1000, replays=False, beside=10, digest="",
                    device="Test GPU", takes=0, others=0, compares=0):
        """By form, how long a version takes: less than 0 for one that is wrong.

        With rounding it is only wrong where multiplications are fused. The call
        wrong_from, and all after it, find a difference. Another kernel takes 10,
        and beside a changed one what is given. Captures of one digest are the same. The
        first run takes so many seconds, unless it is to be ended before, of which others are
        other kernels' nanoseconds. A comparison takes `compares` seconds.
        """
        path = self.write("fake-verify", VERIFY.format(
            python=sys.executable, times=times, kernel=kernel, rounding=rounding,
            wrong_from=wrong_from, calls=self.folder / "calls", replays=replays, beside=beside,
            digest=digest, device=device, takes=takes, others=others, compares=compares))
        path.chmod(0o755)
        return path

    def fake_replay(self, times, factors=None, failing=(), verdict="identical", elsewhere=1,
                    rounding=False, unstable=False, takes=0):
        """The same by themselves; factors are those of carveouts, and elsewhere is
        how much slower the original is in its program than compiled alone. While there
        is a file `hang`, carveouts take forever. With rounding, what is wrong is right where
        multiplications are not fused; unstable is an original that leaves something else where
        it is not optimised. Each replay takes so many seconds."""
        self.write("bankstripe-replay", REPLAY.format(
            python=sys.executable, times=times, factors=factors or {}, failing=failing,
            folder=self.folder, rounding=rounding, unstable=unstable, takes=takes,
            verdict=verdict, elsewhere=elsewhere)).chmod(0o755)

    def fake_toolkit(self, refused="nothing like it"):
        """Its folder; nvcc fails on sources with a certain text."""
        real = pathlib.Path(find_nvcc()).resolve().parents[1]
        kit = self.folder / "kit"
        (kit / "bin").mkdir(parents=True)
        for name in ("include", "nvvm"):
            (kit / name).symlink_to(real / name)
        self.write("kit/bin/nvcc", NVCC.format(
            log=self.folder / "compiled", refused=refused)).chmod(0o755)
        return kit

    def calls(self):
        """How often two programs were compared."""
        return len(self.read("calls").splitlines())

    def environment(self, **others):
        return {**os.environ, **others, "LD_LIBRARY_PATH": ":".join(
            filter(None, [self.driver, os.environ.get("LD_LIBRARY_PATH")]))}


GAINS = {"keep": 100, "stripe": 50, "slot": 80}
LOSES = {"keep": 100, "stripe": 190, "slot": 190}


class TuneTest(ProgramTest):
    def tune(self, times, *args, build=BUILD, source="a.cu", **fake):
        verify = self.fake_verify(times, **fake)
        return self.run_tool("tune", "--no-confirm",
                             f"--verify-program={verify}",
                             f"--build={build}", "--program=app", *args, source,
                             env=self.environment())

    def decisions(self):
        return self.read(".bankstripe.yaml")
