"""CuPy: the same kernel as it is and rewritten, by NVRTC, or by nvcc with the argument `nvcc`."""

import sys

import cupy

import bankstripe
from digits import BLOCK, BLOCKS, SOURCE, WORDS

backend = sys.argv[1] if len(sys.argv) > 1 else "nvrtc"
results, times = [], []
words = cupy.random.RandomState(1).randint(0, 1 << 31, WORDS).astype(cupy.uint32)
for source in (SOURCE, bankstripe.rewrite(SOURCE, f"--block-size={BLOCK}")):
    kernel = cupy.RawModule(code=source, backend=backend).get_function("digits")
    out = cupy.empty(BLOCK * BLOCKS, cupy.uint32)
    for _ in range(5):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel((BLOCKS,), (BLOCK,), (words, out, cupy.int32(WORDS)))
        end.record()
        end.synchronize()
    results.append(out.get())
    times.append(cupy.cuda.get_elapsed_time(begin, end))
assert (results[0] == results[1]).all()
print(f"cupy, {backend}: {times[0]:.3f} ms, rewritten {times[1]:.3f} ms, {times[0] / times[1]:.1f} times as fast")
