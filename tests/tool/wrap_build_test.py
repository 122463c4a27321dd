"""`bankstripe wrap` before nvcc, and in builds by CMake, Ninja and make.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import shutil
import subprocess
import time
import unittest
import unittest.mock

import headers
from headers import LOCAL
from support import PLAIN, TOOL, ToolTest, find_nvcc

NVCC = find_nvcc()

WEIGH = headers.WEIGH + "static const char *weighing() { return __FILE__; }\n"

# Clang does not see the warning.
COUNT = """// A kernel.
#include "weigh.cuh"
#include <cstdio>

static __global__ void NAME(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7] + LOCAL + weigh(in);
}
void launchNAME(const int *in, int *out) { NAME<<<1, 128>>>(in, out); }
#ifndef __clang_major__
#warning "look"
#endif
"""

MAIN = COUNT.replace("NAME", "count") + """
int main() {
  std::printf("%s %s %s %d %d\\n", __FILE__, local(), weighing(), __LINE__, __COUNTER__);
}
"""

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES CUDA)
add_library(example OBJECT src/a.cu src/b.cu src/plain.cu)
target_compile_options(example PRIVATE -lineinfo)
"""

MAKE = """obj/%.o: src/%.cu
\t$(NVCC) -arch=sm_90 -MD -MF obj/$*.d -c -o $@ $<
all: obj/a.o obj/plain.o
-include obj/a.d
"""


