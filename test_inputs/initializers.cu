// initializers.cu - per-thread arrays with initialisers of every kind
//
// Each array below is declared inside a loop or a nested scope, so that its
// initialiser has to run again whenever the scope is entered: whatever the last
// round left behind must be gone. Elements are of 1, 2, 4, 8 and 16 bytes.
//
// expect-striped: flags levels counts sums corners spans
// rewrite-options: --layout=stripe
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char uchar;

#define ROUNDS 6
#define FIRST_LEVEL -3

#ifdef BANKSTRIPE_SMALL
constexpr int Blocks = 5;
#else
constexpr int Blocks = 4000;
#endif

__global__ void everyKind(const unsigned *data, int rounds, double *results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double total = 0;

  for (int round = 0; round < rounds; ++round) {
    unsigned bits = data[(blockIdx.x * rounds + round) * blockDim.x + threadIdx.x];

    // One byte: all zero, the old way.
    uchar flags[12] = {0};
    flags[bits % 12] |= 1, flags[(bits >> 4) % 12] |= 2;
    for (int i = 0; i < 12; ++i)
      total += flags[i] * (i + 1);

    // Two bytes: fewer values than elements, with a macro and an expression.
    short levels[8] = {1, FIRST_LEVEL, static_cast<short>(bits & 15)};
    for (int i = 0; i < 4; ++i, bits = bits * 69069u + 1)
      levels[bits >> 29] += levels[bits >> 26 & 7] + i;
    for (int i = 0; i < 8; ++i)
      total += levels[i] * (i % 3);

    if (bits & 64) {
      // Four bytes, empty braces, two declarators and a pointer.
      int most = 0, counts[9] = {}, *unused = nullptr;
      for (int i = 0; i < 8; ++i)
        counts[bits >> 4 * i & 7] += i;
      for (int i = 0; i < 9; ++i)
        most = counts[i] > counts[most] ? i : most;
      total += most * 10 + counts[most] + (unused == nullptr ? 1 : 0);
    } else {
      // Eight bytes, all values given.
      double sums[3] = {0.5, -0.25, 1.0 / 8};
      for (int i = 0; i < 8; ++i)
        sums[(bits >> 3 * i) % 3] += sums[i % 3] * 0.5;
      total += sums[0] - sums[1] + sums[2];
    }

    // Sixteen bytes: a vector per corner.
    float4 corners[4] = {{0, 0, 1, 1}, {1, 0, 1, 1}};
    corners[bits >> 5 & 3].z += 2.5f;
    corners[bits >> 7 & 3] = make_float4(round, 1, 2, 3);
    for (int i = 0; i < 4; ++i)
      total += corners[i].x + 2 * corners[i].y + 3 * corners[i].z + corners[i].w;

    // Two dimensions of int2, with the inner braces given.
    int2 spans[2][3] = {{{1, 2}, {3, 4}}, {{5, 6}}};
    spans[bits & 1][(bits >> 8) % 3].x += 7;
    ++spans[bits >> 1 & 1][(bits >> 9) % 3].y;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        total += spans[i][j].x * (i + 1) - spans[i][j].y * (j + 1);
  }
  results[thread] = total;
}

int main() {
  dim3 block(64);
  const size_t threads = Blocks * 64;
  std::vector<unsigned> data(threads * ROUNDS);
  unsigned state = 8;
  for (unsigned &word : data)
    word = (state = state * 1664525u + 1013904223u) >> 2 ^ state << 9;

  unsigned *dData;
  double *dResults;
  cudaMalloc(&dData, data.size() * sizeof(unsigned));
  cudaMalloc(&dResults, threads * sizeof(double));
  cudaMemcpy(dData, data.data(), data.size() * sizeof(unsigned), cudaMemcpyHostToDevice);

  everyKind<<<Blocks, block>>>(dData, ROUNDS, dResults);
  cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "everyKind: %s\n", cudaGetErrorString(status));
    return 1;
  }

  std::vector<double> results(threads);
  cudaMemcpy(results.data(), dResults, threads * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(dData);
  cudaFree(dResults);
  unsigned long long hash = 14695981039346656037ull;
  for (double result : results)
    // Every result is a multiple of 2^-11 and far below 2^50.
    hash = (hash ^ static_cast<unsigned long long>(static_cast<long long>(result * 2048))) *
           1099511628211ull;
  std::printf("results %016llx\n", hash);
}
