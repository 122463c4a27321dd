__global__ void order(const int *in, int *out, int n) {
  int places[16];
  for (int i = 0; i < 16; ++i)
    places[i] = i;
  for (int i = 0; i < n; ++i)
    places[in[i] & 15] += places[i & 15];
  out[threadIdx.x] = places[in[n] & 15];
}

__global__ void chosen(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in, n);
}

// It could tell of its blocks, if the helper could be included here.
__global__ void __launch_bounds__(64) bounded(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in, n);
}

__device__ void walk(int *p, const int *in, int n) {
  for (int i = 0; i < n; ++i)
    p[in[i] & 15] += i;
}
