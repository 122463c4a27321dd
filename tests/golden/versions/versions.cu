// golden: --versions --shared-limit=232448
// Kernels whose launches run a version that stands beside them, since other files
// may launch them, with blocks of any size.

// Its shared memory would be there twice if it chose in its own body.
__global__ void histogram(const int *in, int *out, int n) {
  unsigned counts[16] = {0}; // one for each digit
  __shared__ int total[1024];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    ++counts[in[i] & 15];
  total[threadIdx.x] = counts[n & 15];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = total[(threadIdx.x + 1) % blockDim.x];
}

namespace work {

// What it includes stands in both.
template <typename T, int N> __global__ void sums(T *out, int n) {
  T values[N];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#include "fragment.inc"
    out[i] = values[n % N];
  }
}

} // namespace work

// A function is the original's as well, so the version calls a copy, which needs
// no test of the block. On the host it is what it was.
__host__ __device__ inline int largest(const int *in, int n) {
  int last[4];
  for (int i = 0; i < n; ++i)
    last[in[i] & 3] = i;
  return last[n & 3];
}

// Functions may be defined behind their callers.
__device__ int rarest(const int *in, int n);

__global__ void both(const int *in, int *out, int n) {
  out[threadIdx.x] = largest(in, n) + rarest(in, n);
}

__device__ int rarest(const int *in, int n) {
  int first[4];
  for (int i = n; i-- > 0;)
    first[in[i] & 3] = i;
  return first[n & 3];
}

// The memory that launches bring is aligned to 128 bytes. Whatever may launch it
// through the pointer gets the version, too.
struct alignas(32) Line {
  int words[8];
};
__global__ void lines(const Line *in, int *out, int n) {
  Line kept[2];
  for (int i = 0; i < n; ++i)
    kept[i & 1] = in[i];
  const int *words = kept[n & 1].words;
  out[threadIdx.x] = words[out[threadIdx.x] & 7];
}
void (*const chosen)(const Line *, int *, int) = lines;

void run(const int *in, int *out, int n, dim3 block) {
  histogram<<<4, 128>>>(in, out, n);
  work::sums<int, 32><<<4, block>>>(out, n);
  work::sums<float, 8><<<4, block>>>((float *)out, n);
}
