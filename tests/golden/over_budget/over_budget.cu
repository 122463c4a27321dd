// 48 KB hold some of the arrays only: the best by accesses per byte.

__global__ void choose(const int *in, int *out) {
  __shared__ int own[256];
  int large[64], hot[32], cold[32];
  own[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < 32; ++i) {
    large[in[i] & 63] = i;
    cold[in[i] & 31] = i;
    for (int j = 0; j < 32; ++j)
      hot[in[i + threadIdx.x] & 31] += hot[in[j] & 31] + j;
  }
  out[threadIdx.x] = large[in[0] & 63] + hot[in[1] & 31] + cold[in[2] & 31] +
                     own[threadIdx.x ^ 1];
}

void launch(const int *in, int *out) { choose<<<1, 256>>>(in, out); }
// golden: --shared-limit=49152
