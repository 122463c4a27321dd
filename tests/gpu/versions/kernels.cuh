// Kernels that two files launch, each with blocks of its own size.
#pragma once

// A template: the linker keeps the code of one of the two files.
template <class T> __global__ void rounds(const unsigned *in, T *out, int n) {
  T sums[40] = {};
  for (int i = 0; i < n; ++i)
    sums[in[(threadIdx.x + i * 7) % n] % 40] += T(i);
  T all = 0;
  for (int i = 0; i < 40; ++i)
    all = all * T(3) + sums[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

__device__ inline unsigned lastOf(const unsigned *in, int n) {
  unsigned last[32] = {0};
  for (int i = 0; i < n; ++i)
    last[in[i] % 32] = i + threadIdx.x;
  return last[in[threadIdx.x % n] % 32];
}

// Nobody else can name it, so each file knows all of its launches.
static __global__ void lasts(const unsigned *in, unsigned *out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = lastOf(in, n);
}

// With shared memory of its own, so that its version stands beside it.
template <int Bins>
__global__ void tiles(const unsigned *in, unsigned *out, int n) {
  unsigned bins[Bins] = {0};
  __shared__ unsigned tile[2048];
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
    tile[i] = in[i % n] + Bins;
  __syncthreads();
  for (int i = 0; i < 60; ++i)
    bins[tile[(threadIdx.x * 5 + i * 3) % 2048] % Bins] += i;
  unsigned hash = 0;
  for (int i = 0; i < Bins; ++i)
    hash = hash * 31 + bins[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = hash;
}

void runSmall(const unsigned *in, unsigned *out, float *sums, int n);
void runBlocks(const unsigned *in, unsigned *out, int block, int n);
void runOwn(const unsigned *in, unsigned *out, int block, int n);
void runLarge(const unsigned *in, unsigned *out, float *sums, int n);

// Launched by main.cu, which sees no more than this.
extern "C" __global__ void digits(const unsigned *in, unsigned *out, int n);
__global__ void marked(const unsigned *in, unsigned *out, int n);
__global__ void ranks(const unsigned *in, unsigned *out, int n);
