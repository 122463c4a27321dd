// early_return.cu - threads leave the kernel at different places
//
// Rows of different length are compressed with a move-to-front code. Threads
// return before the array exists, in the middle, and at the end. A barrier
// anywhere would hang, and none is needed.
//
// expect-striped: symbols
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const int Symbols = 20;
const int RowLength = 50;
const unsigned char End = 255;   // ends a row early
const unsigned char Broken = 99; // not a symbol

#ifdef BANKSTRIPE_SMALL
const int Rows = 333;
#else
const int Rows = 333333;
#endif

__global__ void moveToFront(const unsigned char *rows, int count, int *lengths,
                            unsigned *codes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= count)
    return;
  const unsigned char *mine = rows + row * RowLength;
  if (mine[0] == End) {
    lengths[row] = 0; // nothing to do: before the array is touched
    return;
  }

  int symbols[Symbols];
  for (int i = 0; i < Symbols; ++i)
    symbols[i] = i;

  unsigned code = 1;
  for (int i = 0; i < RowLength; ++i) {
    const int symbol = mine[i];
    if (symbol == End) {
      lengths[row] = i;
      codes[row] = code;
      return; // in the middle of the work
    }

    int at = 0;
    while (at < Symbols && symbols[at] != symbol)
      ++at;
    if (at == Symbols) {
      lengths[row] = -i - 1;
      return; // a broken row has no code
    }
    for (int k = at; k > 0; --k)
      symbols[k] = symbols[k - 1];
    symbols[0] = symbol;
    code = code * 23 + at;
  }
  lengths[row] = RowLength;
  codes[row] = code ^ symbols[Symbols - 1];
}

void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

} // namespace

int main() {
  std::vector<unsigned char> rows(static_cast<size_t>(Rows) * RowLength);
  unsigned state = 6;
  for (unsigned char &symbol : rows) {
    state = state * 1664525u + 1013904223u;
    const unsigned dice = state >> 21;
    symbol = dice < 30 ? End : dice < 33 ? Broken : dice % Symbols;
  }

  unsigned char *dRows;
  int *dLengths;
  unsigned *dCodes;
  check(cudaMalloc(&dRows, rows.size()));
  check(cudaMalloc(&dLengths, Rows * sizeof(int)));
  check(cudaMalloc(&dCodes, Rows * sizeof(unsigned)));
  check(cudaMemcpy(dRows, rows.data(), rows.size(), cudaMemcpyHostToDevice));
  check(cudaMemset(dCodes, 0, Rows * sizeof(unsigned)));

  const int warpsPerBlock = 4;
  const int threads = warpsPerBlock * 32;
  moveToFront<<<(Rows - 1) / threads + 1, threads>>>(dRows, Rows, dLengths, dCodes);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  std::vector<int> lengths(Rows);
  std::vector<unsigned> codes(Rows);
  check(cudaMemcpy(lengths.data(), dLengths, Rows * sizeof(int), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(codes.data(), dCodes, Rows * sizeof(unsigned), cudaMemcpyDeviceToHost));
  long long total = 0;
  unsigned long long hash = 14695981039346656037ull;
  for (int row = 0; row < Rows; ++row) {
    total += lengths[row];
    hash = (hash ^ codes[row]) * 1099511628211ull;
  }
  std::printf("length %lld\ncodes %016llx\n", total, hash);
  check(cudaFree(dRows));
  check(cudaFree(dLengths));
  check(cudaFree(dCodes));
  return 0;
}
