"""The kernel of these examples, as text: how often each digit of 4 bits is in 64 words of a thread."""

SOURCE = r"""
extern "C" __global__ void digits(const unsigned *in, unsigned *out, int words) {
  unsigned counts[16] = {};
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; ++k) {
    unsigned word = in[(thread + k * 4099) % words];
    for (int digit = 0; digit < 8; ++digit, word >>= 4)
      ++counts[word & 15];
  }
  unsigned hash = 0;
  for (int digit = 0; digit < 16; ++digit)
    hash = hash * 31 + counts[digit];
  out[thread] = hash;
}
"""
BLOCK, BLOCKS, WORDS = 128, 4096, 1 << 20
