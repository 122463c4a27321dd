// macros.cu - macros and conditions of the preprocessor around per-thread arrays
//
// A sorting network and a text parser in the style of C. `keys` is used in the
// bodies of macros, `table` only in arguments of macros; `tokens` is named in a
// branch that is not taken, `shuffled` in a branch for the device, and `scratch`
// is declared by a macro.
//
// expect-striped: keys table marks shuffled scratch
// expect-slot: tokens
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KEYS 16
#define MARKS (KEYS / 2)
#define BLOCK (32 * 3)
#ifdef BANKSTRIPE_SMALL
#define ITEMS (BLOCK * 4)
#else
#define ITEMS (BLOCK * 2048)
#endif

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define EXCHANGE(a, i, j)                                                      \
  {                                                                            \
    unsigned old = a[i];                                                       \
    a[i] = a[j];                                                               \
    a[j] = old;                                                                \
  }
#define KEY(i) keys[(i) % KEYS]
#define SORT_PAIR(i, j)                                                        \
  if (KEY(i) > KEY(j))                                                         \
  EXCHANGE(keys, (i) % KEYS, (j) % KEYS)
#define LOCAL(type, name, n) type name[n]

#define CHECK(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess) {                    \
    std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status));    \
    std::exit(1);                                                              \
  }

// Odd-even sorting from a start that the data choose, then a few look-ups.
__global__ void sort(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned keys[KEYS], table[KEYS + 1] = {0};
  unsigned short marks[MARKS] = {1, 2, 3};
  for (int i = 0; i < KEYS; ++i)
    KEY(i) = words[t * KEYS + i];
  const unsigned start = KEY(0);
  for (int round = 0; round < KEYS; ++round)
    for (unsigned i = round & 1; i + 1 < KEYS; i += 2)
      SORT_PAIR(start % KEYS + i, start % KEYS + i + 1);
  for (int i = 0; i < KEYS; ++i) {
    const unsigned key = KEY(i);
    table[key % (KEYS + 1)] = MAX(table[key % 7], key >> 8);
    marks[key % MARKS] = MAX(marks[i % MARKS], i);
  }
  out[t] = MAX(table[start % 5], table[start % (KEYS + 1)]) + marks[start % MARKS] + KEY(start);
}

__global__ void parse(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned tokens[KEYS] = {};
  LOCAL(unsigned, scratch, 24) = {};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 350
  unsigned shuffled[12];
  for (int i = 0; i < 12; ++i)
    shuffled[(i * 5 + words[t]) % 12] = __popc(words[t * KEYS + i]);
#endif
  for (int i = 0; i < KEYS; ++i) {
    const unsigned word = words[t * KEYS + i];
    tokens[word % KEYS] += word >> 16;
    scratch[word % 24] ^= tokens[i];
#if TRACE_LEVEL > 1
    printf("%d: token %u\n", i, tokens[i]);
#endif
  }
  unsigned sum = 0;
  for (int i = 0; i < KEYS; ++i) {
    const unsigned word = words[t * KEYS + i];
    sum += tokens[sum % KEYS] ^ scratch[word % 24];
#ifdef __CUDA_ARCH__
    sum += shuffled[word % 12];
#endif
  }
  out[t] += sum;
}

int main() {
  std::vector<unsigned> words(ITEMS * KEYS), out(ITEMS);
  unsigned state = 19;
  for (unsigned &word : words) {
    state = state * 1664525u + 1013904223u;
    word = state ^ state >> 11;
  }
  unsigned *dWords, *dOut;
  CHECK(cudaMalloc(&dWords, words.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&dOut, ITEMS * sizeof(unsigned)));
  CHECK(cudaMemcpy(dWords, words.data(), words.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  sort<<<ITEMS / BLOCK, BLOCK>>>(dWords, dOut);
  parse<<<ITEMS / BLOCK, BLOCK>>>(dWords, dOut);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), dOut, ITEMS * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned value : out)
    hash = (hash ^ value) * 1099511628211ull;
  std::printf("sorted and parsed %016llx\n", hash);
  CHECK(cudaFree(dWords));
  CHECK(cudaFree(dOut));
  return 0;
}
