"""What earlier runs found out is used where it is still true, and only there.

Each test says what a run with the cache gives, against one without.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import BROKEN, DONE, SOME_FAILED, TOOL, ToolTest, find_nvcc, moves

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "test_inputs" / "seeds"

# What nvcc reads, and Clang does not.
ONLY_NVCC_INCLUDES = '#include <compiler.h>\n#ifndef READ_BY_CLANG\n#include "fast.h"\n#endif\n'
# An array whose size is elsewhere.
SIZED = '#include "size.h"\n' + moves().replace("last[8]", "last[LENGTH]")

KNEW = re.compile(r"^bankstripe: the cache in '.*' knew (\d+) of (\d+) files, and (\d+) of (\d+) "
                  r"answers of nvcc\n", re.MULTILINE)


class CacheTest(ToolTest):
    def run_both(self, *args, command="analyze", code=DONE, **kwargs):
        """How many files, and answers of nvcc, the cache knew, and what the run printed. It is
        the same without the cache."""
        args = (command, "--format=json", *args)
        cached = self.expect(code, self.run_tool(args[0], "--verbose", *args[1:], **kwargs))
        plain = self.expect(code, self.run_tool(
            args[0], "--no-cache", "--verbose", *args[1:], **kwargs))
        self.assertEqual(cached.stdout, plain.stdout)
        self.assertEqual(KNEW.sub("", cached.stderr), plain.stderr)
        knew = [int(n) for n in KNEW.search(cached.stderr).groups()]
        return (knew[0], knew[2]), cached

    def known(self, *args, **kwargs):
        """How many files the cache knew."""
        return self.run_both(*args, **kwargs)[0][0]

    def entries(self):
        return sorted(self.cache.glob("llvmcache-*-?"))


class Reading(CacheTest):
    def test_second_run_knows(self):
        self.write("a.cu", moves())
        self.assertEqual(self.known("a.cu"), 0)
        self.assertEqual(self.known("a.cu"), 1)

    def test_changed_source(self):
        self.write("a.cu", moves())
        self.known("a.cu")
        self.write("a.cu", moves().replace("last[8]", "last[16]"))
        self.assertEqual(self.known("a.cu"), 0)
        # What it was before is known still.
        self.write("a.cu", moves())
        self.assertEqual(self.known("a.cu"), 1)

    def test_changed_header(self):
        self.write("a.cu", SIZED)
        self.write("size.h", "#define LENGTH 8\n")
        self.known("a.cu")
        header = self.folder / "size.h"
        before = header.stat()
        self.write("size.h", "#define LENGTH 9\n")
        # Neither its size nor its time tells.
        os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))
        knew, done = self.run_both("a.cu")
        self.assertEqual(knew[0], 0)
        self.assertIn('"int[9]"', done.stdout)
        self.write("size.h", "#define LENGTH 8\n")
        self.assertEqual(self.known("a.cu"), 1)

    def test_header_that_appears_before_the_one_that_was_found(self):
        self.write("a.cu", SIZED)
        self.write("late/size.h", "#define LENGTH 8\n")
        self.write("early/other.h", "")
        options = ("a.cu", "--", "-Iearly", "-Ilate", "-Inever")
        self.known(*options)
        self.write("early/size.h", "#define LENGTH 12\n")
        knew, done = self.run_both(*options)
        self.assertEqual(knew[0], 0)
        self.assertIn('"int[12]"', done.stdout)
        # A folder that was not even there, and nothing that anybody looks for.
        self.write("never/else.h", "")
        self.assertEqual(self.known(*options), 0)
        self.write("never/more.h", "")
        self.assertEqual(self.known(*options), 1)

    def test_option(self):
        self.write("a.cu", moves().replace("last[8]", "last[LENGTH]"))
        self.known("a.cu", "--", "-DLENGTH=8")
        knew, done = self.run_both("a.cu", "--", "-DLENGTH=12")
        self.assertEqual(knew[0], 0)
        self.assertIn('"int[12]"', done.stdout)
        self.assertEqual(self.known("a.cu", "--", "-DLENGTH=8"), 1)

    def test_response_file(self):
        self.write("a.cu", moves().replace("last[8]", "last[LENGTH]"))
        self.write("words", "-DLENGTH=8")
        self.known("a.cu", "--", "@words")
        self.write("words", "-DLENGTH=9")
        knew, done = self.run_both("a.cu", "--", "@words")
        self.assertEqual(knew[0], 0)
        self.assertIn('"int[9]"', done.stdout)

    def test_environment(self):
        self.write("a.cu", SIZED.replace('"size.h"', "<size.h>"))
        self.write("one/size.h", "#define LENGTH 8\n")
        self.write("two/size.h", "#define LENGTH 9\n")
        for name in ("one", "two"):
            environment = {**os.environ, "CPATH": str(self.folder / name)}
            self.assertEqual(self.known("a.cu", env=environment), 0)
            self.assertEqual(self.known("a.cu", env=environment), 1)

    def test_files_that_may_change(self):
        self.write("src/a.cu", '#include "kernel.h"\n')
        self.write("src/kernel.h", "#pragma once\n" + moves())
        without = ("src/a.cu", "--exclude=*.h")
        knew, done = self.run_both(*without)
        self.assertIn("outside-paths", done.stdout)
        knew, done = self.run_both("src/a.cu")
        self.assertEqual(knew[0], 0)
        self.assertNotIn("outside-paths", done.stdout)
        self.assertEqual(self.known(*without), 1)
        self.assertEqual(self.known("src"), 1)

    def test_decisions_count_for_known_files(self):
        self.write("a.cu", moves())
        self.known("a.cu")
        self.write(".bankstripe.yaml", "version: 1\narrays:\n  - {file: a.cu, function: count, "
                   "array: last, decision: keep}\n")
        knew, done = self.run_both("a.cu")
        self.assertEqual(knew[0], 1)
        self.assertIn("decided-keep", done.stdout)

    def test_planning_options_count_for_known_files(self):
        self.write("a.cu", moves())
        self.known("a.cu")
        knew, done = self.run_both("--layout=slot", "a.cu")
        self.assertEqual(knew[0], 1)
        self.assertIn('"slot"', done.stdout)

    def test_time_of_day_is_never_known(self):
        self.write("a.cu", "const char when[] = __TIME__;\n" + moves())
        self.write("b.cu", "// __TIME__ in a comment\n" + moves("other"))
        self.known("a.cu", "b.cu")
        self.assertEqual(self.known("a.cu", "b.cu"), 1)

    def test_errors_are_known(self):
        self.write("a.cu", BROKEN)
        self.assertEqual(self.known("a.cu", code=SOME_FAILED), 0)
        knew, done = self.run_both("a.cu", code=SOME_FAILED)
        self.assertEqual(knew[0], 1)
        self.assertIn("expected expression", done.stderr)

    def test_several_files(self):
        _, first = self.run_both(str(INPUTS), command="rewrite")
        knew, second = self.run_both(str(INPUTS), command="rewrite")
        self.assertEqual(knew[0], len(list(INPUTS.rglob("*.cu"))))
        self.assertEqual(first.stdout, second.stdout)


class Entries(CacheTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", moves())
        self.known("a.cu")
        [self.entry] = self.entries()

    def assert_repaired(self):
        self.assertEqual(self.known("a.cu"), 0)
        self.assertEqual(self.known("a.cu"), 1)

    def test_one_wrong_bit(self):
        data = bytearray(self.entry.read_bytes())
        data[-20] ^= 4
        self.entry.write_bytes(data)
        self.assert_repaired()

    def test_in_several_processes_at_once(self):
        for number in range(2):
            self.write(f"{number}.cu", moves(f"kernel{number}"))
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            runs = list(pool.map(lambda _: self.run_tool("analyze", "--format=json", "."),
                                 range(6)))
        self.assertEqual({(r.returncode, r.stdout, r.stderr) for r in runs},
                         {(DONE, runs[0].stdout, "")})
        self.assertEqual(self.known("."), 3)
        self.assertEqual(list(self.cache.glob("*unfinished*")), [])


class Folders(CacheTest):
    def run_with(self, *options, **environment):
        self.write("a.cu", moves())
        full = {k: v for k, v in os.environ.items() if k != "BANKSTRIPE_CACHE_DIR"}
        return self.expect(DONE, self.run_tool(
            "analyze", "--verbose", *options, "a.cu", env=full | environment))

    def test_no_cache_leaves_nothing(self):
        done = self.run_with("--no-cache", BANKSTRIPE_CACHE_DIR=str(self.cache))
        self.assertEqual(list(self.cache.iterdir()), [])
        self.assertNotIn("the cache", done.stderr)

    def test_usual_folders(self):
        for variable, folder in (("XDG_CACHE_HOME", "bankstripe"), ("HOME", ".cache/bankstripe")):
            home = self.folder / variable
            environment = {"XDG_CACHE_HOME": "", variable: str(home)}
            self.run_with(**environment)
            self.assertTrue(list((home / folder).glob("llvmcache-*")))

    def test_size(self):
        for number in range(5):
            self.write(f"{number}.cu", moves(f"kernel{number}"))
        self.run_with(".", BANKSTRIPE_CACHE_DIR=str(self.cache), BANKSTRIPE_CACHE_SIZE="200K")
        sizes = [e.stat().st_size for e in self.entries()]
        self.assertTrue(sizes)
        self.assertLess(sum(sizes), 200 << 10)


# Reports what ptxas would, without compiling, and notes that it was asked.
STAND_IN = """#!/bin/sh
echo "$@" >>"{log}"
for word; do [ "$last" = -o ] && : >"$word"; last=$word; done
{check}
if grep -q __shared__ "$last"; then frame=0; else frame=32; fi
echo "ptxas info : Compiling entry function '_Z5countPKiPi' for 'sm_90'"
echo "ptxas info : Function properties for _Z5countPKiPi"
echo "    $frame bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
echo "ptxas info : Used {registers} registers"
"""


@unittest.skipUnless(find_nvcc(), "nvcc is not there")
class WithNvcc(CacheTest):
    """A toolkit with the real headers, and something else in the place of nvcc."""

    def setUp(self):
        super().setUp()
        real = pathlib.Path(find_nvcc()).resolve().parents[1]
        self.kit = self.folder / "kit"
        (self.kit / "bin").mkdir(parents=True)
        for name in ("include", "nvvm"):
            (self.kit / name).symlink_to(real / name)
        self.log = self.folder / "log"
        self.write_nvcc()
        self.write("src/a.cu", moves())

    def write_nvcc(self, registers=20, check=":"):
        path = self.write("kit/bin/nvcc", STAND_IN.format(
            log=self.log, registers=registers, check=check))
        path.chmod(0o755)

    def asked(self, *args, **kwargs):
        """How often nvcc was asked with the cache."""
        self.log.write_text("")
        args = (f"--cuda-path={self.kit}", "--format=json", *args)
        done = self.run_tool("analyze", *args, "src", confirm=True, **kwargs)
        self.expect(DONE, done)
        count = len(self.log.read_text().splitlines())
        plain = self.run_tool("analyze", "--no-cache", *args, "src", confirm=True, **kwargs)
        self.assertEqual((done.stdout, done.stderr), (plain.stdout, plain.stderr))
        self.report = done.stdout
        return count

    def test_answers_are_known(self):
        self.assertEqual(self.asked(), 2)
        self.assertEqual(self.asked(), 0)
        self.assertIn('"stackFrame": 32', self.report)

    def test_another_nvcc(self):
        self.asked()
        before = (self.kit / "bin/nvcc").stat()
        self.write_nvcc(registers=21)
        os.utime(self.kit / "bin/nvcc", ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.asked(), 2)
        self.assertIn('"registers": 21', self.report)

    def test_another_ptxas(self):
        self.asked()
        self.write("kit/bin/ptxas", "")
        self.assertEqual(self.asked(), 2)

    def test_header_that_only_nvcc_reads(self):
        self.write_compiler_header()
        self.write("src/a.cu", ONLY_NVCC_INCLUDES + moves())
        self.assertEqual(self.asked(), 2)
        self.write("src/fast.h", "#define FAST 1\n")
        self.assertEqual(self.asked(), 2)
        self.write("src/fast.h", "#define FAST 2\n")
        self.assertEqual(self.asked(), 2)
        self.assertEqual(self.asked(), 0)

    def test_header_that_a_macro_names_is_not_followed(self):
        self.write("src/size.h", "")
        self.write("src/a.cu", '#define HEADER "size.h"\n#include HEADER\n' + moves())
        self.assertEqual(self.asked(), 2)
        self.assertEqual(self.asked(), 2)

    def test_environment(self):
        self.asked()
        environment = {**os.environ, "NVCC_APPEND_FLAGS": "-maxrregcount=32"}
        self.assertEqual(self.asked(env=environment), 2)
        self.assertEqual(self.asked(env=environment), 0)

    def test_another_rewrite_of_the_same_file(self):
        self.asked()
        self.assertEqual(self.asked("--layout=slot"), 1)
        self.assertEqual(self.asked("--layout=slot"), 0)

    def test_failures_are_not_kept(self):
        self.write_nvcc(check=f'[ -e "{self.folder}/works" ] || exit 1')
        self.assertEqual(self.asked(), 1)
        self.write("works", "")
        self.assertEqual(self.asked(), 2)

    def test_header_that_changes_while_nvcc_reads(self):
        self.write("src/size.h", "// one")
        self.write("src/a.cu", '#include "size.h"\n' + moves())
        mark, header = self.folder / "changed", self.folder / "src/size.h"
        self.write_nvcc(check=f'[ -e "{mark}" ] || {{ : >"{mark}"; echo "// two" >"{header}"; }}')
        self.asked()
        self.write("src/size.h", "// one")
        self.assertEqual(self.asked(), 2)
        self.assertEqual(self.asked(), 0)

    def test_launcher(self):
        self.write("src/a.cu", moves() + "int main() { launchcount(nullptr, nullptr); }\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BANKSTRIPE_F")}
        calls, copies = [], []
        for _ in range(2):
            self.log.write_text("")
            done = subprocess.run(
                [TOOL, "wrap", self.kit / "bin/nvcc", "src/a.cu", "-o", "a"], cwd=self.folder,
                env=environment, capture_output=True, check=False, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            calls.append(len(self.log.read_text().splitlines()))
            copies.append(self.read("a.bankstripe/a.cu"))
            shutil.rmtree(self.folder / "a.bankstripe")
        # For ptxas as it is, and rewritten, since no cubin lies in that object; for good.
        self.assertEqual(calls, [3, 1])
        self.assertEqual(copies[0], copies[1])
        self.assertIn("__shared__", copies[1])


if __name__ == "__main__":
    unittest.main()
