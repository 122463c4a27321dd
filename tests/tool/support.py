"""What the tests of the whole program share.

The environment variable BANKSTRIPE names the program. Each test works in a
folder of its own, and sees what the program printed, returned and wrote.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import termios
import time
import unittest
import unittest.mock

TOOL = os.environ.get("BANKSTRIPE", "bankstripe")

DONE, CHANGES, USAGE, SOME_FAILED = 0, 1, 2, 3

# An array that moves; NAME stands for the kernel's name.
MOVES = """// A kernel.
__global__ void NAME(const int *in, int *out) {
  int last[8] = {0};
  for (int i = 0; i < 50; ++i)
    last[in[i + threadIdx.x] & 7] += last[in[i] & 7];
  out[threadIdx.x] = last[in[threadIdx.x] & 7];
}
void launchNAME(const int *in, int *out) { NAME<<<1, 128>>>(in, out); }
"""

# Clang leaves it in local memory, ptxas does not.
SELECTED = """
__global__ void chosen(const int *in, int *out) {
  int pair[2];
  pair[0] = in[threadIdx.x];
  pair[1] = in[threadIdx.x + 1];
  pair[in[0] & 1] = 5;
  out[threadIdx.x] = pair[in[1] & 1];
}
void launchChosen(const int *in, int *out) { chosen<<<1, 64>>>(in, out); }
"""

# No array at all.
PLAIN = """__global__ void plain(int *out) { out[threadIdx.x] = 1; }
"""

BROKEN = "__global__ void broken(int *out) { out[0] = ; }\n"


# The accesses are unrolled, and their addresses are computed one by one after the rewrite.
GROWS = """
__global__ void count(const int *in, int *out, int n) {
  int last[64];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    last[i] = in[i];
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    last[in[i * 128 + threadIdx.x] & 63] += i;
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i)
    sum = sum * 3 + last[i];
  out[threadIdx.x] = sum;
}
void launch(const int *in, int *out, int n) { count<<<n, 128>>>(in, out, n); }
"""


def whole_helper(header=pathlib.Path(__file__).resolve().parents[2] / "runtime/device/bankstripe.cuh"):
    """The text of the header with what it includes."""
    return re.sub(r'#include "(.*)"\n', lambda line: whole_helper(header.parent / line[1]), header.read_text())


def moves(name="count"):
    return MOVES.replace("NAME", name)


def find_nvcc():
    """The nvcc that the program would find, or nothing."""
    folders = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    for folder in filter(None, folders):
        nvcc = pathlib.Path(folder) / "bin" / "nvcc"
        if nvcc.exists():
            return str(nvcc)
    return shutil.which("nvcc")


def ends(process):
    """Whether it ends soon; nobody may wait for it."""
    stop = time.time() + 60
    while time.time() < stop:
        try:
            stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="latin-1")
        except OSError:
            return True
        if stat.rpartition(") ")[2][0] == "Z":
            return True
        time.sleep(0.02)
    return False


class ToolTest(unittest.TestCase):
    """A test in an empty folder."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        # Whoever runs the tests has a cache, which is none of their business.
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = pathlib.Path(cache.name).resolve()
        patch = unittest.mock.patch.dict(os.environ, BANKSTRIPE_CACHE_DIR=cache.name)
        patch.start()
        self.addCleanup(patch.stop)

    def write_compiler_header(self):
        """<compiler.h>, which tells what Clang reads from what nvcc does. The program asks nvcc for
        macros of compilers that the user's own text asks for, and not for those of system headers."""
        self.write("system/compiler.h", "#pragma GCC system_header\n#ifdef __clang_major__\n"
                   "#define READ_BY_CLANG\n#endif\n")
        patch = unittest.mock.patch.dict(os.environ, CPATH=str(self.folder / "system"))
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    def read(self, name):
        return (self.folder / name).read_bytes().decode("latin-1")

    def run_tool(self, *args, confirm=False, whole=True, **kwargs):
        """Runs the program; nvcc is only asked when the test is about that, and other files only
        launch kernels when it is about that."""
        words = [str(a) for a in args]
        if whole and words and words[0] in ("analyze", "rewrite"):
            words.insert(1, "--whole-program")
        if not confirm and words and words[0] in ("analyze", "rewrite", "verify"):
            words.insert(1, "--no-confirm")
        done = subprocess.run(
            [TOOL, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, check=False, timeout=120, **kwargs)
        # Not as text, which would change line endings.
        done.stdout = done.stdout.decode("latin-1")
        done.stderr = done.stderr.decode("latin-1")
        return done

    def errors_on_terminal(self, *words, columns=0, **environment):
        """What a terminal that is standard error is sent."""
        ours, theirs = pty.openpty()
        if columns:
            termios.tcsetwinsize(theirs, (24, columns))
        with subprocess.Popen(
                [TOOL, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=theirs,
                env={**os.environ, **environment}) as process:
            os.close(theirs)
            text = b""
            while True:
                try:
                    part = os.read(ours, 1 << 16)
                except OSError:  # How a terminal says that nobody is there.
                    break
                text += part
        os.close(ours)
        self.assertEqual(process.returncode, DONE)
        return text.decode()

    def expect(self, code, done):
        self.assertEqual(done.returncode, code, f"stderr: {done.stderr}")
        return done

    def snapshot(self):
        """Everything in the folder: links, permissions, bytes."""
        return {
            str(path.relative_to(self.folder)): (
                path.lstat().st_mode,
                path.readlink() if path.is_symlink()
                else path.read_bytes() if path.is_file() else None)
            for path in sorted(self.folder.rglob("*"))
        }

    def assert_rewritten(self, name):
        text = self.read(name)
        self.assertIn("__shared__", text)
        self.assertIn("::bankstripe::column(", text)
        self.assertNotIn("  int last[8]", text)
