"""bankstripe_rewrite() of the installed CMake package, with Ninja and make.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import shutil
import sys
import unittest

from installed import SOURCE, FolderTest, copy_known_compilers, prefix, run

sys.path.insert(0, str(SOURCE / "tests" / "tool"))
from support import find_nvcc  # pylint: disable=wrong-import-position

NVCC = find_nvcc()

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES CUDA)
find_package(bankstripe REQUIRED)
add_executable(app src/main.cu src/kernel.cu src/plain.cu)
target_include_directories(app PRIVATE include)
target_compile_definitions(app PRIVATE "TIMES=50")
{call}
"""

CALL = "bankstripe_rewrite(TARGET app OPTIONS --no-confirm --min-speedup=0 {more})"

WEIGH = """#pragma once
static __device__ int weigh(const int *in) {
  int table[4] = {0};
  for (int i = 0; i < TIMES; ++i)
    table[in[i] & 3] += table[in[i + 1] & 3];
  return table[in[0] & 3];
}
"""

KERNEL = """#include "count.h"
#include "weigh.cuh"
__global__ void __launch_bounds__(128) count(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < TIMES; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7] + weigh(in);
}
"""

MAIN = """#include "count.h"
int main() { count<<<1, 128>>>(nullptr, nullptr); }
"""

FILES = {
    "include/count.h": "#pragma once\n__global__ void count(const int *in, int *out);\n",
    "include/weigh.cuh": WEIGH,
    "src/kernel.cu": KERNEL,
    "src/main.cu": MAIN,
    "src/plain.cu": "__global__ void plain(int *out) { out[threadIdx.x] = 1; }\n",
}


