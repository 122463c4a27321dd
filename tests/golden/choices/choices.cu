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

void run(const int *in, int *out, int n, cudaStream_t *streams) {
  histogram<<<4, 256>>>(in, out, n);
  histogram<<<dim3(2, 2), 64, 0, streams[1]>>>(in, out, n);
  work::sums<int, 8><<<4, n, n * sizeof(int)>>>(in, out, n);
}
