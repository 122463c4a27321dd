// quantiles.cu - selection in rows of numbers, by functions of a header
//
// Shares selection.cuh with outliers.cu, so that the storage in there has to do
// for the blocks of both programs.
//
// expect-striped: bins best
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selection.cuh"

constexpr int Length = 60;

__global__ void quartiles(const unsigned short *rows, int *result) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short *row = rows + t * Length;
  for (int i = 0; i < 3; ++i)
    result[t * 3 + i] = selection::select(row, Length, (i + 1) * Length / 4);
}

int main() {
  unsigned short *rows = makeRows(Length);
  int *result;
  CHECK(cudaMalloc(&result, Rows * 10 * sizeof(int)));
  quartiles<<<Rows / 128, 128>>>(rows, result);
  selection::largest<int, 7><<<Rows / 64, 64>>>(rows, result + Rows * 3, Length);
  CHECK(cudaGetLastError());
  printChecksum("quartiles", result, Rows * 3);
  printChecksum("largest", result + Rows * 3, Rows * 7);
  CHECK(cudaFree(rows));
  CHECK(cudaFree(result));
  return 0;
}
