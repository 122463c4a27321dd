"""An installation of the build under test, moved after it was made.

BANKSTRIPE_BUILD names the build, BANKSTRIPE_SOURCE the source tree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BANKSTRIPE_SOURCE"])
BUILD = pathlib.Path(os.environ["BANKSTRIPE_BUILD"])


def run(*words, code=0, **kwargs):
    """Runs a command; what it printed is shown where it ends as it should not. The code may be one
    of several: Ninja hands on that of the command that failed from 1.13 on, and says 1 before."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          timeout=280, stdin=subprocess.DEVNULL, **kwargs)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


@functools.cache
def prefix():
    """The folder of the installation, the same for all tests of a process."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    first, moved = pathlib.Path(folder) / "first", pathlib.Path(folder).resolve() / "mo ved"
    run("cmake", "--install", BUILD, "--prefix", first)
    first.rename(moved)
    return moved


def tool():
    return prefix() / "bin" / "bankstripe"


@functools.cache
def known_compilers(nvcc):
    """What CMake finds out about compilers, which takes it seconds, for all builds."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(any LANGUAGES CXX CUDA)\n")
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_CUDA_COMPILER={nvcc}",
        "-DCMAKE_CUDA_ARCHITECTURES=90")
    return next((folder / "build/CMakeFiles").glob("*/CMakeCUDACompiler.cmake")).parent


def copy_known_compilers(source, build, nvcc):
    """Tells CMake what it would find out of compilers when it configures `source` in `build`."""
    known = known_compilers(nvcc)
    shutil.copytree(known, build / "CMakeFiles" / known.name, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("CompilerId*"))
    cache = build / "CMakeCache.txt"
    if not cache.exists():  # Without one, all that is there would be thrown away.
        tools = re.findall(r"(?m)^CMAKE_(?!MAKE_PROGRAM).*:FILEPATH=.*\n",
                           (known.parent.parent / cache.name).read_text())
        cache.write_text("".join(tools) + "CMAKE_CUDA_ARCHITECTURES:STRING=90\n"
                         f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n"
                         "CMAKE_PLATFORM_INFO_INITIALIZED:INTERNAL=1\n")


def copy_example(name, folder):
    """Copies examples/NAME, without what building it has left there."""
    for path in (SOURCE / "examples" / name).iterdir():
        if path.suffix in (".cu", ".h", ".txt") or path.name == "Makefile":
            shutil.copy(path, folder)


class FolderTest(unittest.TestCase):
    """A test in an empty folder."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def change(self, name, old, new):
        text = self.read(name)
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def run_here(self, *words, **kwargs):
        return run(*words, cwd=self.folder, **kwargs)
