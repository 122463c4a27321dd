// Arrays that are never alive at the same time share bytes where the block has
// no room for all of them: in blocks beside each other, and in functions of
// which neither calls the other.

__device__ int count(const int *in, int n) {
  int seen[48] = {0};
  for (int i = 0; i < n; ++i)
    ++seen[in[i] % 48];
  return seen[in[n] % 48];
}

__device__ int swap(const int *in, int n) {
  int order[40];
  for (int i = 0; i < 40; ++i)
    order[i] = in[i];
  for (int i = 0; i < n; ++i)
    order[in[i] % 40] = order[in[n - i] % 40];
  return order[in[n] % 40];
}

__global__ void functions(const int *in, int *out, int n) {
  out[threadIdx.x] = count(in, n) + swap(in + threadIdx.x, n);
}

__global__ void blocks(const int *in, int *out, int n) {
  float sum = 0;
  if (n > 3) {
    float left[57];
    for (int i = 0; i < 57; ++i)
      left[i] = in[i];
    for (float f : left)
      sum += left[in[n] % 57] * f;
  }
  for (int round = 0; round < n; ++round) {
    float right[56] = {};
    right[in[round] % 56] = 1;
    for (float f : right)
      sum += right[in[n] % 56] + f;
  }
  out[threadIdx.x] = sum;
}

// The outer array is alive while the inner ones are.
__global__ void nested(const int *in, int *out, int n) {
  int outer[48];
  for (int i = 0; i < 48; ++i)
    outer[i] = in[i];
  {
    int first[24];
    for (int i = 0; i < 24; ++i)
      first[i] = outer[in[i] % 48];
    outer[in[n] % 48] += first[in[n] % 24];
  }
  {
    int second[16];
    for (int i = 0; i < 16; ++i)
      second[i] = outer[in[i] % 48];
    outer[in[n] % 48] += second[in[n] % 16];
  }
  out[threadIdx.x] = outer[in[n + 1] % 48];
}

void launch(const int *in, int *out, int n, int threads) {
  functions<<<1, 256>>>(in, out, n);
  blocks<<<1, 128>>>(in, out, n);
  nested<<<1, 160>>>(in, out, n);
}
