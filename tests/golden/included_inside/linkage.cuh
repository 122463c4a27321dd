__global__ void count(const int *in, int *out, int n) {
  int counts[16];
  for (int i = 0; i < 16; ++i)
    counts[i] = 0;
  for (int i = 0; i < n; ++i)
    ++counts[in[i] & 15];
  out[threadIdx.x] = counts[in[n] & 15];
}
