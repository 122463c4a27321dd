"""PyCUDA: the same kernel as it is and rewritten."""

import numpy
import pycuda.autoinit  # noqa: F401
import pycuda.driver
from pycuda.compiler import SourceModule

import bankstripe
from digits import BLOCK, BLOCKS, SOURCE, WORDS

results = []
words = numpy.random.default_rng(1).integers(0, 1 << 31, WORDS, dtype=numpy.uint32)
for source in (SOURCE, bankstripe.rewrite(SOURCE, f"--block-size={BLOCK}")):
    kernel = SourceModule(source, no_extern_c=True).get_function("digits")
    out = numpy.empty(BLOCK * BLOCKS, numpy.uint32)
    kernel(pycuda.driver.In(words), pycuda.driver.Out(out), numpy.int32(WORDS), block=(BLOCK, 1, 1), grid=(BLOCKS, 1))
    results.append(out)
assert (results[0] == results[1]).all()
print("pycuda: the results are equal")
