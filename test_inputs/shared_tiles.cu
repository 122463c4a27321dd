// shared_tiles.cu - shared arrays of two dimensions, whose columns lie in few banks
//
// Matrices are transposed through tiles of 16 and of 32, in float and double, one is multiplied by the transposed other, summed by rows,
// and smoothed. Nothing lies in local memory: rows of the tiles become longer.
//
// expect-striped: none
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
#define SIZE 64
#else
#define SIZE 4096
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

template <class T> __global__ void transpose16(T *out, const T *in, int n) {
  __shared__ T tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

template <class T> __global__ void transpose32(T *out, const T *in, int n) {
  __shared__ T tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// c = a * transposed(b)
__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    as[ty][tx] = a[(blockIdx.y * 16 + ty) * n + m + tx];
    bs[ty][tx] = b[(blockIdx.x * 16 + ty) * n + m + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += as[ty][k] * bs[tx][k];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
}

__global__ void rowSums(float *sums, const float *in, int n) {
  __shared__ float part[32][32];
  float sum = 0;
  for (int m = 0; m < n; m += 32) {
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
      part[j][threadIdx.x] = in[(blockIdx.x * 32 + j) * n + m + threadIdx.x];
    __syncthreads();
    if (threadIdx.y == 0)
      for (int k = 0; k < 32; ++k)
        sum += part[threadIdx.x][k];
    __syncthreads();
  }
  if (threadIdx.y == 0)
    sums[blockIdx.x * 32 + threadIdx.x] = sum;
}

// Columns beside the tile are loaded by its first threads.
__global__ void smooth(float *out, const float *in, int n) {
  __shared__ float part[18][18];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  part[ty][tx] = in[y * n + x];
  if (threadIdx.x < 1) {
    part[ty][threadIdx.x] = in[y * n + x - 1];
    part[ty][threadIdx.x + 17] = in[y * n + x + 16];
  }
  if (threadIdx.y < 1) {
    part[threadIdx.y][tx] = in[(y - 1) * n + x];
    part[threadIdx.y + 17][tx] = in[(y + 16) * n + x];
  }
  __syncthreads();
  out[y * n + x] = part[ty][tx] + part[ty - 1][tx] + part[ty + 1][tx] + part[ty][tx - 1] + part[ty][tx + 1];
}

template <class T> void show(const char *name, const T *device, size_t count) {
  check(cudaGetLastError(), name);
  std::vector<T> host(count);
  check(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), name);
  unsigned long long hash = 14695981039346656037ull;
  for (T value : host) {
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    hash = (hash ^ bits) * 1099511628211ull;
  }
  std::printf("%s %016llx\n", name, hash);
}

template <class T> void transposeAll(const char *type) {
  const size_t count = size_t(SIZE) * SIZE;
  std::vector<T> host(count);
  for (size_t i = 0; i < count; ++i)
    host[i] = T(i % 10007);
  T *in, *out;
  check(cudaMalloc(&in, count * sizeof(T)), "in");
  check(cudaMalloc(&out, count * sizeof(T)), "out");
  check(cudaMemcpy(in, host.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copy");
  transpose16<<<dim3(SIZE / 16, SIZE / 16), dim3(16, 16)>>>(out, in, SIZE);
  show(type, out, count);
  transpose32<<<dim3(SIZE / 32, SIZE / 32), dim3(32, 8)>>>(out, in, SIZE);
  show(type, out, count);
  cudaFree(in), cudaFree(out);
}

int main() {
  transposeAll<float>("float");
  transposeAll<double>("double");

  const size_t count = size_t(SIZE) * SIZE;
  std::vector<float> host(count);
  for (size_t i = 0; i < count; ++i)
    host[i] = float(i * 7919 % 1013);
  float *in, *out;
  check(cudaMalloc(&in, count * sizeof(float)), "in");
  check(cudaMalloc(&out, count * sizeof(float)), "out");
  check(cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice), "copy");
  product<<<dim3(SIZE / 16, SIZE / 16), dim3(16, 16)>>>(out, in, in, SIZE);
  show("product", out, count);
  check(cudaMemset(out, 0, count * sizeof(float)), "clear");
  rowSums<<<SIZE / 32, dim3(32, 8)>>>(out, in, SIZE);
  show("sums", out, SIZE);
  check(cudaMemset(out, 0, count * sizeof(float)), "clear");
  smooth<<<dim3(SIZE / 16 - 2, SIZE / 16 - 2), dim3(16, 16)>>>(out, in, SIZE);
  show("smooth", out, count);
  cudaFree(in), cudaFree(out);
  return 0;
}
