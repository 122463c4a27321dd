// slots.cu - per-thread arrays that must each be one piece of memory
//
// `distances` is dynamic time warping with two rows that change places by
// pointer. `packets` parses messages that it copies with memcpy. `transforms`
// reads rows of a matrix as vectors, by a cast. `peaks` uses arrays in ways that
// go with one piece of memory only: a range-based loop, a reference parameter, a
// lambda, addresses of elements that are stored. Two small arrays beside them are
// only subscripted, one with printf.
//
// expect-striped: offsets heads trace
// expect-slot: first second packet matrix product levels tops
// expect-stack-frame: peaks=8-16
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Threads = 320;
#else
constexpr int Threads = 256 * 1024;
#endif
constexpr int Length = 16;

#define CHECK(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess) {                    \
    std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status));    \
    std::exit(1);                                                              \
  }

__global__ void distances(const int *words, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int *a = words + t * Length, *b = words + (t + 1) % Threads * Length;
  int first[Length + 1], second[Length + 1];
  int *previous = first, *current = second;
  for (int j = 0; j <= Length; ++j)
    previous[j] = j * 1000;
  for (int i = 0; i < Length; ++i) {
    current[0] = (i + 1) * 1000;
    for (int j = 1; j <= Length; ++j) {
      const int away = abs(a[i] % 997 - b[j - 1] % 997);
      current[j] = min(min(previous[j], current[j - 1]), previous[j - 1]) + away;
    }
    int *next = previous;
    previous = current;
    current = next;
  }
  out[t] = previous[b[0] % Length + 1];
}

// A message is a sequence of fields: a byte of kind, a byte of length, data.
__global__ void packets(const int *words, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char packet[64], offsets[16];
  memset(packet, 0x11, sizeof packet);
  memcpy(packet, words + t * Length, 48);
  int fields = 0;
  for (int at = 0; at < 48 && fields < 16; at += 2 + packet[at + 1] % 7)
    offsets[fields++] = at;

  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) {
    const int field = offsets[(packet[i] + i) % fields];
    unsigned data;
    memcpy(&data, packet + field + 2, sizeof data);
    sum = sum * 31 + (packet[field] & 1 ? data : data >> 16);
  }
  out[t] = sum;
}

// Powers of a matrix, of which rows are multiplied in an order that the data
// choose. All values are small integers, so that every sum is exact.
__global__ void transforms(const int *words, float *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int *mine = words + t * Length;
  float matrix[16], product[16];
  for (int i = 0; i < 16; ++i)
    matrix[i] = mine[i] % 3 - 1;
  for (int step = 0; step < 20; ++step) {
    const int row = mine[step % Length] & 3;
    const float4 line = reinterpret_cast<const float4 *>(matrix)[row];
    float4 sums = make_float4(line.w, line.x, line.y, line.z);
    for (int k = 0; k < 4; ++k) {
      const float4 other = reinterpret_cast<const float4 *>(matrix)[(k + row) & 3];
      sums.x += line.x > other.x ? other.y : other.w;
      sums.y += line.y > other.y ? other.z : other.x;
      sums.z += line.z > other.z ? other.w : other.y;
      sums.w += line.w > other.w ? other.x : other.z;
    }
    *reinterpret_cast<float4 *>(product + 4 * row) = sums;
    for (int k = 0; k < 4; ++k)
      matrix[4 * ((row + 1) & 3) + k] = fminf(fmaxf(product[4 * row + k], -64), 64);
  }
  out[t] = matrix[mine[0] & 15] + matrix[mine[1] & 15] * 256;
}

__device__ int largest(const int (&v)[Length]) {
  int best = 0;
  for (int i = 1; i < Length; ++i)
    best = v[i] > v[best] ? i : best;
  return best;
}

__global__ void peaks(const int *words, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int *mine = words + t * Length;
  int levels[Length], tops[8] = {0}, trace[4] = {1, 2, 3};
  const int *heads[4];
  for (int i = 0; i < Length; ++i)
    levels[i] = i;
  for (int i = 0; i < Length; ++i)
    levels[(i * 7 + mine[i]) % Length] = mine[i] % 100;

  auto raise = [&](int i) { return ++tops[levels[i] & 7]; };
  int sum = 0;
  for (int step = 0; step < 10; ++step) {
    const int best = largest(levels);
    heads[step & 3] = &levels[best];
    sum += *heads[(step + sum) % (step < 4 ? step + 1 : 4)] + raise(best);
    trace[(step + best) & 3] += sum;
    levels[best] = mine[step] % 50;
  }
  for (int top : tops)
    sum = sum * 3 + top;
  if (t == 7)
    printf("trace %d %d %d %d\n", trace[0], trace[sum & 3], trace[2], trace[3]);
  out[t] = sum + trace[mine[0] & 3];
}

int main() {
  std::vector<int> words(Threads * Length), results(Threads * 4);
  unsigned state = 77;
  for (int &word : words)
    word = (state = state * 1664525u + 1013904223u) >> 4;
  int *dWords, *dResults;
  CHECK(cudaMalloc(&dWords, words.size() * sizeof(int)));
  CHECK(cudaMalloc(&dResults, results.size() * sizeof(int)));
  CHECK(cudaMemcpy(dWords, words.data(), words.size() * sizeof(int), cudaMemcpyHostToDevice));

  distances<<<Threads / 64, 64>>>(dWords, dResults);
  packets<<<Threads / 64, 64>>>(dWords, reinterpret_cast<unsigned *>(dResults) + Threads);
  transforms<<<Threads / 64, 64>>>(dWords, reinterpret_cast<float *>(dResults) + 2 * Threads);
  peaks<<<Threads / 64, 64>>>(dWords, dResults + 3 * Threads);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(results.data(), dResults, results.size() * sizeof(int),
                   cudaMemcpyDeviceToHost));
  const char *names[] = {"distances", "packets", "transforms", "peaks"};
  for (int k = 0; k < 4; ++k) {
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < Threads; ++i)
      hash = (hash ^ static_cast<unsigned>(results[k * Threads + i])) * 1099511628211ull;
    std::printf("%s %016llx\n", names[k], hash);
  }
  CHECK(cudaFree(dWords));
  CHECK(cudaFree(dResults));
  return 0;
}
