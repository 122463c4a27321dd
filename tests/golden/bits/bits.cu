// Arrays of bool as bits, and what keeps some of them from it.
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

template <class T> __device__ int weight(T x) { return sizeof(x) + (x ? 1 : 0); }

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

__device__ int depth(const int *in, int n) {
  bool open[8] = {};
  for (int i = 0; i < n; ++i)
    open[in[i] % 8] = in[i] > 0;
  return n ? depth(in + 1, n - 1) + open[in[0] % 8] : 0;
}

__global__ void recursive(const int *in, int *out, int n) {
  out[0] = depth(in, n);
}

__global__ __launch_bounds__(64) void others(const int *in, int *out, int n) {
  bool deduced[8] = {}, passed[8] = {}, large[65] = {}, pointed[8] = {};
  for (int i = 0; i < n; ++i) {
    auto was = deduced[in[i] % 8];
    bool *one = &pointed[in[i] % 8];
    deduced[i % 8] = !was;
    passed[in[i] % 8] = large[in[i] % 65] = *one = i % 3;
    out[i] = weight(passed[i % 8]) + large[i % 65] + pointed[i % 8];
  }
}
