// element_addresses.cu - addresses of single elements of per-thread arrays
//
// Functions take a counter by pointer or by reference, and sincosf and modff
// return their results through pointers: each of them touches the one element
// that it is given. (There is no atomicAdd here: CUDA does not define atomics
// on local memory, so no correct program has one on a per-thread array.) The slow
// path of sincosf keeps a stack frame of its own on some architectures.
//
// expect-striped: bins waves whole
// expect-stack-frame: analyse=0-32
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define BINS 12

static void check(cudaError_t status, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define CHECK(call) check(call, __LINE__)

__device__ void vote(unsigned *bin, unsigned weight) { *bin += weight; }
__device__ void raise(unsigned &bin, unsigned least) {
  if (bin < least)
    bin = least;
}

__global__ void analyse(const float *signal, int samples, unsigned *peaks,
                        float *spectrum) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bins[BINS] = {0};
  float waves[8], whole[4];
  for (int i = 0; i < 8; ++i) waves[i] = 0;
  for (int i = 0; i < 4; ++i) whole[i] = 0;

  for (int i = 0; i < samples; ++i) {
    const float sample = signal[thread + i * gridDim.x * blockDim.x];
    const unsigned bin = static_cast<unsigned>(sample * BINS) % BINS;

    vote(&bins[bin], 1u);
    raise(bins[(bin + 1) % BINS], bin);
    unsigned *const other = &bins[(bin * 5 + i) % BINS];
    *other ^= i & 3;

    // Four pairs of sine and cosine; the pair depends on the sample.
    const int pair = bin & 3;
    float part = modff(sample * 37.0f, &whole[pair]);
    sincosf(part + waves[2 * pair] * 0.125f, &waves[2 * pair], &waves[2 * pair + 1]);
  }

  unsigned peak = 0;
  for (int b = 0; b < BINS; ++b)
    peak = bins[b] > peak >> 8 ? bins[b] << 8 | b : peak;
  peaks[thread] = peak;
  // No product here: whether nvcc fuses `a * b + c`, and with it the last bit,
  // may change with the place of an array (docs/internals/design.md).
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += waves[i];
  for (int i = 0; i < 4; ++i)
    sum += whole[i];
  spectrum[thread] = sum;
}

template <int Threads>
static void run(const float *signal, int blocks, int samples, unsigned *peaks,
                float *spectrum) {
  analyse<<<blocks, Threads>>>(signal, samples, peaks, spectrum);
  CHECK(cudaGetLastError());
}

int main() {
#ifdef BANKSTRIPE_SMALL
  const int blocks = 4;
#else
  const int blocks = 3000;
#endif
  const int threads = blocks * 128, samples = 40;
  std::vector<float> signal(static_cast<size_t>(threads) * samples);
  unsigned state = 3;
  for (float &sample : signal) {
    state = state * 1664525u + 1013904223u;
    sample = static_cast<float>(state >> 8) / (1 << 24);
  }

  float *dSignal, *dSpectrum;
  unsigned *dPeaks;
  CHECK(cudaMalloc(&dSignal, signal.size() * sizeof(float)));
  CHECK(cudaMalloc(&dPeaks, threads * sizeof(unsigned)));
  CHECK(cudaMalloc(&dSpectrum, threads * sizeof(float)));
  CHECK(cudaMemcpy(dSignal, signal.data(), signal.size() * sizeof(float),
                   cudaMemcpyHostToDevice));

  run<128>(dSignal, blocks, samples, dPeaks, dSpectrum);

  std::vector<unsigned> peaks(threads), spectrum(threads);
  CHECK(cudaMemcpy(peaks.data(), dPeaks, threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(spectrum.data(), dSpectrum, threads * sizeof(float), cudaMemcpyDeviceToHost));
  unsigned long long a = 14695981039346656037ull, b = a;
  for (int i = 0; i < threads; ++i) {
    a = (a ^ peaks[i]) * 1099511628211ull;
    b = (b ^ spectrum[i]) * 1099511628211ull;
  }
  std::printf("peaks    %016llx\nspectrum %016llx\n", a, b);
  CHECK(cudaFree(dSignal));
  CHECK(cudaFree(dPeaks));
  CHECK(cudaFree(dSpectrum));
  return 0;
}