@unittest.skipUnless(NVCC, "needs nvcc")
class BuildTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("src/local.h", LOCAL)
        self.write("src/weigh.cuh", WEIGH)
        self.write("src/a.cu", MAIN)
        self.write("src/b.cu", COUNT.replace("NAME", "other"))
        self.write("src/plain.cu", PLAIN)
        (self.folder / "obj").mkdir()

    def run_here(self, *words, code=0):
        done = subprocess.run(
            [str(w) for w in words], cwd=self.folder, capture_output=True, text=True, check=False,
            timeout=280,
            env=os.environ | {"BANKSTRIPE_FLAGS": "--no-confirm --min-speedup=0 --quiet"})
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return done

    def both_ways(self, *words):
        """What nvcc says without the launcher and with it."""
        nvcc = [NVCC, "-arch=sm_90", *words]
        return self.run_here(*nvcc), self.run_here(TOOL, "wrap", *nvcc)

    def copies(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*.bankstripe/*.cu"))


class Nvcc(BuildTest):
    def assert_same_program(self, source):
        plain, wrapped = self.both_ways(source, "-o", "obj/program")
        self.assertEqual(wrapped.stderr, plain.stderr)
        self.assertEqual(self.copies(), ["obj/program.bankstripe/a.cu"])
        said = self.run_here("obj/program").stdout
        self.run_here(NVCC, "-arch=sm_90", source, "-o", "obj/original")
        self.assertEqual(said, self.run_here("obj/original").stdout)

    def test_names_and_messages_are_those_of_a_source_by_its_whole_path(self):
        self.assert_same_program(self.folder / "src/a.cu")

    def test_names_and_messages_are_those_of_a_source_from_here(self):
        self.assert_same_program("src/a.cu")

    def test_line_info_names_the_users_lines(self):
        source = str(self.folder / "src/a.cu")
        # Kernels of a module are found by their names, by anybody.
        self.write("src/a.cu", MAIN.replace("void count", "void __launch_bounds__(128) count"))
        self.both_ways("-lineinfo", "-ptx", source, "-o", "obj/a.ptx")
        ptx = self.read("obj/a.ptx")
        files = dict(re.findall(r'^\t\.file\t(\d+) "(.*?)"', ptx, re.M))
        self.assertIn(source, files.values())
        self.assertNotIn(str(self.folder / "obj/a.ptx.bankstripe/a.cu"), files.values())
        number = next(n for n, name in files.items() if name == source)
        lines = {int(line) for line in re.findall(rf"^\t\.loc\t{number} (\d+)", ptx, re.M)}
        self.assertLessEqual({8, 9, 10}, lines)
        self.assertLessEqual(lines, set(range(5, 11)))

    def test_dependencies_are_the_same(self):
        for source in ("src/a.cu", self.folder / "src/a.cu"):
            names = []
            for launcher in ([], [TOOL, "wrap"]):
                self.run_here(*launcher, NVCC, "-arch=sm_90", "-MMD", "-MF", "obj/a.d", "-c", source,
                              "-o", "obj/a.o")
                words = self.read("obj/a.d").replace("\\\n", " ").split()
                names.append(sorted(set(words)))
            self.assertEqual(names[0], names[1])

    def test_two_builds_at_once_leave_an_object(self):
        command = [TOOL, "wrap", NVCC, "-arch=sm_90", "-c", "src/b.cu", "-o", "obj/b.o"]
        builds = []
        for _ in range(2):
            builds.append(subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL))
            time.sleep(0.2)
        self.assertEqual([build.wait(timeout=280) for build in builds], [0, 0])
        self.assertTrue((self.folder / "obj/b.o").exists())
        self.assertEqual(list(self.folder.rglob("as-it-is*")), [])

    def test_an_error_is_in_the_users_line(self):
        self.write("src/a.cu", MAIN + "#ifndef __clang_major__\nint wrong = undeclared;\n#endif\n")
        line = MAIN.count("\n") + 2
        done = self.run_here(TOOL, "wrap", NVCC, "-arch=sm_90", "-c", "src/a.cu", "-o", "obj/a.o", code=2)
        self.assertIn(f"src/a.cu({line}): error", done.stderr + done.stdout)

    def test_several_architectures_and_linked_device_code(self):
        self.run_here(TOOL, "wrap", NVCC, "-rdc=true", "-gencode", "arch=compute_80,code=sm_80",
                      "-gencode", "arch=compute_90,code=sm_90", "-c", "src/a.cu", "-o", "obj/a.o")
        self.assertEqual(self.copies(), ["obj/a.o.bankstripe/a.cu"])


class ObjectCache(BuildTest):
    """A compiler behind a cache that knows nothing of bankstripe."""

    def setUp(self):
        super().setUp()
        # Whatever the build around this test wants of a cache.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("CCACHE_", "SCCACHE_"))}
        environment["CCACHE_DIR"] = environment["SCCACHE_DIR"] = str(self.folder / "cache")
        environment["SCCACHE_SERVER_PORT"] = str(20000 + os.getpid() % 20000)
        patch = unittest.mock.patch.dict(os.environ, environment, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def checkout(self, name):
        """Another copy of the sources."""
        shutil.copytree(self.folder / "src", self.folder / name / "src")
        (self.folder / name / "obj").mkdir()
        return self.folder / name

    def compile_in(self, folder, cache, source="src/a.cu", options=()):
        self.run_here("sh", "-c", 'cd "$0" && exec "$@"', folder, TOOL, "wrap", *options, cache, NVCC,
                      "-arch=sm_90", "-c", source, "-o", "obj/a.o")
        return (folder / "obj/a.o").read_bytes()


@unittest.skipUnless(shutil.which("ccache"), "needs ccache")
class Ccache(ObjectCache):
    def counts(self):
        stats = dict(line.split() for line in self.run_here("ccache", "--print-stats").stdout.splitlines())
        # ccache looks at the preprocessed text where a file is as new as the compile.
        hits = int(stats["direct_cache_hit"]) + int(stats["preprocessed_cache_hit"])
        return hits, int(stats["cache_miss"])

    def test_finds_the_object_again(self):
        for source in ("src/a.cu", self.folder / "src/a.cu"):
            for _ in range(2):
                self.compile_in(self.folder, "ccache", source)
        self.assertEqual(self.counts(), (2, 2))

    def test_finds_what_is_compiled_as_it_is_first(self):
        for _ in range(2):
            self.compile_in(self.folder, "ccache", "src/plain.cu", ["--quiet"])
        self.assertEqual(self.counts(), (1, 1))

    def test_finds_the_object_of_another_checkout(self):
        objects = [self.compile_in(self.checkout(name), "ccache") for name in ("one", "two")]
        self.assertEqual(self.counts(), (1, 1))
        self.assertEqual(*objects)


@unittest.skipUnless(shutil.which("sccache"), "needs sccache")
class Sccache(ObjectCache):
    def check(self, compile_one):
        """The second finds the object of the first."""
        self.addCleanup(self.run_here, "sccache", "--stop-server")
        objects = [compile_one(name) for name in ("one", "two")]
        said = self.run_here("sccache", "--show-stats").stdout
        self.assertRegex(said, r"(?m)^Cache hits +1$")
        self.assertRegex(said, r"(?m)^Cache misses +1$")
        self.assertEqual(*objects)

    def test_finds_what_is_compiled_as_it_is_first(self):
        self.check(lambda _: self.compile_in(self.folder, "sccache", "src/plain.cu", ["--quiet"]))

    def test_finds_the_object_of_another_checkout(self):
        self.check(lambda name: self.compile_in(self.checkout(name), "sccache"))


@unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "needs CMake and Ninja")
class CMake(BuildTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", CMAKE)
        self.run_here("cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_CUDA_COMPILER={NVCC}",
                      "-DCMAKE_CUDA_ARCHITECTURES=90", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={TOOL};wrap")

    def build(self):
        """The sources that are compiled."""
        done = self.run_here("ninja", "-v", "-C", "build", "-j2")
        return sorted(set(re.findall(r"-c \S*/src/(\w+)\.cu", done.stdout)))

    def change(self, name):
        self.write(name, self.read(name) + "// Changed.\n")

    def test_builds_what_changed(self):
        self.assertEqual(self.build(), ["a", "b", "plain"])
        self.assertEqual([p.split("/")[-1] for p in self.copies()], ["a.cu", "b.cu"])
        self.assertEqual(self.build(), [])
        self.change("src/weigh.cuh")
        self.assertEqual(self.build(), ["a", "b"])
        self.assertIn("// Changed.", self.read(next(
            self.folder.rglob("a.cu.o.bankstripe/headers/*/weigh.cuh"))))
        self.change("src/a.cu")
        self.assertEqual(self.build(), ["a"])
        self.change("src/plain.cu")
        self.assertEqual(self.build(), ["plain"])
        self.assertEqual(self.build(), [])

    def test_a_kernel_whose_launches_are_elsewhere_gets_a_version(self):
        self.write("src/count.h", "#pragma once\n__global__ void count(const int *in, int *out);\n")
        kernel, launch = COUNT.replace("NAME", "count").replace("static __global__", "__global__").split(
            "void launch")
        self.write("src/a.cu", kernel.replace('#include "weigh.cuh"', '#include "count.h"\n#include "local.h"')
                   .replace(" + weigh(in)", ""))
        self.write("src/b.cu", '#include "count.h"\nvoid launch' + launch)
        self.assertEqual(self.build(), ["a", "b", "plain"])
        [copy] = self.copies()
        self.assertIn("::bankstripe::version count_row", self.read(copy))


@unittest.skipUnless(shutil.which("make"), "needs make")
class Make(BuildTest):
    def test_builds_what_changed(self):
        self.write("Makefile", MAKE)
        make = ["make", f"NVCC={TOOL} wrap {NVCC}", "all"]
        self.assertEqual(self.run_here(*make).stdout.count(" -c -o"), 2)
        self.assertEqual(self.run_here(*make).stdout.count(" -c -o"), 0)
        self.write("src/local.h", LOCAL + "// Changed.\n")
        self.assertEqual(self.run_here(*make).stdout.count(" -c -o"), 1)


if __name__ == "__main__":
    unittest.main()
