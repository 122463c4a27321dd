// golden: --choose --whole-program --shared-limit=232448
// Launches that choose between a kernel and its version when the program runs.

__global__ void histogram(const int *in, int *out, int n) {
  unsigned counts[16] = {0};
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    ++counts[in[i] & 15];
  out[blockIdx.x * blockDim.x + threadIdx.x] = counts[n & 15];
}

namespace work {

// Nobody knows its blocks, so its version's launches ask for the storage.
template <typename T, int N>
__global__ void sums(const T *in, T *out, int n) {
  extern __shared__ int shared[];
  T values[N];
  for (int i = 0; i < N; ++i)
    values[i] = in[i];
  for (int i = 0; i < n; ++i)
    values[i % N] += in[i * n];
  shared[threadIdx.x] = 0;
  out[threadIdx.x] = values[n % N];
}

} // namespace work

// A launch that cannot choose would lose what it gains if arrays move.
__global__ void mixed(int *out, int i) {
  int order[4];
  for (int k = 0; k < i; ++k)
    order[k & 3] = k;
  out[threadIdx.x] = order[i & 3];
}

// All launches of a template's text, whatever its arguments.
template <int N> __global__ void picks(int *out, int i) {
  int order[N];
  for (int k = 0; k < i; ++k)
    order[k % N] = k;
  out[threadIdx.x] = order[i % N];
}

inline int blocksFor(int n, int threads) { return (n + threads - 1) / threads; }

template <int N> void pick(int *out, int n, cudaStream_t *streams) {
  picks<N><<<blocksFor(n, 128), 128, 0, streams[N]>>>(out, n);
}

void run(const int *in, int *out, int n, int blocks, cudaStream_t *streams) {
  histogram<<<4, 256>>>(in, out, n);
  histogram<<<dim3(2, 2), 64, 0, streams[1]>>>(in, out, n);
  work::sums<int, 8><<<4, n, n * sizeof(int)>>>(in, out, n);
  mixed<<<4, 64>>>(out, n);
  mixed<<<blocks++, 64>>>(out, n);
  pick<4>(out, n, streams);
  pick<6>(out, n, streams);
}
