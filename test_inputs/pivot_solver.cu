// pivot_solver.cu - a small dense system of equations per thread
//
// Gaussian elimination with partial pivoting. Rows are not swapped: a private
// permutation says which one comes next, so all row indices are dynamic.
//
// expect-striped: m rhs row
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define ORDER 6
#ifdef BANKSTRIPE_SMALL
#define SYSTEMS 200
#else
#define SYSTEMS 200000
#endif
constexpr int ThreadsPerBlock = 64;

#define CHECK(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess) {                    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                    \
                 cudaGetErrorString(status));                                  \
    std::exit(EXIT_FAILURE);                                                   \
  }

__global__ void solve(const float *matrices, const float *right, float *result,
                      int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  const float *mine = matrices + system * ORDER * ORDER;

  float m[ORDER][ORDER], rhs[ORDER], largest;
  int row[ORDER], chosen; // the order in which rows are used
  for (int i = 0; i < ORDER; ++i) {
    for (int j = 0; j < ORDER; ++j)
      m[i][j] = mine[i * ORDER + j];
    rhs[i] = right[system * ORDER + i];
    row[i] = i;
  }

  for (int step = 0; step < ORDER; ++step) {
    largest = 0;
    chosen = step;
    for (int i = step; i < ORDER; ++i) {
      const float size = fabsf(m[row[i]][step]);
      if (size > largest) {
        largest = size;
        chosen = i;
      }
    }
    const int pivot = row[chosen];
    row[chosen] = row[step];
    row[step] = pivot;

    for (int i = step + 1; i < ORDER; ++i) {
      const int r = row[i];
      const float factor = m[r][step] / m[pivot][step];
      for (int j = step; j < ORDER; ++j)
        m[r][j] -= factor * m[pivot][j];
      rhs[r] -= factor * rhs[pivot];
    }
  }

  // Back substitution. The solution replaces the right-hand side.
  for (int i = ORDER - 1; i >= 0; --i) {
    float sum = rhs[row[i]];
    for (int j = i + 1; j < ORDER; ++j)
      sum -= m[row[i]][j] * rhs[row[j]];
    rhs[row[i]] = sum / m[row[i]][i];
    result[system * ORDER + i] = rhs[row[i]];
  }
}

int main() {
  std::vector<float> matrices(SYSTEMS * ORDER * ORDER), right(SYSTEMS * ORDER);
  unsigned state = 31337;
  auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(state >> 20) - 2048) / 256.0f;
  };
  for (float &value : matrices)
    value = next();
  for (float &value : right)
    value = next();

  float *dMatrices, *dRight, *dResult;
  CHECK(cudaMalloc(&dMatrices, matrices.size() * sizeof(float)));
  CHECK(cudaMalloc(&dRight, right.size() * sizeof(float)));
  CHECK(cudaMalloc(&dResult, right.size() * sizeof(float)));
  CHECK(cudaMemcpy(dMatrices, matrices.data(), matrices.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dRight, right.data(), right.size() * sizeof(float),
                   cudaMemcpyHostToDevice));

  const int blocks = (SYSTEMS + ThreadsPerBlock - 1) / ThreadsPerBlock;
  solve<<<blocks, ThreadsPerBlock>>>(dMatrices, dRight, dResult, SYSTEMS);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> result(right.size());
  CHECK(cudaMemcpy(result.data(), dResult, result.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  int solved = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    unsigned bits;
    std::memcpy(&bits, &result[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
    solved += std::isfinite(result[i]) ? 1 : 0;
  }
  std::printf("solution %016llx\nfinite %d of %d\n", hash, solved, SYSTEMS * ORDER);
  CHECK(cudaFree(dMatrices));
  CHECK(cudaFree(dRight));
  CHECK(cudaFree(dResult));
  return 0;
}
