// Arrays of bool as bits.
#include <cstring>

#define FLIP(FLAG) FLAG = !FLAG

__device__ void clearAll(bool *flags, int count) {
  for (int i = 0; i < count; ++i)
    flags[i] = false;
}

__device__ int countAll(const bool *flags, int count) {
  int set = 0;
  for (const bool *flag = flags; flag != flags + count; ++flag)
    set += *flag;
  return set;
}

// Nothing is known of its launches, and nothing has to be.
__global__ void simple(const int *in, int *out, int n) {
  bool seen[9] = {false};
  bool used[3][3] = {{true, n > 2}, {false, false, true}}, done = false,
       far[40] = {0};
  for (int i = 0; i < n; ++i) {
    if (seen[in[i] % 9] || used[in[i] % 3][i % 3])
      done = true;
    seen[in[i] % 9] = used[i % 3][in[i] % 3] |= in[i] & 4;
    FLIP(far[in[i] % 40]);
  }
  out[0] = far[in[n] % 40] + done;
}

__global__ void cleared(const int *in, int *out, int n) {
  bool a[12], b[17];
  clearAll(a, 12);
  memset(b, 0, sizeof(b));
  for (int i = 0; i < n; ++i)
    a[in[i] % 12] ^= b[in[i] % 17] = i > 3;
  out[0] = countAll(a, 12) + b[in[n] % 17];
}
// golden: --layout=bits
