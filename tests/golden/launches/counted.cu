// golden: --shared-limit=65536
#include "kernels.cuh"

// Reached by two kernels, and at one place for both.
static __device__ int rarest(const int *in) {
  int votes[4] = {0};
  for (int i = 0; i < 50; ++i)
    ++votes[in[i + threadIdx.x] & 3];
  return votes[in[0] & 3];
}

namespace shapes {
__global__ void counted(const int *in, int *out) { out[threadIdx.x] = rarest(in); }
} // namespace shapes

static __global__ void paired(const int *in, int *out) {
  extern __shared__ int sums[];
  int last[8];
  for (int i = 0; i < 8; ++i)
    last[i] = in[i];
  sums[threadIdx.x] = last[in[threadIdx.x] & 7];
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x ^ 1] + rarest(in);
}

// More than 48 KB, so it has to be allowed.
__global__ void large(const int *in, int *out) {
  int last[60];
  for (int i = 0; i < 60; ++i)
    last[i] = in[i];
  out[threadIdx.x] = last[in[threadIdx.x] % 60];
}

void launch(int n, const int *in, int *out, cudaStream_t stream) {
  paired<<<1, n, n * sizeof(int), stream>>>(in, out);
  large<<<1, 256>>>(in, out);
}
