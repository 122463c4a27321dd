// launch_forms.cu - every way to launch a kernel
//
// The blocks are chosen when the program runs, so kernels get versions. Launches
// by the runtime's functions, by configurations in one language and the other,
// and cooperatively, with a grid of as many blocks as can be resident, run the
// originals; one through a pointer to the kernel runs the version.
//
// expect-striped: counts ring votes marks order unseen
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BANKSTRIPE_SMALL
#define ITEMS 1000
#else
#define ITEMS 400000
#endif
#define STEPS 24

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define CHECK(call) check((call), #call)

__device__ unsigned mix(unsigned value, unsigned step) {
  return (value ^ (step * 0x9E3779B9u)) * 0x85EBCA6Bu >> 7;
}

__global__ void histogram(const unsigned *values, unsigned *results) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= ITEMS)
    return;
  int counts[8] = {0};
  for (unsigned i = 0; i < STEPS; ++i)
    counts[mix(values[item], i) % 8] += i;
  results[item] += counts[values[item] % 8];
}

template <class T> __global__ void recent(const unsigned *values, unsigned *results, T first) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= ITEMS)
    return;
  T ring[6] = {};
  ring[values[item] % 6] = first;
  for (unsigned i = 0; i < STEPS; ++i)
    ring[mix(values[item], i) % 6] += static_cast<T>(i);
  results[item] += static_cast<unsigned>(ring[(values[item] >> 3) % 6]);
}

// Has dynamic shared memory of its own.
__global__ void neighbours(const unsigned *values, unsigned *results) {
  extern __shared__ unsigned left[];
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char votes[8] = {0};
  for (unsigned i = 0; i < STEPS; ++i)
    ++votes[mix(values[item % ITEMS], i) & 7];
  left[threadIdx.x] = votes[values[item % ITEMS] & 7];
  __syncthreads();
  if (item < ITEMS)
    results[item] += left[threadIdx.x ? threadIdx.x - 1 : 0];
}

// Any grid will do, and all of it has to be resident at once.
__global__ void persistent(const unsigned *values, unsigned *results) {
  for (unsigned item = blockIdx.x * blockDim.x + threadIdx.x; item < ITEMS;
       item += gridDim.x * blockDim.x) {
    int marks[10];
    for (int i = 0; i < 10; ++i)
      marks[i] = i;
    for (unsigned i = 0; i < STEPS; ++i)
      marks[mix(values[item], i) % 10] += marks[i % 10];
    results[item] += marks[values[item] % 10];
  }
}

__global__ void alsoPersistent(const unsigned *values, unsigned *results) {
  for (unsigned item = blockIdx.x * blockDim.x + threadIdx.x; item < ITEMS;
       item += gridDim.x * blockDim.x) {
    short order[9] = {1, 2, 3};
    for (unsigned i = 0; i < STEPS; ++i)
      order[mix(values[item], i) % 9] ^= static_cast<short>(i);
    results[item] += static_cast<unsigned>(order[values[item] % 9]);
  }
}

__global__ void pointed(const unsigned *values, unsigned *results) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= ITEMS)
    return;
  int unseen[16] = {0};
  for (unsigned i = 0; i < STEPS; ++i)
    unseen[mix(values[item], i) % 16] += i;
  results[item] += unseen[values[item] % 16];
}

static void runFunctions(unsigned threads, const unsigned *values, unsigned *results) {
  const unsigned blocks = (ITEMS + threads - 1) / threads;
  void *arguments[] = {&values, &results};
  CHECK(cudaLaunchKernel((const void *)histogram, dim3(blocks), dim3(threads), arguments, 0, 0));
  CHECK(cudaLaunchKernel(histogram, dim3(blocks), dim3(threads), arguments));
  void (*kernel)(const unsigned *, unsigned *) = pointed;
  kernel<<<blocks, threads>>>(values, results);
}

static void runConfigured(unsigned threads, const unsigned *values, unsigned *results) {
  cudaLaunchConfig_t config = {};
  config.gridDim = (ITEMS + threads - 1) / threads;
  config.blockDim = threads;
  CHECK(cudaLaunchKernelEx(&config, recent<int>, values, results, 5));
  CHECK(cudaLaunchKernelEx(&config, recent<double>, values, results, 2.5));
  config.dynamicSmemBytes = threads * sizeof(unsigned);
  CHECK(cudaLaunchKernelEx(&config, neighbours, values, results));
  void *arguments[] = {&values, &results};
  CHECK(cudaLaunchKernelExC(&config, (const void *)neighbours, arguments));
}

static void runCooperatively(unsigned threads, const unsigned *values, unsigned *results) {
  int device = 0, processors = 0, resident = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, persistent, threads, 0));
  void *arguments[] = {&values, &results};
  const dim3 grid(processors * resident);
  CHECK(cudaLaunchCooperativeKernel((void *)persistent, grid, dim3(threads), arguments));

  int others = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&others, alsoPersistent, threads, 0));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(processors * others);
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, alsoPersistent, values, results));
}

int main() {
  std::vector<unsigned> values(ITEMS);
  unsigned state = 29;
  for (unsigned &value : values)
    value = (state = state * 1664525u + 1013904223u) >> 2;
  unsigned *dValues, *dResults;
  const size_t bytes = ITEMS * sizeof(unsigned);
  CHECK(cudaMalloc(&dValues, bytes));
  CHECK(cudaMalloc(&dResults, bytes));
  CHECK(cudaMemcpy(dValues, values.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dResults, 0, bytes));

  const unsigned blocks[] = {1, 33, 64, 250, 1024};
  for (unsigned threads : blocks) {
    runFunctions(threads, dValues, dResults);
    runConfigured(threads, dValues, dResults);
    runCooperatively(threads, dValues, dResults);
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<unsigned> results(ITEMS);
  CHECK(cudaMemcpy(results.data(), dResults, bytes, cudaMemcpyDeviceToHost));
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned result : results)
    hash = (hash ^ result) * 1099511628211ull;
  std::printf("results %016llx\n", hash);
  cudaFree(dValues), cudaFree(dResults);
  return 0;
}
