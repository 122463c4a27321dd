// table_2d.cu - edit distances by dynamic programming in a small 2-D table
//
// Each thread compares two words of up to seven letters. The table is short[8][8]
// and only as much of it is used as the words are long.
//
// expect-striped: cost
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { MaxLetters = 7, Side = MaxLetters + 1 };

#ifdef BANKSTRIPE_SMALL
enum { Pairs = 600 };
#else
enum { Pairs = 500000 };
#endif

struct Word {
  unsigned char length;
  char letters[MaxLetters];
};

__global__ void editDistance(const Word *left, const Word *right, int pairs,
                             short *distances, short *diagonal) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs)
    return;
  const int rows = left[pair].length;
  const int columns = right[pair].length;

  short cost[Side][Side];
  for (int i = 0; i <= rows; ++i)
    cost[i][0] = i;
  for (int j = 0; j <= columns; ++j)
    cost[0][j] = j;

  for (int i = 1; i <= rows; ++i) {
    const char letter = left[pair].letters[i - 1];
    for (int j = 1; j <= columns; ++j) {
      const bool same = letter == right[pair].letters[j - 1];
      short best = cost[i - 1][j - 1] + (same ? 0 : 1);
      if (cost[i - 1][j] + 1 < best)
        best = cost[i - 1][j] + 1; // a letter is left out
      if (cost[i][j - 1] + 1 < best)
        best = cost[i][j - 1] + 1; // a letter is put in
      cost[i][j] = best;
    }
  }

  distances[pair] = cost[rows][columns];

  // The sum along the diagonal depends on the whole course of the comparison.
  int sum = 0;
  for (int k = 0; k <= rows && k <= columns; ++k)
    sum += cost[k][k];
  diagonal[pair] = sum;
}

static std::vector<Word> makeWords(unsigned state) {
  std::vector<Word> words(Pairs);
  for (Word &word : words) {
    state = state * 1664525u + 1013904223u;
    word.length = 1 + (state >> 16) % MaxLetters;
    for (int i = 0; i < MaxLetters; ++i) {
      state = state * 1664525u + 1013904223u;
      word.letters[i] = static_cast<char>('a' + (state >> 24) % 4);
    }
  }
  return words;
}

static unsigned long long checksum(const std::vector<short> &values) {
  unsigned long long hash = 14695981039346656037ull;
  for (short value : values)
    hash = (hash ^ static_cast<unsigned short>(value)) * 1099511628211ull;
  return hash;
}

int main() {
  const std::vector<Word> left = makeWords(1), right = makeWords(2);
  Word *dLeft = nullptr, *dRight = nullptr;
  short *dDistances = nullptr, *dDiagonal = nullptr;
  cudaMalloc(&dLeft, Pairs * sizeof(Word));
  cudaMalloc(&dRight, Pairs * sizeof(Word));
  cudaMalloc(&dDistances, Pairs * sizeof(short));
  cudaMalloc(&dDiagonal, Pairs * sizeof(short));
  cudaMemcpy(dLeft, left.data(), Pairs * sizeof(Word), cudaMemcpyHostToDevice);
  cudaMemcpy(dRight, right.data(), Pairs * sizeof(Word), cudaMemcpyHostToDevice);

  editDistance<<<(Pairs + 127) / 128, 128>>>(dLeft, dRight, Pairs, dDistances, dDiagonal);

  std::vector<short> distances(Pairs), diagonal(Pairs);
  cudaMemcpy(distances.data(), dDistances, Pairs * sizeof(short), cudaMemcpyDeviceToHost);
  cudaMemcpy(diagonal.data(), dDiagonal, Pairs * sizeof(short), cudaMemcpyDeviceToHost);
  cudaFree(dLeft);
  cudaFree(dRight);
  cudaFree(dDistances);
  cudaFree(dDiagonal);
  if (cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return EXIT_FAILURE;
  }
  std::printf("distances %016llx\ndiagonal  %016llx\n", checksum(distances),
              checksum(diagonal));
}
