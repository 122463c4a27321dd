// structures.cu - structures as elements of per-thread arrays
//
// A ray keeps its nearest hits in order, which have 12 bytes; a shortest path
// goes by a heap of entries of 8; bodies of 16 and intervals of 24 bytes are
// looked up by number; colours are float3, and a small Fourier transform works
// in place on double2.
//
// expect-striped: hits heap bodies intervals palette signal
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Threads = 256;
#else
constexpr int Threads = 128 * 1024;
#endif
constexpr int Words = 32;

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));     \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

struct Hit {
  float distance;
  int triangle, instance;
};
struct Entry {
  unsigned cost;
  int node;
};
struct Body {
  float x, y, z;
  int kind;
};
struct Interval {
  double low, high;
  long long count;
};

__global__ void trace(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Hit hits[6];
  int filled = 0;
  for (int i = 0; i < 150; ++i) {
    const unsigned word = words[(t * Words + i * 5) % (Threads * Words)];
    const Hit hit = {static_cast<float>(word >> 12), static_cast<int>(word & 255), i};
    if (filled == 6 && hit.distance >= hits[5].distance)
      continue;
    int place = filled < 6 ? filled++ : 5;
    for (; place > 0 && hits[place - 1].distance > hit.distance; --place)
      hits[place] = hits[place - 1];
    hits[place] = hit;
  }
  float3 palette[5] = {{1, 2, 3}, {4, 5, 6}};
  unsigned colour = 0;
  for (int i = 0; i < filled; ++i) {
    float3 &paint = palette[hits[i].triangle % 5];
    paint.x += hits[i].instance;
    paint.z = hits[i].distance;
    colour = colour * 31 + static_cast<unsigned>(palette[hits[i].instance % 5].x) + paint.y;
  }
  out[t] = colour;
}

__global__ void route(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Entry heap[32];
  int size = 1;
  heap[0] = {0, t};
  unsigned sum = 0;
  for (int step = 0; step < 60 && size > 0; ++step) {
    const Entry nearest = heap[0], last = heap[--size];
    int hole = 0;
    while (2 * hole + 1 < size) {
      int child = 2 * hole + 1;
      if (child + 1 < size && heap[child + 1].cost < heap[child].cost)
        ++child;
      if (heap[child].cost >= last.cost)
        break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = last;
    sum = sum * 31 + nearest.cost;
    for (int edge = 0; edge < 2 && size < 32; ++edge) {
      const unsigned word = words[(nearest.node * 2 + edge) % (Threads * Words)];
      Entry entry = {nearest.cost + (word >> 20), static_cast<int>(word & 0xffff)};
      for (hole = size++; hole > 0 && heap[(hole - 1) / 2].cost > entry.cost;
           hole = (hole - 1) / 2)
        heap[hole] = heap[(hole - 1) / 2];
      heap[hole] = entry;
    }
  }
  out[t] = sum + size;
}

__global__ void group(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Body bodies[8] = {};
  Interval intervals[6];
  for (int i = 0; i < 6; ++i)
    intervals[i] = {1e9, -1e9, 0};
  for (int i = 0; i < Words; ++i) {
    const unsigned word = words[t * Words + i];
    Body &body = bodies[word & 7];
    body.x += word >> 20;
    body.y = body.x > body.z ? body.z : body.x;
    body.z = word >> 22;
    ++body.kind;
    const double place = bodies[word >> 3 & 7].x;
    Interval *interval = &intervals[(word >> 6) % 6];
    interval->low = place < interval->low ? place : interval->low;
    interval->high = place > interval->high ? place : interval->high;
    interval->count++;
  }
  unsigned sum = 0;
  for (int i = 0; i < Words; ++i) {
    const unsigned word = words[t * Words + i];
    const Interval interval = intervals[word % 6];
    sum = sum * 31 + static_cast<unsigned>(interval.high - interval.low) +
          static_cast<unsigned>(interval.count) + bodies[word & 7].kind +
          static_cast<unsigned>(bodies[word >> 4 & 7].y);
  }
  out[t] = sum;
}

// A Walsh-Hadamard transform of eight complex numbers, in an order of places
// that the data shift. Sums and differences of integers are exact.
__global__ void transform(const unsigned *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  double2 signal[8];
  for (int i = 0; i < 8; ++i)
    signal[i] = make_double2(words[t * Words + i] >> 16, words[t * Words + i] & 0xffff);
  for (int round = 0; round < 4; ++round) {
    const int shift = words[t * Words + round] & 7;
    for (int half = 1; half < 8; half *= 2)
      for (int i = 0; i < 4; ++i) {
        const int a = ((i / half * 2 * half + i % half) + shift) & 7, b = a ^ half;
        const double2 x = signal[a], y = signal[b];
        signal[a] = make_double2(x.x + y.x, x.y + y.y);
        signal[b].x = x.x - y.x;
        signal[b].y = x.y - y.y;
      }
  }
  unsigned sum = 0;
  for (int i = 0; i < 8; ++i)
    sum = sum * 31 + static_cast<unsigned>(static_cast<long long>(signal[i].x - signal[i].y));
  out[t] = sum;
}

int main() {
  std::vector<unsigned> words(Threads * Words), results(Threads * 4);
  unsigned state = 41;
  for (unsigned &word : words) {
    state = state * 1664525u + 1013904223u;
    word = state ^ state >> 14;
  }
  unsigned *dWords, *dResults;
  CHECK(cudaMalloc(&dWords, words.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&dResults, results.size() * sizeof(unsigned)));
  CHECK(cudaMemcpy(dWords, words.data(), words.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));

  trace<<<Threads / 128, 128>>>(dWords, dResults);
  route<<<Threads / 64, 64>>>(dWords, dResults + Threads);
  group<<<Threads / 64, 64>>>(dWords, dResults + 2 * Threads);
  transform<<<Threads / 128, 128>>>(dWords, dResults + 3 * Threads);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpy(results.data(), dResults, results.size() * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  const char *names[] = {"trace", "route", "group", "transform"};
  for (int k = 0; k < 4; ++k) {
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < Threads; ++i)
      hash = (hash ^ results[k * Threads + i]) * 1099511628211ull;
    std::printf("%-10s%016llx\n", names[k], hash);
  }
  CHECK(cudaFree(dWords));
  CHECK(cudaFree(dResults));
  return 0;
}
