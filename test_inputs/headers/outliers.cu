// outliers.cu - what stands out in rows of numbers, by functions of a header
//
// Shares selection.cuh with quantiles.cu, and includes a part of heapsort twice
// in one kernel, whose text stays as it is.
//
// expect-striped: bins best heap
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selection.cuh"

constexpr int Length = 40;

__global__ void outliers(const unsigned short *rows, int *result) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short *row = rows + t * Length;
  const int middle = selection::select(row, Length, Length / 2);
  int heap[Length];
  int size = Length;
  for (int i = 0; i < Length; ++i)
    heap[i] = row[i] < middle ? middle - row[i] : row[i] - middle;
  for (int start = Length / 2 - 1; start >= 0; --start) {
    int hole = start;
    const int value = heap[start];
#include "sift_down.inc"
  }
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    sum += heap[0] * (i + 1);
    const int value = heap[--size];
    int hole = 0;
#include "sift_down.inc"
  }
  result[t] = sum;
}

int main() {
  unsigned short *rows = makeRows(Length), *few;
  int *result;
  CHECK(cudaMalloc(&result, Rows * sizeof(int)));
  CHECK(cudaMalloc(&few, Rows * 12 * sizeof(unsigned short)));
  outliers<<<Rows / 96, 96>>>(rows, result);
  selection::largest<unsigned short, 12><<<Rows / 192, 192>>>(rows, few, Length);
  CHECK(cudaGetLastError());
  printChecksum("outliers", result, Rows);
  printChecksum("largest", few, Rows * 12);
  CHECK(cudaFree(rows));
  CHECK(cudaFree(result));
  CHECK(cudaFree(few));
  return 0;
}
