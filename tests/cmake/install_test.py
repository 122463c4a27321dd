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
from support import moves, whole_helper  # pylint: disable=wrong-import-position


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
        self.assertEqual((prefix() / "include/bankstripe.cuh").read_text(), whole_helper())

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


# Of zsh's own functions, what they are given is printed.
ASK_ZSH = """compadd() {
  while [[ $1 == -* && $1 != -- ]]; do shift 2; done
  print -l -- ${(M)@[2,-1]:#${words[CURRENT]#*=}*}
}
_describe() { compadd -- ${choices%%:*} }
compset() { }
_files() { print files }
_command_names() { print commands }
_normal() { print behind: $words }
script=$1
shift
words=("$@") CURRENT=$#
source "$script"
"""

ASK_FISH = """source $argv[1]
set -x PATH (dirname $argv[2]) $PATH
complete -C "bankstripe $argv[3..-1]"
"""


class Completion(unittest.TestCase):
    places = {"bash": "bash-completion/completions/bankstripe", "zsh": "zsh/vendor-completions/_bankstripe",
              "fish": "fish/vendor_completions.d/bankstripe.fish"}

    def script(self, shell):
        return prefix() / "share" / self.places[shell]

    def bash(self, *words):
        return run("bash", "-c", ASK_BASH, "bash", self.script("bash"), tool(), *words).stdout.split()

    def zsh(self, *words):
        return run("zsh", "-fc", ASK_ZSH, "zsh", self.script("zsh"), tool(), *words).stdout.split()

    def fish(self, *words):
        lines = run("fish", "--no-config", "-c", ASK_FISH, self.script("fish"), tool(), *words).stdout.splitlines()
        return [line.split("\t")[0] for line in lines]

    def test_are_where_shells_look(self):
        for shell in self.places:
            self.assertEqual(self.script(shell).read_bytes(),
                             (SOURCE / f"cmake/package/completion.{shell}").read_bytes())

    def test_commands(self):
        listed = run(tool(), "--help").stdout.split("SUBCOMMANDS:")[1].split("Type ")[0]
        self.assertEqual(self.bash(""), re.findall(r"(?m)^  (\w+) +- ", listed))
        self.assertEqual(self.bash("rew"), ["rewrite"])

    def test_options_and_their_values(self):
        self.assertEqual(self.bash("rewrite", "--lay"), ["--layout="])
        self.assertEqual(self.bash("rewrite", "--layout", "=", "s"), ["stripe", "slot", "split"])
        self.assertEqual(self.bash("analyze", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.bash("analyze", "--in-pl"), [])
        self.assertEqual(self.bash("reason", "over-b"), ["over-budget"])

    def test_architectures(self):
        table = (SOURCE / "rewriter/arch/ArchInfo.cpp").read_text(encoding="utf-8")
        self.assertEqual(self.bash("analyze", "--gpu-arch", "="), re.findall(r'{"(sm_\d+)"', table))

    def test_the_command_behind_wrap(self):
        self.assertIn("cmake", self.bash("wrap", "cmak"))
        self.assertIn("cmake", self.bash("wrap", "--layout", "=", "slot", "cmak"))
        self.assertEqual(self.bash("wrap", "--layout", "=", "sl"), ["slot"])
        self.assertEqual(self.bash("wrap", "cmake", "-E"), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_of_zsh(self):
        self.assertEqual(self.zsh("rew"), ["rewrite"])
        self.assertEqual(self.zsh("rewrite", "--lay"), ["--layout="])
        self.assertEqual(self.zsh("rewrite", "--layout=s"), ["stripe", "slot", "split"])
        self.assertEqual(self.zsh("analyze", "--gpu-arch=sm_9"), ["sm_90"])
        self.assertEqual(self.zsh("reason", "over-b"), ["over-budget"])
        self.assertEqual(self.zsh("rewrite", "sr"), ["files"])
        self.assertEqual(self.zsh("wrap", "--layout=slot", "nv"), ["commands"])
        self.assertEqual(self.zsh("wrap", "nvcc", "-c"), ["behind:", "nvcc", "-c"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_of_fish(self):
        self.assertEqual(self.fish("rew"), ["rewrite"])
        self.assertEqual(self.fish("rewrite", "--lay"), ["--layout="])
        self.assertEqual(self.fish("rewrite", "--layout=sl"), ["--layout=slot"])
        self.assertEqual(self.fish("analyze", "--gpu-arch=sm_9"), ["--gpu-arch=sm_90"])
        self.assertEqual(self.fish("reason", "over-b"), ["over-budget"])
        self.assertIn("dirname", self.fish("wrap", "--layout=slot", "dirn"))
        self.assertEqual(self.fish("wrap", "nvcc", "--lay"), [])


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
