// permutation.cu - every thread shuffles a deck of cards
//
// A Fisher-Yates shuffle with a generator per thread, and the statistics of a
// simulated card game: the cycles of the permutation and the first hand.
//
// expect-striped: deck
// expect-bits: seen
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int Cards = 52;
constexpr int Hand = 5;
constexpr unsigned GamesPerBlock = 64;
#ifdef BANKSTRIPE_SMALL
constexpr unsigned Games = 256;
#else
constexpr unsigned Games = 1u << 19;
#endif

// Numerical Recipes' generator: small, and good enough for a test.
struct Lcg {
  unsigned state;
  __device__ unsigned below(unsigned n) {
    state = state * 1664525u + 1013904223u;
    return static_cast<unsigned>((static_cast<unsigned long long>(state) * n) >> 32);
  }
};

__global__ __launch_bounds__(GamesPerBlock) void play(unsigned seed, int *cycles,
                                                      unsigned *hands) {
  const unsigned game = blockIdx.x * GamesPerBlock + threadIdx.x;
  Lcg random = {seed ^ game * 2654435761u};

  int deck[Cards];
  for (int i = 0; i < Cards; ++i)
    deck[i] = i;
  for (int i = Cards - 1; i > 0; --i) {
    const unsigned j = random.below(i + 1);
    const int card = deck[i];
    deck[i] = deck[j];
    deck[j] = card;
  }

  // How many cycles the permutation has.
  bool seen[Cards] = {};
  int count = 0;
  for (int start = 0; start < Cards; ++start) {
    if (seen[start])
      continue;
    ++count;
    for (int at = start; !seen[at]; at = deck[at])
      seen[at] = true;
  }
  cycles[game] = count;

  unsigned hand = 0;
  for (int i = 0; i < Hand; ++i)
    hand = hand * Cards + deck[i];
  hands[game] = hand;
}

int main() {
  int *cycles;
  unsigned *hands;
  if (cudaMalloc(&cycles, Games * sizeof(int)) != cudaSuccess ||
      cudaMalloc(&hands, Games * sizeof(unsigned)) != cudaSuccess) {
    std::fprintf(stderr, "out of device memory\n");
    return 1;
  }

  play<<<Games / GamesPerBlock, GamesPerBlock>>>(20240229u, cycles, hands);
  cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "play: %s\n", cudaGetErrorString(status));
    return 1;
  }

  std::vector<int> hostCycles(Games);
  std::vector<unsigned> hostHands(Games);
  cudaMemcpy(hostCycles.data(), cycles, Games * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(hostHands.data(), hands, Games * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(cycles);
  cudaFree(hands);

  unsigned long long total = 0, hash = 14695981039346656037ull;
  for (unsigned game = 0; game < Games; ++game) {
    total += hostCycles[game];
    hash = (hash ^ hostHands[game]) * 1099511628211ull;
  }
  std::printf("cycles %llu\nhands %016llx\n", total, hash);
  return 0;
}
