// selection.cuh - what quantiles.cu and outliers.cu share
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SELECTION_CUH
#define SELECTION_CUH

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Rows = 384;
#else
constexpr int Rows = 192 * 1024;
#endif

#define CHECK(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess) {                    \
    std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status));    \
    std::exit(1);                                                              \
  }

namespace selection {

/// The element of a row that `rank` others are smaller than, by counting in 16
/// bins, then among those of one bin.
inline __device__ int select(const unsigned short *row, int length, int rank) {
  unsigned char bins[16] = {0};
  for (int i = 0; i < length; ++i)
    ++bins[row[i] >> 12];
  int bin = 0;
  for (; rank >= bins[bin]; ++bin)
    rank -= bins[bin];
  for (int i = 0; i < length; ++i) {
    if (row[i] >> 12 != bin)
      continue;
    int smaller = 0;
    for (int j = 0; j < length; ++j)
      smaller += row[j] >> 12 == bin && (row[j] < row[i] || (row[j] == row[i] && j < i));
    if (smaller == rank)
      return row[i];
  }
  return -1;
}

/// The `Count` largest of each row, in descending order.
template <class T, int Count>
__global__ void largest(const unsigned short *rows, T *result, int length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  T best[Count];
  int filled = 0;
  for (int i = 0; i < length; ++i) {
    const T value = rows[t * length + i];
    if (filled == Count && value <= best[Count - 1])
      continue;
    int place = filled < Count ? filled++ : Count - 1;
    for (; place > 0 && best[place - 1] < value; --place)
      best[place] = best[place - 1];
    best[place] = value;
  }
  for (int i = 0; i < filled; ++i)
    result[t * Count + i] = best[i];
}

} // namespace selection

inline unsigned short *makeRows(int length) {
  std::vector<unsigned short> rows(static_cast<std::size_t>(Rows) * length);
  unsigned state = length;
  for (unsigned short &value : rows)
    value = (state = state * 1664525u + 1013904223u) >> 16;
  unsigned short *device;
  CHECK(cudaMalloc(&device, rows.size() * sizeof(unsigned short)));
  CHECK(cudaMemcpy(device, rows.data(), rows.size() * sizeof(unsigned short),
                   cudaMemcpyHostToDevice));
  return device;
}

template <class T> void printChecksum(const char *what, const T *device, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  for (T value : values)
    hash = (hash ^ static_cast<unsigned>(value)) * 1099511628211ull;
  std::printf("%s %016llx\n", what, hash);
}

#endif
