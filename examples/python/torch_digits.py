"""PyTorch: runs count_digits() of digits.cu, which is built here, or was built by setup.py: argument `installed`."""

import pathlib
import sys

import torch

if "installed" in sys.argv[1:]:
    import digits_extension
else:
    from torch.utils.cpp_extension import load

    digits_extension = load("digits_extension", [str(pathlib.Path(__file__).with_name("digits.cu"))], verbose=True)

words = torch.randint(0, 1 << 31, (1 << 20,), dtype=torch.int32, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
for _ in range(5):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    out = digits_extension.count_digits(words)
    end.record()
    end.synchronize()
print(f"torch: {begin.elapsed_time(end):.3f} ms, sum {int(out.long().sum())}")