class PackageTest(FolderTest):
    generator = "Ninja"

    def configure(self, more="", call=CALL, code=0, options=()):
        self.write("CMakeLists.txt", PROJECT.format(call=call.format(more=more)))
        copy_known_compilers(self.folder, self.folder / "build", NVCC)
        return self.run_here(
            "cmake", "-G", self.generator, "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix()}",
            f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DCMAKE_CUDA_ARCHITECTURES=90", *options, code=code)

    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            self.write(name, text)

    def build(self, target="app", code=0):
        return self.run_here("cmake", "--build", "build", "-j2", "--target", target, code=code)

    def compiled(self):
        """Builds, and says which sources were compiled."""
        text = self.build().stdout
        return sorted(re.findall(r"Building CUDA object \S*/src/(\w+)\.cu", text))

    def copies(self):
        return sorted(path.name for path in self.folder.glob("build/**/*.cu.o.bankstripe/**/*")
                      if path.is_file())

    def copy(self, name):
        return next(self.folder.glob(f"build/**/*.cu.o.bankstripe/**/{name}")).read_text()


class Builds:
    """What both generators do."""

    def test_builds_exactly_what_changed(self):
        self.configure()
        self.assertEqual(self.compiled(), ["kernel", "main", "plain"])
        self.assertEqual(self.copies(), ["bankstripe.cuh", "kernel.cu", "weigh.cuh"])
        self.assertEqual(self.compiled(), [])

        self.change("src/plain.cu", "= 1", "= 2")
        self.assertEqual(self.compiled(), ["plain"])
        self.change("include/weigh.cuh", "& 3];\n}", "& 3] + 1;\n}")
        self.assertEqual(self.compiled(), ["kernel"])
        self.assertIn("+ 1;", self.copy("weigh.cuh"))
        self.assertEqual(self.compiled(), [])

    def test_obeys_decisions(self):
        self.write(".bankstripe.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.configure()
        self.assertEqual(self.compiled(), ["kernel", "main", "plain"])
        self.assertEqual(self.copies(), [])
        self.change(".bankstripe.yaml", "keep", "slot")
        self.assertEqual(self.compiled(), ["kernel"])
        self.assertIn("::bankstripe::slots<", self.copy("kernel.cu"))
        self.assertEqual(self.compiled(), [])

    def test_another_definition_compiles_all(self):
        self.configure()
        self.compiled()
        self.change("CMakeLists.txt", "TIMES=50", "TIMES=60")
        self.assertEqual(self.compiled(), ["kernel", "main", "plain"])
        self.run_here("cmake", "build")
        self.assertEqual(self.compiled(), [])


@unittest.skipUnless(NVCC and shutil.which("ninja"), "needs nvcc and Ninja")
class Ninja(Builds, PackageTest):
    def test_another_launch_compiles_the_file_with_the_launch_alone(self):
        self.configure()
        self.compiled()
        self.change("src/main.cu", "128", "64")
        self.assertEqual(self.compiled(), ["main"])

    def test_another_include_folder_is_looked_into(self):
        self.configure()
        self.compiled()
        self.write("other/weigh.cuh", WEIGH.replace("table[4]", "table[8]"))
        self.change("CMakeLists.txt", "PRIVATE include", "PRIVATE other include")
        self.compiled()
        self.assertIn("[8]", self.copy("weigh.cuh"))

    def test_a_named_decisions_file_is_obeyed(self):
        self.write("keep.yaml", "version: 1\ndefaults:\n  layout: keep\n")
        self.configure("CONFIG keep.yaml")
        self.compiled()
        self.assertEqual(self.copies(), [])
        self.change("keep.yaml", "keep", "auto")
        self.assertEqual(self.compiled(), ["kernel"])

    def test_a_kernel_whose_launches_are_elsewhere_gets_a_version(self):
        self.write("src/kernel.cu", KERNEL.replace("__launch_bounds__(128) ", ""))
        self.configure()
        self.compiled()
        self.assertIn("::bankstripe::version count_row", self.copy("kernel.cu"))

    def test_several_targets_are_rewritten_alike(self):
        self.write("src/rest.cu", KERNEL.replace("(128) count", "(64) rest"))
        self.write("include/count.h", FILES["include/count.h"]
                   + "__global__ void rest(const int *in, int *out);\n")
        self.write("src/main.cu", MAIN.replace("{ count", "{ rest<<<1, 64>>>(nullptr, nullptr); count"))
        self.configure(call="add_library(rest STATIC src/rest.cu)\n"
                            "target_include_directories(rest PUBLIC include)\n"
                            "target_compile_definitions(rest PRIVATE TIMES=50)\n"
                            "target_link_libraries(app PRIVATE rest)\n"
                            "bankstripe_rewrite(TARGET app rest OPTIONS --no-confirm --min-speedup=0)")
        self.compiled()
        self.assertIn("__shared__", self.copy("rest.cu"))
        self.assertIn("__shared__", self.copy("kernel.cu"))

    def test_a_target_without_is_compiled_as_it_is(self):
        self.configure(call="add_executable(other src/main.cu src/kernel.cu)\n"
                            "target_include_directories(other PRIVATE include)\n"
                            "target_compile_definitions(other PRIVATE TIMES=7)\n" + CALL)
        self.build("other")
        self.assertEqual(self.copies(), [])
        self.build()
        self.assertEqual(self.copies(), ["bankstripe.cuh", "kernel.cu", "weigh.cuh"])

    def test_generated_sources_are_rewritten(self):
        generate = ("add_custom_command(OUTPUT kernel.cu COMMAND ${{CMAKE_COMMAND}} -E copy\n"
                    "  ${{CMAKE_SOURCE_DIR}}/src/kernel.cu kernel.cu DEPENDS src/kernel.cu)\n"
                    "add_executable(made src/main.cu ${{CMAKE_BINARY_DIR}}/kernel.cu)\n"
                    "target_include_directories(made PRIVATE include)\n"
                    "target_compile_definitions(made PRIVATE TIMES=50)\n")
        self.configure(call=generate + CALL.replace("TARGET app", "TARGET made"))
        self.build("made")
        self.assertIn("__shared__", self.copy("kernel.cu"))
        self.change("src/kernel.cu", "int last[8]", "int last[9]")
        self.build("made")
        self.assertIn("[9]", self.copy("kernel.cu"))

    def test_lets_the_program_choose(self):
        self.configure(more="CHOOSE")
        rules = [path.read_text() for name in ("rules.ninja", "build.make")
                 for path in self.folder.glob(f"build/**/{name}")]
        self.assertIn("wrap --no-confirm --min-speedup=0 --choose", "".join(rules))

    def test_can_be_switched_off(self):
        self.configure(options=["-DBANKSTRIPE_REWRITE=OFF"])
        self.compiled()
        self.assertEqual(self.copies(), [])

    def write_launcher(self, name):
        launcher = self.write(name, f'#!/bin/sh\necho called >>{self.folder}/calls\nexec "$@"\n')
        launcher.chmod(0o755)
        return launcher

    def test_the_launcher_of_the_build_comes_after_it(self):
        self.configure(options=[f"-DCMAKE_CUDA_COMPILER_LAUNCHER={self.write_launcher('ccache')}"])
        self.compiled()
        self.assertEqual(self.read("calls").count("called"), 3)
        self.assertIn("kernel.cu", self.copies())

    def test_so_does_one_that_the_project_sets_whatever_it_is(self):
        launcher = f"cmake;-E;env;A=1;{self.write_launcher('unknown')}"
        self.configure(call=f'set_target_properties(app PROPERTIES CUDA_COMPILER_LAUNCHER "{launcher}")\n' + CALL)
        self.compiled()
        self.assertEqual(self.read("calls").count("called"), 3)
        self.assertIn("kernel.cu", self.copies())

    def test_our_launcher_of_the_build_is_not_there_twice(self):
        self.configure(options=["-DCMAKE_CUDA_COMPILER_LAUNCHER=bankstripe;wrap;--layout=slot;"
                                + str(self.write_launcher("ccache"))])
        self.compiled()
        self.assertEqual(self.read("calls").count("called"), 3)
        self.assertNotIn("::bankstripe::slots<", self.copy("kernel.cu"))

    def test_errors_name_the_users_line(self):
        self.configure()
        self.change("src/kernel.cu", "last[in[threadIdx.x] & 7]",
                    "last[in[threadIdx.x] & 7]\n#ifndef __clang_major__\n+ undeclared\n#endif\n")
        done = self.build(code=(1, 2))
        self.assertIn("src/kernel.cu(9): error", done.stdout)

    def test_a_source_that_cannot_be_read_is_compiled_as_it_is(self):
        self.configure()
        self.write("src/plain.cu", "#if __has_builtin(__builtin_assume)\n#error no\n#endif\n" + FILES["src/plain.cu"])
        done = self.build()
        self.assertRegex(done.stdout, "warning: '[^']*src/plain.cu' is compiled as it is: Clang could not parse .*error: no")

    def test_verifies_against_the_original(self):
        verifier = self.write("verifier", f'#!/bin/sh\nprintf "%s\\n" "$@" >{self.folder}/asked\n')
        verifier.chmod(0o755)
        self.configure(call="if(NOT TARGET bankstripe::bankstripe-verify)\n"
                            "  add_executable(bankstripe::bankstripe-verify IMPORTED)\n"
                            "endif()\n"
                            "set_target_properties(bankstripe::bankstripe-verify PROPERTIES\n"
                            f"  IMPORTED_LOCATION {verifier} IMPORTED_LOCATION_RELEASE {verifier})\n"
                            + CALL.format(more="VERIFY_OPTIONS --runs=3 VERIFY_ARGUMENTS one two"))
        self.build("bankstripe_verify_app")
        options, original, rewritten, *arguments = self.read("asked").split()
        self.assertEqual((options, arguments), ("--runs=3", ["--", "one", "two"]))
        self.assertNotEqual(pathlib.Path(original).read_bytes(), pathlib.Path(rewritten).read_bytes())
        self.assertEqual(rewritten, str(self.folder / "build/app"))

    def test_says_what_is_wrong_with_a_call(self):
        for call, message in [
                ("bankstripe_rewrite(TARGET none)", "there is no target 'none'"),
                ("bankstripe_rewrite(app)", "unknown arguments: app"),
                ("bankstripe_rewrite(OPTIONS -j2)", "give TARGET"),
                ("bankstripe_rewrite(TARGET app OPTIONS --config a.yaml)", "'a.yaml' is no option"),
                ("bankstripe_rewrite(TARGET app)\nbankstripe_rewrite(TARGET app)",
                 "'app' is rewritten already")]:
            with self.subTest(call):
                self.assertIn(message, self.configure(call=call, code=1).stderr.replace("\n ", ""))


@unittest.skipUnless(NVCC and shutil.which("ninja"), "needs nvcc and Ninja")
class NinjaMultiConfig(PackageTest):
    generator = "Ninja Multi-Config"

    def test_each_configuration_has_copies_of_its_own(self):
        self.write("src/kernel.cu", "#ifdef NDEBUG\n#define BLOCK 128\n#else\n#define BLOCK 64\n#endif\n"
                   + KERNEL.replace("128", "BLOCK"))
        self.configure()
        for configuration in ("Debug", "Release"):
            self.run_here("cmake", "--build", "build", "--config", configuration, "--target", "app")
            copy = next(self.folder.glob(f"build/**/{configuration}/**/kernel.cu.o.bankstripe/kernel.cu"))
            self.assertIn("::bankstripe::warps(BLOCK)", copy.read_text())
            done = self.run_here("cmake", "--build", "build", "--config", configuration, "--target", "app")
            self.assertIn("no work to do", done.stdout)


@unittest.skipUnless(NVCC and shutil.which("make"), "needs nvcc and make")
class Make(Builds, PackageTest):
    generator = "Unix Makefiles"


if __name__ == "__main__":
    unittest.main()
