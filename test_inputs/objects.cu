// objects.cu - private objects of classes that hold arrays
//
// A calculator for reverse Polish notation with a stack class, a search with a
// short list of the best as a class with a constructor and default member
// initialisers, the stream cipher RC4 with its state in a struct, an array of
// small objects that a constructor makes, and vectors that are indexed.
//
// expect-striped: none
// expect-slot: stack best cipher ranges point sums
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Threads = 256;
#else
constexpr int Threads = 128 * 1024;
#endif
constexpr int Tokens = 48;

static void check(cudaError_t status, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define CHECK(call) check(call, __LINE__)

template <class T, int Capacity> class Stack {
public:
  __device__ void push(T value) {
    if (size < Capacity)
      items[size++] = value;
  }
  __device__ T pop() { return size > 0 ? items[--size] : T(1); }
  __device__ bool empty() const { return size == 0; }

private:
  T items[Capacity];
  int size = 0;
};

__global__ void calculate(const unsigned *tokens, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Stack<unsigned, 16> stack;
  for (int i = 0; i < Tokens; ++i) {
    const unsigned token = tokens[t * Tokens + i];
    if (token % 5 < 3) {
      stack.push(token >> 8);
      continue;
    }
    const unsigned b = stack.pop(), a = stack.pop();
    stack.push(token & 64 ? a + b : token & 128 ? a - b : a * b);
  }
  unsigned result = 0;
  while (!stack.empty())
    result = result * 31 + stack.pop();
  out[t] = result;
}

// The best so far, in order.
struct ShortList {
  unsigned keys[10];
  int numbers[10];
  int filled = 0;
  const int most;

  __device__ explicit ShortList(int most) : most(most < 10 ? most : 10) {}
  __device__ void offer(unsigned key, int number) {
    if (filled == most && key >= keys[filled - 1])
      return;
    int place = filled < most ? filled++ : most - 1;
    for (; place > 0 && keys[place - 1] > key; --place) {
      keys[place] = keys[place - 1];
      numbers[place] = numbers[place - 1];
    }
    keys[place] = key;
    numbers[place] = number;
  }
};

__global__ void search(const unsigned *tokens, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned wanted = tokens[t * Tokens];
  ShortList best(3 + (wanted & 7));
  for (int i = 0; i < 200; ++i) {
    const unsigned key = tokens[(t * 3 + i * 7) % (Threads * Tokens)] ^ wanted;
    best.offer(key, i);
  }
  unsigned result = 0;
  for (int i = 0; i < best.filled; ++i)
    result = result * 31 + best.keys[i] + best.numbers[i];
  out[t] = result;
}

struct Rc4 {
  unsigned char s[256], i, j;

  __device__ void start(const unsigned char *key, int bytes) {
    for (int k = 0; k < 256; ++k)
      s[k] = k;
    i = j = 0;
    for (int k = 0, last = 0; k < 256; ++k) {
      last = (last + s[k] + key[k % bytes]) & 255;
      exchange(k, last);
    }
  }
  __device__ unsigned next() {
    j += s[++i];
    exchange(i, j);
    return s[(s[i] + s[j]) & 255];
  }

private:
  __device__ void exchange(int a, int b) {
    const unsigned char old = s[a];
    s[a] = s[b];
    s[b] = old;
  }
};

__global__ void encrypt(const unsigned *tokens, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Rc4 cipher;
  cipher.start(reinterpret_cast<const unsigned char *>(tokens + t * Tokens), 16);
  unsigned result = 0;
  for (int k = 16; k < 4 * Tokens; ++k) {
    const unsigned plain = tokens[t * Tokens + k / 4] >> k % 4 * 8;
    result = result * 31 + ((plain ^ cipher.next()) & 255);
  }
  out[t] = result;
}

class Range {
public:
  __device__ Range() : low(0xffff), high(0) {}
  __device__ void include(unsigned value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  __device__ unsigned length() const { return high < low ? 0 : high - low; }

private:
  unsigned short low, high;
};

__global__ void extents(const unsigned *tokens, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Range ranges[12];
  for (int i = 0; i < Tokens; ++i) {
    const unsigned token = tokens[t * Tokens + i];
    ranges[token % 12].include(token >> 16);
  }
  unsigned result = 0;
  for (int i = 0; i < 20; ++i)
    result = result * 31 + ranges[tokens[t * Tokens + i] % 12].length();
  out[t] = result;
}

struct Point {
  int x, y, z;
  __device__ int &operator[](int axis) {
    return reinterpret_cast<int *>(this)[axis];
  }
};

__global__ void step(const unsigned *tokens, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Point point{0, 0, int(tokens[t * Tokens] & 7)};
  uint4 sums = make_uint4(1, 2, 3, 4);
  for (int i = 0; i < Tokens; ++i) {
    const unsigned token = tokens[t * Tokens + i];
    point[token % 3] += token & 8 ? 1 : -1;
    reinterpret_cast<unsigned *>(&sums)[token >> 8 & 3] += point[token >> 4 & 1];
  }
  out[t] = ((sums.x * 31 + sums.y) * 31 + sums.z) * 31 + sums.w + point.z;
}

int main() {
  std::vector<unsigned> tokens(Threads * Tokens), results(Threads * 5);
  unsigned state = 1;
  for (unsigned &token : tokens) {
    state = state * 1664525u + 1013904223u;
    token = state ^ state >> 15;
  }
  unsigned *dTokens, *dResults;
  CHECK(cudaMalloc(&dTokens, tokens.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&dResults, results.size() * sizeof(unsigned)));
  CHECK(cudaMemcpy(dTokens, tokens.data(), tokens.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));

  constexpr int Block = 128;
  calculate<<<Threads / Block, Block>>>(dTokens, dResults);
  search<<<Threads / Block, Block>>>(dTokens, dResults + Threads);
  encrypt<<<Threads / Block, Block>>>(dTokens, dResults + 2 * Threads);
  extents<<<Threads / Block, Block>>>(dTokens, dResults + 3 * Threads);
  step<<<Threads / Block, Block>>>(dTokens, dResults + 4 * Threads);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpy(results.data(), dResults, results.size() * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  const char *names[] = {"calculate", "search", "encrypt", "extents", "step"};
  for (int k = 0; k < 5; ++k) {
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < Threads; ++i)
      hash = (hash ^ results[k * Threads + i]) * 1099511628211ull;
    std::printf("%-10s%016llx\n", names[k], hash);
  }
  CHECK(cudaFree(dTokens));
  CHECK(cudaFree(dResults));
  return 0;
}
