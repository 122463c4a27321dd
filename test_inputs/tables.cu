// tables.cu - private tables of constants that nobody writes
//
// Checksums with a table of a nibble each, calendar dates with the lengths of
// months (for the host as well), smoothing with weights that all lanes take at
// the same time, and polynomials of a template. Some tables are const, some are
// only treated so. `digits` is written, and `scaled` gets values at run time.
//
// expect-striped: digits scaled
// expect-constant: remainders starts weights coefficients neighbours
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Threads = 256;
#else
constexpr int Threads = 512 * 1024;
#endif
constexpr int Words = 40;

#define CHECK(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess) {                    \
    std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(status));    \
    std::exit(1);                                                              \
  }

/// CRC-32, four bits at a time.
__device__ unsigned crc32(const unsigned *words, int count, int stride) {
  const unsigned remainders[16] = {
      0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  unsigned crc = ~0u;
  for (int i = 0; i < count; ++i) {
    crc ^= words[i * stride];
    for (int nibble = 0; nibble < 8; ++nibble)
      crc = crc >> 4 ^ remainders[crc & 15];
  }
  return ~crc;
}

/// The day of the year; months and days count from 0.
__host__ __device__ int dayOfYear(int month, int day, bool leap) {
  short starts[2][12] = {{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334},
                         {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335}};
  return starts[leap][month] + day;
}

__global__ void sign(const unsigned *words, unsigned *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  unsigned crc = crc32(words + t, Words, n);
  // The checksum in the base of 11, counted by digit.
  unsigned char digits[11] = {1};
  for (unsigned rest = crc; rest; rest /= 11)
    ++digits[rest % 11];
  out[t] = crc + digits[crc % 11] + dayOfYear(crc % 12, crc % 28, crc & 1);
}

__global__ void smooth(const unsigned *words, unsigned *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int weights[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  // Around a cell of a torus: rows and columns, as the thread's data say.
  constexpr signed char neighbours[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  const unsigned scaled[12] = {words[0], words[1] >> 8, words[2] >> 16, words[3] % 1000,
                               words[4], words[5] >> 8, words[6] >> 16, words[7] % 1000};
  unsigned sum = 0, row = 0, column = 0;
  for (int i = 0; i + 9 <= Words; ++i) {
    unsigned smoothed = 0;
#pragma unroll 1
    for (int k = 0; k < 9; ++k)
      smoothed += weights[k] * (words[(i + k) * n + t] >> 12);
    const int direction = smoothed & 3;
    row += neighbours[direction][0];
    column += neighbours[direction][1];
    sum += smoothed ^ scaled[(row + column) % 12];
  }
  out[t] += sum + row * 64 + column;
}

/// A polynomial whose coefficients suit the type.
template <class T> __global__ void evaluate(const unsigned *words, T *out, int n) {
  T coefficients[2][6] = {{1, 2, 3, 5, 7, 11}, {13, 17, 19, 23, 29, 31}};
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int i = 0; i < Words; ++i) {
    const unsigned word = words[i * n + t];
    sum += coefficients[word & 1][(word >> 8) % 6];
  }
  out[t] = sum;
}

int main() {
  std::vector<unsigned> words(static_cast<size_t>(Threads) * Words);
  unsigned state = 23;
  for (unsigned &word : words) {
    state = state * 1664525u + 1013904223u;
    word = state ^ state >> 13;
  }
  unsigned *dWords, *dOut;
  short *dShorts;
  float *dFloats;
  CHECK(cudaMalloc(&dWords, words.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&dOut, Threads * sizeof(unsigned)));
  CHECK(cudaMalloc(&dShorts, Threads * sizeof(short)));
  CHECK(cudaMalloc(&dFloats, Threads * sizeof(float)));
  CHECK(cudaMemcpy(dWords, words.data(), words.size() * sizeof(unsigned),
                   cudaMemcpyHostToDevice));

  sign<<<Threads / 128, 128>>>(dWords, dOut, Threads);
  smooth<<<Threads / 256, 256>>>(dWords, dOut, Threads);
  evaluate<<<Threads / 128, 128>>>(dWords, dShorts, Threads);
  evaluate<<<Threads / 128, 128>>>(dWords, dFloats, Threads);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<unsigned> out(Threads);
  std::vector<short> shorts(Threads);
  std::vector<float> floats(Threads);
  CHECK(cudaMemcpy(out.data(), dOut, Threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(shorts.data(), dShorts, Threads * sizeof(short), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(floats.data(), dFloats, Threads * sizeof(float), cudaMemcpyDeviceToHost));
  unsigned long long a = 14695981039346656037ull, b = a;
  for (int i = 0; i < Threads; ++i) {
    a = (a ^ out[i]) * 1099511628211ull;
    b = (b ^ static_cast<unsigned>(shorts[i]) ^ static_cast<unsigned>(floats[i]) << 16) *
        1099511628211ull;
  }
  std::printf("signed and smoothed %016llx\nevaluated %016llx\nday %d\n", a, b,
              dayOfYear(11, 30, true));
  CHECK(cudaFree(dWords));
  CHECK(cudaFree(dOut));
  CHECK(cudaFree(dShorts));
  CHECK(cudaFree(dFloats));
  return 0;
}
