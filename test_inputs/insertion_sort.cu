// insertion_sort.cu - every thread sorts a row of its own
//
// The median of each row of a matrix, as one writes it for rows that are too
// short to be worth a block of threads. The position at which a value goes
// depends on the data, so the row cannot stay in registers.
//
// expect-striped: values
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define MAX_LENGTH 24
#define THREADS 128

#ifdef BANKSTRIPE_SMALL
#define ROWS 500
#else
#define ROWS 400000
#endif

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "line %d: %s\n", __LINE__,                          \
                   cudaGetErrorString(status));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

__global__ void medianOfRows(const float *matrix, float *medians, float *spread,
                             int rows, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;

  float values[MAX_LENGTH]; // sorted up to the element that was read last
  for (int i = 0; i < length; ++i) {
    float value = matrix[row * length + i];
    int j = i;
    while (j > 0 && values[j - 1] > value) {
      values[j] = values[j - 1];
      --j;
    }
    values[j] = value;
  }

  medians[row] = 0.5f * (values[(length - 1) / 2] + values[length / 2]);
  spread[row] = values[length - 1] - values[0];
}

static unsigned long long checksum(const std::vector<float> &values) {
  unsigned long long hash = 14695981039346656037ull;
  for (float value : values) {
    unsigned bits;
    static_assert(sizeof bits == sizeof value, "the bits of a float");
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  return hash;
}

int main(int argc, char **argv) {
  const int length = argc > 1 ? std::atoi(argv[1]) : MAX_LENGTH;
  if (length < 1 || length > MAX_LENGTH) {
    std::fprintf(stderr, "a row has 1 to %d values\n", MAX_LENGTH);
    return 2;
  }
  std::vector<float> matrix(static_cast<size_t>(ROWS) * length);
  unsigned state = 2024;
  for (float &value : matrix) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 12) / 1024.0f;
  }

  float *deviceMatrix, *deviceMedians, *deviceSpread;
  CHECK(cudaMalloc(&deviceMatrix, matrix.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceMedians, ROWS * sizeof(float)));
  CHECK(cudaMalloc(&deviceSpread, ROWS * sizeof(float)));
  CHECK(cudaMemcpy(deviceMatrix, matrix.data(), matrix.size() * sizeof(float),
                   cudaMemcpyHostToDevice));

  medianOfRows<<<(ROWS + THREADS - 1) / THREADS, THREADS>>>(
      deviceMatrix, deviceMedians, deviceSpread, ROWS, length);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> medians(ROWS), spread(ROWS);
  CHECK(cudaMemcpy(medians.data(), deviceMedians, ROWS * sizeof(float),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(spread.data(), deviceSpread, ROWS * sizeof(float),
                   cudaMemcpyDeviceToHost));
  std::printf("medians %016llx\nspread  %016llx\n", checksum(medians),
              checksum(spread));

  CHECK(cudaFree(deviceMatrix));
  CHECK(cudaFree(deviceMedians));
  CHECK(cudaFree(deviceSpread));
  return 0;
}
