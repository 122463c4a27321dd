// Defines what others launch, and launches small blocks itself.
#include "kernels.cuh"

extern "C" __global__ void digits(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned first;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    first = in[0];
  __syncthreads();
  unsigned counts[16] = {0};
  __shared__ unsigned turns;
  if (threadIdx.x == 0)
    turns = 40 + first % 8;
  __syncthreads();
  for (unsigned i = 0; i < turns; ++i)
    ++counts[in[(thread + i * 13) % n] % 16];
  unsigned hash = 0;
  for (int i = 0; i < 16; ++i)
    hash = hash * 31 + counts[i];
  out[thread] = hash;
}

__global__ void marked(const unsigned *in, unsigned *out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = lastOf(in, n) ^ 0x5a5a;
}

// Launched here with blocks of sizes that only the caller knows, and by main.cu.
__global__ void ranks(const unsigned *in, unsigned *out, int n) {
  unsigned nearest[12] = {0};
  __shared__ unsigned keys[1024];
  keys[threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) % n];
  __syncthreads();
  for (unsigned i = 0; i < blockDim.x; ++i)
    nearest[keys[i] % 12] ^= keys[i] * threadIdx.x;
  unsigned hash = 0;
  for (int i = 0; i < 12; ++i)
    hash = hash * 31 + nearest[(i + threadIdx.x) % 12];
  out[blockIdx.x * blockDim.x + threadIdx.x] = hash;
}

// A function with an array, which the kernel calls through another one.
__device__ unsigned mostOf(const unsigned *keys, unsigned count) {
  unsigned seen[20] = {0};
  for (unsigned i = 0; i < 90; ++i)
    seen[keys[(i * threadIdx.x) % count] % 20] += i;
  unsigned most = 0;
  for (unsigned i = 1; i < 20; ++i)
    most = seen[i] > seen[most] ? i : most;
  return most;
}
__device__ unsigned mixed(const unsigned *keys, unsigned count) {
  return mostOf(keys, count) * 37 + mostOf(keys, count / 2 + 1);
}

// With dynamic shared memory of its own, as large as its blocks; nobody else launches it.
__global__ void own(const unsigned *in, unsigned *out, int n) {
  extern __shared__ unsigned keys[];
  keys[threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) % n];
  __syncthreads();
  unsigned recent[10] = {0};
  for (unsigned i = 0; i < 50; ++i)
    recent[keys[(i + threadIdx.x) % blockDim.x] % 10] ^= keys[i % blockDim.x] + i;
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      recent[threadIdx.x % 10] * 31 + mixed(keys, blockDim.x);
}

void runOwn(const unsigned *in, unsigned *out, int block, int n) {
  own<<<2, block, block * sizeof(unsigned)>>>(in, out, n);
}

void runBlocks(const unsigned *in, unsigned *out, int block, int n) {
  ranks<<<2, block>>>(in, out, n);
  tiles<20><<<1, block>>>(in, out + 2048, n);
}

void runSmall(const unsigned *in, unsigned *out, float *sums, int n) {
  rounds<float><<<2, 64>>>(in, sums, n);
  lasts<<<2, 96>>>(in, out, n);
  digits<<<1, 128>>>(in, out + 256, n);
  tiles<24><<<2, 192>>>(in, out + 512, n);
}
