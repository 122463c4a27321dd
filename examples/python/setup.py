"""The extension of digits.cu as a package: pip install --no-build-isolation ."""

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="digits_extension", version="1.0", py_modules=[],
      ext_modules=[CUDAExtension("digits_extension", ["digits.cu"])], cmdclass={"build_ext": BuildExtension})
