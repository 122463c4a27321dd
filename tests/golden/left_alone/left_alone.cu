// golden: --verbose
// What needs no change, or must not have one.

__global__ void alone(const int *in, int *out) {
  int unrolled[4];
  for (int i = 0; i < 4; ++i)
    unrolled[i] = in[i];
  int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  int unused[8];
  int marked[8] = {0}; // NOLINT(bankstripe)
  // NOLINTNEXTLINE(bankstripe)
  int alsoMarked[8] = {0};
  for (int i = 0; i < 50; ++i) {
    marked[in[i + threadIdx.x] & 7] += i;
    alsoMarked[in[i] & 7] += marked[i & 7];
  }
  out[threadIdx.x] = unrolled[0] + unrolled[3] + table[2] +
                     alsoMarked[in[threadIdx.x] & 7];
}

void launch(const int *in, int *out) { alone<<<1, 128>>>(in, out); }
