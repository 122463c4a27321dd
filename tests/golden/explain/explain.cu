// golden: --explain
// Where predictions come from, for a change that pays and for one that does not.
__global__ void histogram(const int *in, int *out, int n) {
  unsigned char counts[16] = {0};
  for (int i = 0; i < n; ++i)
    ++counts[in[i * 64 + threadIdx.x] & 15];
  for (int i = 0; i < 16; ++i)
    out[i * 64 + threadIdx.x] = counts[i];
}

__global__ void sparse(const float *in, float *out, int n) {
  float rare[256];
  for (int i = 0; i < 256; ++i)
    rare[i] = in[i];
  float sum = 0;
  for (int k = 0; k < n; ++k)
    for (int tap = 0; tap < 1000; ++tap)
      sum = sum * 0.5f + in[tap * n + k];
  out[threadIdx.x] = sum + rare[n & 255];
}

void run(const int *in, int *out, int n) {
  histogram<<<10, 64>>>(in, out, n);
  sparse<<<10, 64>>>((const float *)in, (float *)out, n);
}
