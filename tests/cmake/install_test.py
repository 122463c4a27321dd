"""What `cmake --install` leaves, after the prefix was moved.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import unittest

from installed import SOURCE, FolderTest, prefix, run, tool

sys.path.insert(0, str(SOURCE / "tests" / "tool"))
from support import moves  # pylint: disable=wrong-import-position

ASK_BASH = """source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_bankstripe
printf '%s\\n' "${COMPREPLY[@]}"
"""


def help_of(*command):
    return run(tool(), *command, "--help").stdout


def commands():
    listed = help_of().split("SUBCOMMANDS:")[1].split("Type ")[0]
    return re.findall(r"^  ([a-z-]+) +- ", listed, re.M)


def options(command):
    """The options of a command as --help spells them."""
    own = help_of(command).split("bankstripe options:")
    return re.findall(r"^  (--?[a-z-]+)", own[1], re.M) if len(own) > 1 else []


class Program(FolderTest):
    def test_runs_from_where_it_was_moved_to(self):
        self.write("a.cu", moves())
        done = self.run_here(tool(), "rewrite", "--no-confirm", "a.cu",
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


class Texts(unittest.TestCase):
    def test_the_man_page_names_everything(self):
        page = prefix() / "share/man/man1/bankstripe.1.gz"
        text = gzip.decompress(page.read_bytes()).decode().replace("\\-", "-")
        self.assertIn("rewrite", commands())
        for command in commands():
            section = text.split(f".SS bankstripe {command}\n")[1].split(".SS ")[0]
            for option in options(command):
                self.assertRegex(section, rf"(?m)^\.B {option}(=| |$)")

    @unittest.skipUnless(shutil.which("man"), "needs man")
    def test_the_man_page_is_well_formed(self):
        done = run("man", "--warnings", "-l", prefix() / "share/man/man1/bankstripe.1.gz",
                   env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.stderr, "")
        self.assertIn("NAME", done.stdout)

    def script(self, shell):
        return {"bash": prefix() / "share/bash-completion/completions/bankstripe",
                "zsh": prefix() / "share/zsh/site-functions/_bankstripe",
                "fish": prefix() / "share/fish/vendor_completions.d/bankstripe.fish"}[shell]

    def test_the_completions_name_everything(self):
        for command in commands():
            for option in options(command):
                name = option.lstrip("-")
                dash = "-s" if len(name) == 1 else "-l"
                self.assertRegex(self.script("bash").read_text(), rf"  {command}\) options='.*{option}[= ]")
                section = self.script("zsh").read_text().split(f"    {command})\n")[1].split(";;")[0]
                self.assertRegex(section, rf"'\*{option}=?\[")
                self.assertRegex(self.script("fish").read_text(),
                                 rf"subcommand_from {command}' {dash} {name} ")

    def ask_bash(self, *words):
        return run("bash", "-c", ASK_BASH, "bash", self.script("bash"), *words).stdout.split()

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.ask_bash("bankstripe", "rew"), ["rewrite"])
        self.assertEqual(self.ask_bash("bankstripe", "rewrite", "--lay"), ["--layout="])
        self.assertEqual(self.ask_bash("bankstripe", "rewrite", "--layout", "=", "sl"), ["slot"])
        self.assertEqual(self.ask_bash("bankstripe", "analyze", "--in-pl"), [])
        self.assertIn("README.md", [os.path.basename(name) for name in self.ask_bash(
            "bankstripe", "analyze", f"{SOURCE}/READ")])

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish_completes_commands_options_and_values(self):
        for words, expected in [("bankstripe rew", "rewrite"), ("bankstripe rewrite --lay", "--layout"),
                                ("bankstripe rewrite --layout=sl", "--layout=slot")]:
            done = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]',
                       self.script("fish"), words)
            self.assertEqual(done.stdout.split("\t")[0].strip(), expected)

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_can_read_its_script(self):
        run("zsh", "-n", self.script("zsh"))


class Configuration(FolderTest):
    def test_an_older_llvm_is_refused_with_the_reason(self):
        self.write("llvm/LLVMConfig.cmake", "set(LLVM_VERSION 21.1.0)\nset(LLVM_VERSION_MAJOR 21)\n")
        done = self.run_here("cmake", "-S", SOURCE, "-B", "build", f"-DLLVM_DIR={self.folder}/llvm",
                             "-DBANKSTRIPE_BUILD_RUNTIME=OFF", code=1)
        self.assertIn("needs LLVM 22 or newer, found 21.1.0", done.stderr)
        self.assertIn("cannot parse the headers of CUDA 13", " ".join(done.stderr.split()))

    def test_another_version_of_the_package_is_refused(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(any LANGUAGES NONE)\n"
                                     "find_package(bankstripe 9.0 REQUIRED)\n")
        done = self.run_here("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix()}", code=1)
        self.assertIn('compatible with requested version "9.0"', " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
