// golden: --explain
// A stripe has places for whole warps. In blocks of two threads that is sixteen
// times what a slot takes, so pair's arrays get slots, also where they could be
// walked over as stripes. The kernel with whole warps keeps its stripe, and the
// function that both call deduces what it walks over.
__device__ int total(const int *values, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i];
  return sum;
}

__global__ void pair(const int *in, int *out, int n) {
  int last[64], few[8];
  for (int i = 0; i < 64; ++i)
    last[in[i] & 63] = in[i + 1];
  for (int i = 0; i < 8; ++i)
    few[in[i] & 7] = in[i + 2];
  int sum = 0;
  for (const int *p = last; p != last + (n & 63); ++p)
    sum += *p;
  out[threadIdx.x] = sum + total(last, n & 63) + total(few, n & 7);
}

__global__ void whole(const int *in, int *out, int n) {
  int last[64];
  for (int i = 0; i < 64; ++i)
    last[in[i] & 63] = in[i + 1];
  out[threadIdx.x] = total(last, n & 63) + last[in[0] & 63];
}

void launch(const int *in, int *out, int n) {
  pair<<<1000, 2>>>(in, out, n);
  whole<<<1000, 64>>>(in, out, n);
}
