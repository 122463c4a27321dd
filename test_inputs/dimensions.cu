// dimensions.cu - per-thread arrays of three and of five dimensions
//
// The alignment of two short sequences with affine gaps keeps three matrices of
// which only two rows are alive, and a survey is counted in a contingency table
// of five answers.
//
// expect-striped: best answers
// expect-slot: games
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define COLUMNS 14
#ifdef BANKSTRIPE_SMALL
#define PAIRS 400
#else
#define PAIRS 200000
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

enum Ending { Match, GapAbove, GapLeft };

__device__ int largest(int a, int b, int c) {
  return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

__global__ void align(const unsigned char *letters, int *scores) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= PAIRS)
    return;
  const unsigned char *a = letters + t * 32, *b = a + 16;
  short best[3][2][COLUMNS + 1];
  for (int j = 0; j <= COLUMNS; ++j)
    for (int ending = 0; ending < 3; ++ending)
      best[ending][0][j] = ending == Match && j > 0 ? -100 : -5 - j;
  best[Match][0][0] = 0;

  const int columns = COLUMNS - (b[15] & 3);
  int highest = 0;
  for (int i = 1; i <= 15; ++i) {
    const int now = i & 1, before = now ^ 1;
    best[Match][now][0] = best[GapLeft][now][0] = -100;
    best[GapAbove][now][0] = -5 - i;
    for (int j = 1; j <= columns; ++j) {
      const int score = a[i] == b[j - 1] ? 4 : -3;
      best[Match][now][j] = score + largest(best[Match][before][j - 1],
                                            best[GapAbove][before][j - 1],
                                            best[GapLeft][before][j - 1]);
      best[GapAbove][now][j] = largest(best[Match][before][j] - 6, best[GapAbove][before][j] - 1,
                                       best[GapLeft][before][j] - 6);
      best[GapLeft][now][j] = largest(best[Match][now][j - 1] - 6, best[GapAbove][now][j - 1] - 6,
                                      best[GapLeft][now][j - 1] - 1);
    }
    highest = highest > best[a[i] % 3][now][columns] ? highest : best[a[i] % 3][now][columns];
  }
  scores[t] = highest;
}

__global__ void survey(const unsigned char *letters, int *scores) {
  const int t = blockIdx.x * 64 + (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
  if (t >= PAIRS)
    return;
  unsigned char answers[2][3][2][2][4] = {{{{{1}}}}}, games[2][2][2][2][2][2] = {};
  for (int i = 0; i < 300; ++i) {
    const unsigned sheet = letters[(t * 32 + i) % (PAIRS * 32)] + i / 32;
    ++answers[sheet & 1][sheet % 3][sheet >> 1 & 1][sheet >> 2 & 1][sheet >> 3 & 3];
    games[sheet & 1][i & 1][sheet >> 1 & 1][0][sheet >> 2 & 1][i >> 1 & 1] ^= i;
  }
  // The most frequent sheet of each of two groups, and the rarest.
  int most[2] = {0, 0}, least = 255;
  for (int group = 0; group < 2; ++group)
    for (int b = 0; b < 3; ++b)
      for (int cd = 0; cd < 4; ++cd)
        for (int e = 0; e < 4; ++e) {
          const int n = answers[group][b][cd >> 1][cd & 1][e];
          if (most[group] < n)
            most[group] = n;
          if (n < least)
            least = n;
        }
  const unsigned sheet = letters[t];
  scores[t] += most[0] * 1000000 + most[1] * 1000 + least +
               games[sheet & 1][1][sheet >> 1 & 1][0][sheet >> 2 & 1][1];
}

int main() {
  std::vector<unsigned char> letters(PAIRS * 32);
  unsigned state = 4;
  for (unsigned char &letter : letters) {
    state = state * 1664525u + 1013904223u;
    letter = "ACGT"[state >> 24 & 3] + (state >> 28 == 0);
  }
  unsigned char *dLetters;
  int *dScores;
  check(cudaMalloc(&dLetters, letters.size()), "letters");
  check(cudaMalloc(&dScores, PAIRS * sizeof(int)), "scores");
  check(cudaMemcpy(dLetters, letters.data(), letters.size(), cudaMemcpyHostToDevice), "copy");

  align<<<(PAIRS + 95) / 96, 96>>>(dLetters, dScores);
  check(cudaGetLastError(), "align");
  survey<<<(PAIRS + 63) / 64, dim3(8, 4, 2)>>>(dLetters, dScores);
  check(cudaGetLastError(), "survey");

  std::vector<int> scores(PAIRS);
  check(cudaMemcpy(scores.data(), dScores, PAIRS * sizeof(int), cudaMemcpyDeviceToHost), "copy");
  unsigned long long hash = 14695981039346656037ull;
  for (int score : scores)
    hash = (hash ^ static_cast<unsigned>(score)) * 1099511628211ull;
  std::printf("scores %016llx\n", hash);
  cudaFree(dLetters), cudaFree(dScores);
  return 0;
}
