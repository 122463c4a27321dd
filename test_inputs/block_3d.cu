// block_3d.cu - a majority filter over a labelled volume, in 3-D blocks
//
// Every voxel gets the label that most of its 27 neighbours have. The votes
// are counted in a per-thread array per thread; blocks are 8 x 4 x 4.
//
// expect-striped: votes
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define LABELS 9
#ifdef BANKSTRIPE_SMALL
#define NX 19
#define NY 10
#define NZ 9
#else
#define NX 200
#define NY 160
#define NZ 90
#endif

typedef unsigned char Label;

__device__ inline int inside(int value, int size) {
  return value < 0 ? 0 : (value >= size ? size - 1 : value);
}

__global__ void majority(const Label *volume, Label *filtered, int nx, int ny,
                         int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    int votes[LABELS] = {};
    for (int dz = -1; dz <= 1; dz++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          const int at = (inside(z + dz, nz) * ny + inside(y + dy, ny)) * nx +
                         inside(x + dx, nx);
          // The voxel itself counts twice.
          votes[volume[at]] += (dx | dy | dz) == 0 ? 2 : 1;
        }
    int winner = 0;
    for (int label = 1; label < LABELS; label++)
      winner = votes[label] > votes[winner] ? label : winner;
    filtered[(z * ny + y) * nx + x] = winner;
  }
}

int main() {
  const size_t voxels = static_cast<size_t>(NX) * NY * NZ;
  std::vector<Label> volume(voxels), filtered(voxels);
  unsigned state = 77;
  for (size_t i = 0; i < voxels; ++i) {
    state = state * 1664525u + 1013904223u;
    // Regions with one voxel in four at random.
    volume[i] = state >> 30 ? (i / 37) % LABELS : (state >> 8) % LABELS;
  }

  Label *from, *to;
  cudaMalloc((void **)&from, voxels);
  cudaMalloc((void **)&to, voxels);
  cudaMemcpy(from, volume.data(), voxels, cudaMemcpyHostToDevice);

  const dim3 block(8, 4, 4);
  const dim3 grid((NX + block.x - 1) / block.x, (NY + block.y - 1) / block.y,
                  (NZ + block.z - 1) / block.z);
  for (int pass = 0; pass < 3; ++pass) {
    majority<<<grid, block>>>(from, to, NX, NY, NZ);
    Label *swapped = from;
    from = to;
    to = swapped;
  }
  if (cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess) {
    std::fprintf(stderr, "majority: %s\n", cudaGetErrorString(status));
    return 1;
  }

  cudaMemcpy(filtered.data(), from, voxels, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  unsigned long long hash = 14695981039346656037ull;
  size_t perLabel[LABELS] = {};
  for (Label label : filtered) {
    hash = (hash ^ label) * 1099511628211ull;
    ++perLabel[label];
  }
  std::printf("volume %016llx\n", hash);
  for (int label = 0; label < LABELS; ++label)
    std::printf("label %d: %zu\n", label, perLabel[label]);
  return 0;
}
