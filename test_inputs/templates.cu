// templates.cu - kernels and functions of several types and sizes
//
// Moving medians over windows whose element type and length are template
// arguments, and histograms whose counters are of a type that depends on that of
// the samples. One text for all instantiations, explicit ones among them.
//
// expect-striped: recent order counts
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Threads = 192;
#else
constexpr int Threads = 96 * 1024;
#endif
constexpr int Samples = 120;

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));     \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

/// The last N samples in a ring, and the places of the ring in the order of
/// what they hold.
template <typename T, int N>
__global__ void movingMedian(const T *samples, T *medians, int stride) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  T recent[N];
  short order[N];
  T result = 0;
  for (int i = 0; i < Samples; ++i) {
    const int place = i % N;
    int at = i < N ? i : 0;
    if (i >= N)
      while (order[at] != place)
        ++at;
    recent[place] = samples[i * stride + t];
    for (; at > 0 && recent[order[at - 1]] > recent[place]; --at)
      order[at] = order[at - 1];
    const int last = i < N ? i : N - 1;
    for (; at < last && recent[order[at + 1]] < recent[place]; ++at)
      order[at] = order[at + 1];
    order[at] = place;
    if (i >= N)
      result += recent[order[N / 2]];
  }
  medians[t] = result;
}

template <typename T> struct Histogram;
template <> struct Histogram<float> {
  using Count = float;
  static __device__ int bin(float sample) { return static_cast<int>(sample); }
};
template <> struct Histogram<short> {
  using Count = unsigned char;
  static __device__ int bin(short sample) { return sample; }
};

template <typename T, int Bins> __device__ int mostFrequent(const T *samples, int stride) {
  typename Histogram<T>::Count counts[Bins] = {};
  for (int i = 0; i < Samples; ++i)
    counts[Histogram<T>::bin(samples[i * stride]) % Bins] += 1;
  int best = 0;
  for (int i = 1; i < Bins; ++i)
    if (counts[i] > counts[best])
      best = i;
  return best * 1000 + static_cast<int>(counts[best]);
}

template <typename T> __global__ void modes(const T *samples, int *result, int stride) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  result[t] = mostFrequent<T, 12>(samples + t, stride) + mostFrequent<T, 24>(samples + t, stride);
}

template __global__ void modes<short>(const short *samples, int *result, int stride);

template <class T> static unsigned long long checksum(const T *device, size_t count) {
  std::vector<unsigned char> bytes(count * sizeof(T));
  CHECK(cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 1099511628211ull;
  return hash;
}

template <class T> static void run(const char *name) {
  std::vector<T> samples(static_cast<size_t>(Threads) * Samples);
  unsigned state = 8;
  for (T &sample : samples)
    sample = static_cast<T>(((state = state * 1664525u + 1013904223u) >> 16) % 500);
  T *dSamples, *dMedians;
  int *dModes;
  CHECK(cudaMalloc(&dSamples, samples.size() * sizeof(T)));
  CHECK(cudaMalloc(&dMedians, Threads * sizeof(T)));
  CHECK(cudaMalloc(&dModes, Threads * sizeof(int)));
  CHECK(cudaMemcpy(dSamples, samples.data(), samples.size() * sizeof(T), cudaMemcpyHostToDevice));

  movingMedian<T, 9><<<Threads / 96, 96>>>(dSamples, dMedians, Threads);
  CHECK(cudaGetLastError());
  std::printf("%s: medians of 9 %016llx\n", name, checksum(dMedians, Threads));
  movingMedian<T, 25><<<Threads / 64, 64>>>(dSamples, dMedians, Threads);
  CHECK(cudaGetLastError());
  std::printf("%s: medians of 25 %016llx\n", name, checksum(dMedians, Threads));
  modes<<<Threads / 64, 64>>>(dSamples, dModes, Threads);
  CHECK(cudaGetLastError());
  std::printf("%s: modes %016llx\n", name, checksum(dModes, Threads));
  CHECK(cudaFree(dSamples));
  CHECK(cudaFree(dMedians));
  CHECK(cudaFree(dModes));
}

int main() {
  run<float>("float");
  run<short>("short");
  return 0;
}
