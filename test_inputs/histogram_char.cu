// histogram_char.cu - 16 one-byte counters for the window around each pixel
//
// The local histogram is the heart of many texture measures; here the most
// frequent grey level of an 11 x 11 window and the sum of squares. A window has
// 121 pixels, so a counter fits into a byte.
//
// expect-striped: counts
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char Pixel;

#define RADIUS 5
#define LEVELS 16
#ifdef BANKSTRIPE_SMALL
#define WIDTH 40
#define HEIGHT 20
#else
#define WIDTH 1920
#define HEIGHT 1080
#endif

static void check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

__device__ int clampTo(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

__global__ void texture(const Pixel *image, int width, int height, Pixel *mode,
                        unsigned short *energy) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;

  unsigned char counts[LEVELS] = {0}; /* one per grey level */

  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      const int px = clampTo(x + dx, 0, width - 1);
      const int py = clampTo(y + dy, 0, height - 1);
      counts[image[py * width + px] >> 4]++;
    }

  int best = 0, squares = 0;
  for (int level = 0; level < LEVELS; level++) {
    squares += counts[level] * counts[level];
    if (counts[level] > counts[best])
      best = level;
  }
  mode[y * width + x] = best;
  energy[y * width + x] = squares;
}

static unsigned long long checksum(const void *data, size_t size) {
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  unsigned long long hash = 14695981039346656037ull;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

int main() {
  const int pixels = WIDTH * HEIGHT;
  std::vector<Pixel> image(pixels), mode(pixels);
  std::vector<unsigned short> energy(pixels);

  // Smooth waves with noise on top: neighbouring windows differ a little.
  unsigned state = 7;
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x) {
      state = state * 1664525u + 1013904223u;
      const int wave = (x * x / 64 + y * 3) & 255;
      image[y * WIDTH + x] = static_cast<Pixel>((wave + (state >> 26)) & 255);
    }

  Pixel *dImage, *dMode;
  unsigned short *dEnergy;
  check(cudaMalloc(&dImage, pixels));
  check(cudaMalloc(&dMode, pixels));
  check(cudaMalloc(&dEnergy, pixels * sizeof(unsigned short)));
  check(cudaMemcpy(dImage, image.data(), pixels, cudaMemcpyHostToDevice));

  dim3 block(16, 8);
  dim3 grid((WIDTH + block.x - 1) / block.x, (HEIGHT + block.y - 1) / block.y);
  texture<<<grid, block>>>(dImage, WIDTH, HEIGHT, dMode, dEnergy);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(mode.data(), dMode, pixels, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(energy.data(), dEnergy, pixels * sizeof(unsigned short),
                   cudaMemcpyDeviceToHost));
  std::printf("mode   %016llx\n", checksum(mode.data(), pixels));
  std::printf("energy %016llx\n",
              checksum(energy.data(), pixels * sizeof(unsigned short)));
  check(cudaFree(dImage));
  check(cudaFree(dMode));
  check(cudaFree(dEnergy));
}
