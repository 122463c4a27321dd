"""What `cmake --install` leaves, after the prefix was moved.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from installed import BUILD, SOURCE, FolderTest, prefix, run, tool

sys.path.insert(0, str(SOURCE / "tests" / "tool"))
from support import moves  # pylint: disable=wrong-import-position


class Program(FolderTest):
    def test_runs_from_where_it_was_moved_to(self):
        self.write("a.cu", moves())
        done = self.run_here(tool(), "rewrite", "--no-confirm", "--whole-program", "a.cu",
                             env={"PATH": "/usr/bin:/bin"})
        self.assertIn("+  __shared__ int last", done.stdout)

    def test_finds_what_came_along_with_it_first(self):
        version = re.search(r"Clang (\d+)", run(tool(), "--version").stdout)[1]
        own = prefix() / "lib/bankstripe/clang" / version
        if own.exists():
            own.rename(own.with_name("aside"))
            self.addCleanup(own.with_name("aside").rename, own)
        (own / "include").mkdir(parents=True)
        self.addCleanup(shutil.rmtree, own)
        for name in ("builtin_vars", "runtime_wrapper"):
            (own / f"include/__clang_cuda_{name}.h").write_text('#error "of the installation"\n')
        self.write("a.cu", moves())
        done = self.run_here(tool(), "analyze", "--no-confirm", "a.cu", code=3)
        self.assertIn("of the installation", done.stderr)

    def test_the_helper_is_where_the_package_says(self):
        self.assertEqual((prefix() / "include/bankstripe.cuh").read_bytes(),
                         (SOURCE / "runtime/device/bankstripe.cuh").read_bytes())

    def test_the_recorder_lies_where_the_verifier_looks(self):
        verifier = prefix() / "bin/bankstripe-verify"
        if not verifier.exists():
            self.skipTest("built without the CUDA toolkit")
        # It looks for the driver first.
        self.write("driver.c", "int driver;\n")
        self.run_here("cc", "-shared", "-o", "libcuda.so.1", "driver.c")
        (prefix() / "lib/bankstripe/libbankstripe-recorder.so").stat()
        done = subprocess.run([verifier, "/bin/true", "/bin/true"], capture_output=True, text=True,
                              check=False, env=os.environ | {"LD_LIBRARY_PATH": str(self.folder)})
        self.assertNotIn("recorder", done.stderr)


ASK_BASH = """source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_bankstripe "$2"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    script = SOURCE / "cmake/package/completion.bash"

    def ask(self, *words):
        return run("bash", "-c", ASK_BASH, "bash", self.script, tool(), *words).stdout.split()

    def test_is_where_bash_looks(self):
        self.assertEqual((prefix() / "share/bash-completion/completions/bankstripe").read_bytes(),
                         self.script.read_bytes())

    def test_commands(self):
        listed = run(tool(), "--help").stdout.split("SUBCOMMANDS:")[1].split("Type ")[0]
        self.assertEqual(self.ask(""), re.findall(r"(?m)^  (\w+) +- ", listed))
        self.assertEqual(self.ask("rew"), ["rewrite"])

    def test_options_and_their_values(self):
        self.assertEqual(self.ask("rewrite", "--lay"), ["--layout="])
        self.assertEqual(self.ask("rewrite", "--layout", "=", "s"), ["stripe", "slot", "split"])
        self.assertEqual(self.ask("analyze", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.ask("analyze", "--in-pl"), [])
        self.assertEqual(self.ask("reason", "over-b"), ["over-budget"])

    def test_architectures(self):
        table = (SOURCE / "rewriter/arch/ArchInfo.cpp").read_text(encoding="utf-8")
        self.assertEqual(self.ask("analyze", "--gpu-arch", "="), re.findall(r'{"(sm_\d+)"', table))

    def test_the_command_behind_wrap(self):
        self.assertIn("cmake", self.ask("wrap", "cmak"))
        self.assertIn("cmake", self.ask("wrap", "--layout", "=", "slot", "cmak"))
        self.assertEqual(self.ask("wrap", "--layout", "=", "sl"), ["slot"])
        self.assertEqual(self.ask("wrap", "cmake", "-E"), [])


class Configuration(FolderTest):
    def test_an_older_llvm_is_refused_with_the_reason(self):
        self.write("llvm/LLVMConfig.cmake", "set(LLVM_VERSION 21.1.0)\nset(LLVM_VERSION_MAJOR 21)\n")
        done = self.run_here("cmake", "-S", SOURCE, "-B", "build", f"-DLLVM_DIR={self.folder}/llvm",
                             "-DBANKSTRIPE_BUILD_RUNTIME=OFF", code=1)
        self.assertIn("needs LLVM 22 or newer, found 21.1.0", done.stderr)
        self.assertIn("cannot parse the headers of CUDA 13", " ".join(done.stderr.split()))

    def test_what_is_missing_is_named_as_debian_names_it(self):
        for options, message in (
                (["-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON"], "LLVM was not found (Debian: llvm-22-dev)"),
                (["-DCMAKE_DISABLE_FIND_PACKAGE_Clang=ON"], "(Debian: libclang-22-dev)"),
                (["-DCMAKE_IGNORE_PATH=/usr/include/eigen3"], "(Debian: libeigen3-dev)")):
            with self.subTest(message):
                shutil.rmtree(self.folder / "build", ignore_errors=True)
                done = self.run_here("cmake", "-S", SOURCE, "-B", "build", "-DBANKSTRIPE_BUILD_RUNTIME=OFF",
                                     "-DBANKSTRIPE_BUILD_TESTS=OFF", *options, code=1)
                self.assertIn(message, " ".join(done.stderr.split()))

    def test_find_package_takes_the_folder_of_a_build(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(any LANGUAGES NONE)\n"
                                     "find_package(bankstripe REQUIRED)\n"
                                     "get_target_property(program bankstripe::bankstripe LOCATION)\n"
                                     "get_target_property(helper bankstripe::helper INTERFACE_INCLUDE_DIRECTORIES)\n"
                                     "if(NOT COMMAND bankstripe_rewrite OR NOT EXISTS ${helper}/bankstripe.cuh)\n"
                                     "  message(FATAL_ERROR \"no function or no helper\")\n"
                                     "endif()\n"
                                     "message(STATUS \"program: ${program}\")\n")
        done = self.run_here("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={BUILD}")
        program = re.search("program: (.*)", done.stdout)[1]
        self.assertTrue(program.startswith(str(BUILD)), program)
        run(program, "--version")

    def test_another_version_of_the_package_is_refused(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(any LANGUAGES NONE)\n"
                                     "find_package(bankstripe 9.0 REQUIRED)\n")
        done = self.run_here("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix()}", code=1)
        self.assertIn('compatible with requested version "9.0"', " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
