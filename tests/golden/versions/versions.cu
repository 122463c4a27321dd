// Kernels that other files may launch, with blocks of any size: their arrays
// move in versions of their functions.
// golden: --versions --shared-limit=49152

// The rest of the body stands there twice, from the first array on.
__global__ void count(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned tile[64];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n)
    return;
  tile[threadIdx.x % 64] = in[thread];
  unsigned counts[16] = {0}; // one for each digit
  for (int i = 0; i < 64; ++i)
    counts[tile[i] % 16] += 1;
  out[thread] = counts[n % 16];
}

// A function chooses by itself, whoever calls it. On the host it is what it was.
__host__ __device__ inline int largest(const int *in, int n) {
  int last[4];
  for (int i = 0; i < n; ++i)
    last[in[i] & 3] = i;
  return last[n & 3];
}

__global__ void largests(const int *in, int *out, int n) {
  out[threadIdx.x] = largest(in, n);
}

// Functions may be defined behind their callers.
__device__ int rarest(const int *in, int n);

__global__ void rarests(const int *in, int *out, int n) {
  out[threadIdx.x] = rarest(in, n);
}

__device__ int rarest(const int *in, int n) {
  int first[4];
  for (int i = n; i-- > 0;)
    first[in[i] & 3] = i;
  return first[n & 3];
}

// What it includes stands in both.
template <class T> __global__ void scatter(T *out, int n) {
  T values[8];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    T sums[4] = {};
#include "fragment.inc"
    sums[n & 3] += values[i & 7];
    values[i & 7] = sums[i & 3];
    out[i] = values[n & 7];
  }
}

void run(float *f, const unsigned *in, unsigned *out, int n, int block) {
  scatter<<<1, 128>>>(f, n);
  count<<<1, block>>>(in, out, n);
}

// A variable with a state can stand in a function only once.
__global__ void numbered(int *out, int i) {
  int order[4];
  static __device__ int calls;
  order[i & 3] = calls++;
  out[i] = order[out[i] & 3];
}

// The memory that launches bring is aligned to 128 bytes.
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

// Others may launch it with all the shared memory that there is.
__global__ void dynamic(int *out) {
  extern __shared__ int own[];
  int kept[4];
  kept[own[0] & 3] = 1;
  out[0] = kept[own[1] & 3];
}

// Nobody else can launch it.
static __global__ void internal(int *out, int i) {
  int a[4];
  a[i & 3] = i;
  out[i] = a[out[i] & 3];
}
void runInternal(int *out, int i) { internal<<<1, 64>>>(out, i); }
