// callees.cu - per-thread arrays that are passed to functions
//
// Robust statistics of short series, one per thread. The functions subscript
// the array, walk over it with pointers, pass it on, and are overloaded; one is
// a template, one takes two arrays, one is for the host as well, and the host
// calls it. Some serve pointers to global memory, too. `deviations` is passed as
// a pair of pointers, which must stay pointers of the language.
//
// expect-striped: values ranks
// expect-slot: deviations
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int Longest = 20;
#ifdef BANKSTRIPE_SMALL
constexpr int Series = 500;
#else
constexpr int Series = 250000;
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

// Subscripts.
__device__ void sort(float *v, int n) {
  for (int i = 1; i < n; ++i) {
    const float value = v[i];
    int j = i;
    for (; j > 0 && v[j - 1] > value; --j)
      v[j] = v[j - 1];
    v[j] = value;
  }
}

// Walks.
__device__ float sum(const float *v, int n) {
  float total = 0;
  for (const float *end = v + n; v != end; ++v)
    total += *v;
  return total;
}
__device__ int sum(const int *v, int n) {
  int total = 0;
  while (n-- > 0)
    total += *v++ * n;
  return total;
}

// Passes a part of the array on.
__device__ float quantile(const float *sorted, int n, int percent) {
  const float *at = sorted + (n - 1) * percent / 100;
  return percent < 100 ? sum(at, 2) * 0.5f : *at;
}

// A pair of pointers.
__device__ float largest(const float *begin, const float *end) {
  float most = *begin;
  while (++begin != end)
    most = *begin > most ? *begin : most;
  return most;
}

template <class T> __device__ int firstNotBelow(const T *sorted, int n, T value) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Two arrays.
__device__ int inversions(const float *v, const int *ranks, int n) {
  int count = 0;
  for (int i = 0; i < n; ++i)
    count += ranks[i] > i || v[ranks[i]] < v[i];
  return count;
}

// For both sides, as the host checks the longest series by itself.
__host__ __device__ inline float spread(const float *v, int n) {
  float least = *v, most = *v;
  while (--n > 0) {
    ++v;
    least = *v < least ? *v : least;
    most = *v > most ? *v : most;
  }
  return most - least;
}

__global__ void describe(const float *series, const int *lengths, float4 *result, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count)
    return;
  const float *mine = series + t * Longest;
  const int n = lengths[t];
  float values[Longest], deviations[Longest];
  int ranks[Longest];

  for (int i = 0; i < n; ++i)
    values[i] = mine[i];
  sort(values, n);
  for (int i = 0; i < n; ++i)
    ranks[i] = firstNotBelow(values, n, mine[i]);

  const float middle = quantile(values, n, 50);
  for (int i = 0; i < n; ++i)
    deviations[ranks[i]] = fabsf(values[ranks[i]] - middle);
  // Ranks are unique, unless two values are the same.
  for (int i = 0; i < n; ++i)
    if (i && values[i] == values[i - 1])
      deviations[i] = deviations[i - 1];

  result[t] = make_float4(middle + largest(deviations, deviations + n) + sum(ranks, n),
                          quantile(values, n, 90), sum(values, n) + sum(mine, 2),
                          spread(values, n) + inversions(values, ranks, n));
}

int main() {
  std::vector<float> series(Series * Longest);
  std::vector<int> lengths(Series);
  unsigned state = 5;
  auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (float &value : series)
    value = static_cast<float>(next() % 1000) / 8;
  for (int &length : lengths)
    length = 2 + next() % (Longest - 1);

  float *dSeries;
  int *dLengths;
  float4 *dResult;
  check(cudaMalloc(&dSeries, series.size() * sizeof(float)), "series");
  check(cudaMalloc(&dLengths, Series * sizeof(int)), "lengths");
  check(cudaMalloc(&dResult, Series * sizeof(float4)), "result");
  check(cudaMemcpy(dSeries, series.data(), series.size() * sizeof(float), cudaMemcpyHostToDevice),
        "copy");
  check(cudaMemcpy(dLengths, lengths.data(), Series * sizeof(int), cudaMemcpyHostToDevice), "copy");

  describe<<<(Series + 95) / 96, 96>>>(dSeries, dLengths, dResult, Series);
  check(cudaGetLastError(), "launch");

  std::vector<float4> result(Series);
  check(cudaMemcpy(result.data(), dResult, Series * sizeof(float4), cudaMemcpyDeviceToHost),
        "copy");
  unsigned long long hash = 14695981039346656037ull;
  for (const float4 &r : result) {
    unsigned bits[4];
    std::memcpy(bits, &r, sizeof bits);
    for (unsigned word : bits)
      hash = (hash ^ word) * 1099511628211ull;
  }
  std::printf("statistics %016llx\nfirst %.3f, spread on the host %.3f\n", hash, result[0].x,
              spread(series.data(), lengths[0]));
  cudaFree(dSeries), cudaFree(dLengths), cudaFree(dResult);
  return 0;
}
