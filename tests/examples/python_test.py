"""The programs of examples/python run up to where a GPU is needed.

CuPy and PyCUDA are stood in for by modules that note the sources they are given. PyTorch is not: where it is not
installed, its extension is compiled as far as the kernel goes.

BANKSTRIPE names the program, BANKSTRIPE_SOURCE the source tree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["BANKSTRIPE_SOURCE"])
EXAMPLES = ROOT / "examples" / "python"

# It takes the two sources, and ends the program at the first launch of the second.
STAND_IN = """
import sys
sources = []
class Anything:
    def __init__(self, *words, **named): pass
    def __getattr__(self, name): return Anything()
    def __call__(self, *words, **named): return Anything()
    def __iter__(self): return iter(())
    def __getitem__(self, index): return Anything()
    def all(self): return True
class Kernel(Anything):
    def __call__(self, *words, **named):
        if len(sources) == 2:
            print("changed" if "__shared__" in sources[1] and "__shared__" not in sources[0] else "the same")
            sys.exit()
class Module(Anything):
    def __init__(self, code, **named): sources.append(code)
    def get_function(self, name): return Kernel()
RawModule = SourceModule = Module
def __getattr__(name): return Anything()
"""


class Programs(unittest.TestCase):
    def run_with(self, program, *modules):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for module in modules:
                path = folder / module
                path.parent.mkdir(exist_ok=True)
                path.write_text(STAND_IN)
            done = subprocess.run([sys.executable, "-B", str(EXAMPLES / program)], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT / 'python'}"}, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "changed\n"), done.stderr)

    def test_cupy(self):
        self.run_with("cupy_digits.py", "cupy.py")

    def test_pycuda(self):
        self.run_with("pycuda_digits.py", "numpy.py", "pycuda/__init__.py", "pycuda/autoinit.py", "pycuda/driver.py",
                      "pycuda/compiler.py")

    def test_the_kernel_of_the_extension_moves(self):
        text = (EXAMPLES / "digits.cu").read_text()
        kernel = text[text.index("__global__"):text.index("torch::Tensor")]
        done = subprocess.run([os.environ["BANKSTRIPE"], "rewrite", "--no-confirm", "--block-size=128", "-"], input=kernel,
                              capture_output=True, text=True, check=False)
        self.assertIn("counts_stripes", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
