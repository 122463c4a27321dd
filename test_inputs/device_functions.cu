// device_functions.cu - per-thread arrays in functions that two kernels share
//
// An image is freed of noise by the median of each pixel's surroundings, in
// blocks of 16 x 16 threads; then every eighth pixel is classified, in blocks of
// 64, by a function that asks for medians as well. The storage of the window
// has to do for the larger blocks, that of the votes only for the smaller.
//
// expect-striped: window corners votes
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef BANKSTRIPE_SMALL
constexpr int Width = 40, Height = 24;
#else
constexpr int Width = 2400, Height = 1800;
#endif
constexpr int LargestRadius = 2;
constexpr int Classes = 12;

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));     \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

__device__ int inside(int at, int end) { return at < 0 ? 0 : at < end ? at : end - 1; }

/// The median of the pixels around (x, y), by insertion.
__device__ float median(const float *image, int x, int y, int radius) {
  float window[(2 * LargestRadius + 1) * (2 * LargestRadius + 1)];
  int filled = 0;
  for (int row = y - radius; row <= y + radius; ++row)
    for (int column = x - radius; column <= x + radius; ++column) {
      const float pixel = image[inside(row, Height) * Width + inside(column, Width)];
      int place = filled++;
      for (; place > 0 && window[place - 1] > pixel; --place)
        window[place] = window[place - 1];
      window[place] = pixel;
    }
  return window[filled / 2];
}

/// The brightness behind a pixel: of four medians further off, the one that
/// the pixel itself chooses.
static __device__ float background(const float *image, int x, int y) {
  float corners[4];
  for (int i = 0; i < 4; ++i)
    corners[i] = median(image, x + (i & 1 ? 9 : -9), y + (i & 2 ? 9 : -9), 1);
  const int chosen = static_cast<int>(image[y * Width + x] * 16) & 3;
  return corners[chosen] < corners[3 - chosen] ? corners[chosen] : corners[(chosen + 1) & 3];
}

/// The class that most pixels around belong to.
static __device__ int commonClass(const float *image, int x, int y, float level) {
  unsigned char votes[Classes] = {0};
  for (int row = y - 3; row <= y + 3; ++row)
    for (int column = x - 3; column <= x + 3; ++column) {
      const float pixel = image[inside(row, Height) * Width + inside(column, Width)];
      const float above = pixel > level ? pixel - level : level - pixel;
      ++votes[static_cast<int>(above * 24) % Classes];
    }
  int best = 0;
  for (int i = 1; i < Classes; ++i)
    if (votes[i] > votes[best])
      best = i;
  return best << 8 | votes[best];
}

__global__ void denoise(const float *image, float *result, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < Width && y < Height)
    result[y * Width + x] = median(image, x, y, radius);
}

__global__ void classify(const float *image, int *classes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const int x = i * 8 % Width, y = i * 8 / Width;
  classes[i] = commonClass(image, x, y, background(image, x, y));
}

template <class T> static unsigned long long checksum(const std::vector<T> &values) {
  unsigned long long hash = 14695981039346656037ull;
  for (const T &value : values) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  return hash;
}

int main() {
  std::vector<float> image(Width * Height);
  unsigned state = 12;
  for (float &pixel : image) {
    state = state * 1664525u + 1013904223u;
    pixel = static_cast<float>(state >> 8) / (1 << 24);
  }
  const int count = Width * Height / 8;
  float *dImage, *dResult;
  int *dClasses;
  CHECK(cudaMalloc(&dImage, image.size() * sizeof(float)));
  CHECK(cudaMalloc(&dResult, image.size() * sizeof(float)));
  CHECK(cudaMalloc(&dClasses, count * sizeof(int)));
  CHECK(cudaMemcpy(dImage, image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(16, 16), grid((Width + 15) / 16, (Height + 15) / 16);
  denoise<<<grid, block>>>(dImage, dResult, LargestRadius);
  CHECK(cudaGetLastError());
  classify<<<(count + 63) / 64, 64>>>(dResult, dClasses, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> result(image.size());
  std::vector<int> classes(count);
  CHECK(cudaMemcpy(result.data(), dResult, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(classes.data(), dClasses, count * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("image   %016llx\nclasses %016llx\n", checksum(result), checksum(classes));
  CHECK(cudaFree(dImage));
  CHECK(cudaFree(dResult));
  CHECK(cudaFree(dClasses));
  return 0;
}
