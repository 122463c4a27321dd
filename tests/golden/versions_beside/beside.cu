// golden: --versions --shared-limit=232448
// Kernels whose launches in sight run a version that stands beside them.

// Its shared memory would be there twice if it chose in its own body.
__global__ void histogram(const int *in, int *out, int n) {
  unsigned counts[16] = {0};
  __shared__ int total[1024];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    ++counts[in[i] & 15];
  total[threadIdx.x] = counts[n & 15];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = total[(threadIdx.x + 1) % blockDim.x];
}

namespace work {

// Nobody knows its blocks, so the launches ask for the storage.
template <typename T, int N>
__global__ void sums(const T *in, T *out, int n) {
  T values[N];
  for (int i = 0; i < N; ++i)
    values[i] = in[i];
  for (int i = 0; i < n; ++i)
    values[i % N] += in[i * n];
  out[threadIdx.x] = values[n % N];
}

} // namespace work

// A static variable would have two states.
__global__ void numbered(int *out, int i) {
  static __device__ int calls = 0;
  extern __shared__ int memory[];
  int order[4];
  memory[threadIdx.x] = atomicAdd(&calls, 1);
  for (int k = 0; k < i; ++k)
    order[k & 3] = memory[threadIdx.x] + k;
  out[threadIdx.x] = order[i & 3];
}

// A function is the original's as well, so the version calls a copy, which needs
// no test of the block.
__device__ int pick(const int *in, int i) {
  int table[8];
  for (int k = 0; k < 8; ++k)
    table[in[k] & 7] = k;
  return table[in[i] & 7];
}

__global__ void picks(const int *in, int *out) {
  out[threadIdx.x] = pick(in, threadIdx.x);
}

// Whatever may launch it through the pointer gets the version, too.
__global__ void chooses(int *out, int i) {
  int order[4];
  for (int k = 0; k < i; ++k)
    order[k & 3] = k;
  out[threadIdx.x] = order[i & 3];
}
void (*const chosen)(int *, int) = chooses;

// It can be launched with any block, and so it stays.
__global__ void plain(int *out, int i) {
  int order[4];
  for (int k = 0; k < i; ++k)
    order[k & 3] = k;
  out[threadIdx.x] = order[i & 3];
}

// Versions of kernels of C are of C, so that nvcc names them likewise.
extern "C" __global__ void c_counts(const int *in, int *out, int n) {
  int order[16];
  __shared__ int total[1024];
  for (int k = 0; k < n; ++k)
    order[in[k] & 15] = k;
  total[threadIdx.x] = order[n & 15];
  __syncthreads();
  out[threadIdx.x] = total[(threadIdx.x + 1) % blockDim.x];
}

extern "C" {
__global__ void c_sums(const int *in, int *out, int n) {
  int values[400];
  for (int k = 0; k < n; ++k)
    values[in[k] % 400] = k;
  out[threadIdx.x] = values[n % 400];
}
}

void run(const int *in, int *out, int n, dim3 block) {
  histogram<<<4, 128>>>(in, out, n);
  picks<<<4, 64>>>(in, out);
  void *arguments[] = {&in, &out, &n};
  cudaLaunchKernel((void *)histogram, 4, 256, arguments);
  work::sums<int, 32><<<4, block>>>(in, out, n);
  using namespace work;
  sums<float, 8><<<4, block, 0, 0>>>((const float *)in, (float *)out, n);
  numbered<<<4, 64, 256>>>(out, n);
  chooses<<<4, 64>>>(out, n);
  plain<<<4, 64>>>(out, n);
  c_counts<<<4, 128>>>(in, out, n);
  c_sums<<<4, 128>>>(in, out, n);
}
