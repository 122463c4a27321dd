"""What `cmake --install` leaves, after the prefix was moved.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from installed import SOURCE, FolderTest, prefix, run, tool

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
