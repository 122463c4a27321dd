// top_k.cu - the eight best matches of every query, kept in order
//
// A brute-force nearest neighbour search in one dimension. A candidate that is
// better than the worst of the list is inserted at its place; scores and
// numbers move together in two per-thread arrays.
//
// expect-striped: scores numbers
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int TopK = 8;
constexpr int Candidates = 300;
#ifdef BANKSTRIPE_SMALL
constexpr int Queries = 700;
#else
constexpr int Queries = 300 * 1000;
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__global__ void nearest(const float *queries, const float *candidates,
                        int candidateCount, int queryCount, float *bestScores,
                        int *bestNumbers) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query < queryCount) {
    const float wanted = queries[query];
    float scores[TopK], worst = 1e30f; // ascending
    int filled = 0, numbers[TopK];
    for (int c = 0; c < candidateCount; ++c) {
      const float score = fabsf(candidates[c] - wanted);
      if (filled == TopK && score >= worst)
        continue;
      // Make room: the last one drops out when the list is full.
      int place = filled < TopK ? filled++ : TopK - 1;
      for (; place > 0 && scores[place - 1] > score; --place) {
        scores[place] = scores[place - 1];
        numbers[place] = numbers[place - 1];
      }
      scores[place] = score, numbers[place] = c;
      worst = scores[filled - 1];
    }
    for (int k = 0; k < filled; ++k) {
      bestScores[query * TopK + k] = scores[k];
      bestNumbers[query * TopK + k] = numbers[k];
    }
  }
}

template <class T> static unsigned long long checksum(const std::vector<T> &v) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(v.data());
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < v.size() * sizeof(T); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

int main() {
  std::vector<float> queries(Queries), candidates(Candidates);
  unsigned state = 99;
  auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 65536.0f;
  };
  for (float &q : queries)
    q = next();
  for (float &c : candidates)
    c = next();

  float *dQueries, *dCandidates, *dScores;
  int *dNumbers;
  check(cudaMalloc(&dQueries, Queries * sizeof(float)), "queries");
  check(cudaMalloc(&dCandidates, Candidates * sizeof(float)), "candidates");
  check(cudaMalloc(&dScores, Queries * TopK * sizeof(float)), "scores");
  check(cudaMalloc(&dNumbers, Queries * TopK * sizeof(int)), "numbers");
  check(cudaMemcpy(dQueries, queries.data(), Queries * sizeof(float),
                   cudaMemcpyHostToDevice),
        "copy");
  check(cudaMemcpy(dCandidates, candidates.data(), Candidates * sizeof(float),
                   cudaMemcpyHostToDevice),
        "copy");

  const int threads = 128;
  nearest<<<(Queries + threads - 1) / threads, threads>>>(
      dQueries, dCandidates, Candidates, Queries, dScores, dNumbers);
  check(cudaGetLastError(), "launch");

  std::vector<float> scores(Queries * TopK);
  std::vector<int> numbers(Queries * TopK);
  check(cudaMemcpy(scores.data(), dScores, scores.size() * sizeof(float),
                   cudaMemcpyDeviceToHost),
        "copy");
  check(cudaMemcpy(numbers.data(), dNumbers, numbers.size() * sizeof(int),
                   cudaMemcpyDeviceToHost),
        "copy");
  std::printf("scores  %016llx\nnumbers %016llx\n", checksum(scores),
              checksum(numbers));
  cudaFree(dQueries), cudaFree(dCandidates), cudaFree(dScores), cudaFree(dNumbers);
  return 0;
}
