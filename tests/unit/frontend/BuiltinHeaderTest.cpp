//===-- BuiltinHeaderTest.cpp - CUDA without a toolkit, group by group ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "model/Helper.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

TEST(BuiltinHeader, Attributes) {
  EXPECT_TRUE(
      parses("__constant__ int c[4];\n__device__ int d;\n__managed__ int m;\n"
             "__host__ __device__ int hd() { return 1; }\n"
             "__device__ __forceinline__ int f(const int *__restrict__ p) { "
             "return *p; }\n"
             "__device__ __noinline__ int n() { return d; }\n"
             "struct __align__(16) A { int a; };\nstatic_assert(alignof(A) == "
             "16, \"\");\n"
             "__global__ void k(const __grid_constant__ A a) {\n"
             "  __shared__ int s[32]; extern __shared__ int dynamic[];\n"
             "  s[0] = dynamic[0] = hd() + f(c) + n() + a.a + m;\n}\n"));
}

// Rewritten files are read again.
TEST(BuiltinHeader, TheHelperOfRewrittenCode) {
  EXPECT_TRUE(parses("#include <cuda_runtime.h>\n" + helperText().str()));
}

TEST(BuiltinHeader, LaunchBounds) {
  EXPECT_TRUE(parses("__global__ __launch_bounds__(128) void a() {}\n"
                     "__global__ void __launch_bounds__(128, 2) b() {}\n"
                     "__global__ __launch_bounds__(128, 2, 1) void c() {}\n"));
}

TEST(BuiltinHeader, Coordinates) {
  EXPECT_TRUE(
      parses("__global__ void k(unsigned *p) {\n"
             "  dim3 b = blockDim; uint3 t = threadIdx;\n"
             "  p[0] = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x "
             "+ warpSize + b.y + t.z;\n}\n"));
}

TEST(BuiltinHeader, VectorTypesHaveTheSizesOfTheToolkit) {
  EXPECT_TRUE(parses(
      "#define IS(T, Size, Align) static_assert(sizeof(T) == Size && "
      "alignof(T) == Align, #T)\n"
      "IS(char1, 1, 1); IS(char2, 2, 2); IS(char3, 3, 1); IS(uchar4, 4, 4);\n"
      "IS(short2, 4, 4); IS(ushort3, 6, 2); IS(short4, 8, 8);\n"
      "IS(int1, 4, 4); IS(int2, 8, 8); IS(uint3, 12, 4); IS(int4, 16, 16);\n"
      "IS(long1, 8, 8); IS(long2, 16, 16); IS(ulong4, 32, 16);\n"
      "IS(longlong2, 16, 16); IS(ulonglong3, 24, 8); IS(longlong4, 32, 16);\n"
      "IS(float2, 8, 8); IS(float3, 12, 4); IS(float4, 16, 16);\n"
      "IS(double1, 8, 8); IS(double2, 16, 16); IS(double4, 32, 16);\n"
      "IS(dim3, 12, 4);\n"
      "__global__ void k(float4 *p, int2 *q) { p[0] = make_float4(1, 2, 3, "
      "4);\n"
      "  q[0] = make_int2(1, 2); p[0].x = make_uchar3(1, 2, 3).z; }\n"
      "float3 host() { return make_float3(1, 2, 3); }\n"));
}

TEST(BuiltinHeader, Barriers) {
  EXPECT_TRUE(
      parses("__global__ void k(int *p) {\n"
             "  __syncthreads(); __syncwarp(); __syncwarp(3);\n"
             "  __threadfence(); __threadfence_block();\n"
             "  p[0] = __syncthreads_count(1) + __syncthreads_or(0);\n}\n"));
}

TEST(BuiltinHeader, Warps) {
  EXPECT_TRUE(parses(
      "__global__ void k(int *p, float f, double d, unsigned long long u) {\n"
      "  p[0] = __shfl_sync(~0u, p[1], 0) + __shfl_up_sync(~0u, p[1], 1, 16);\n"
      "  f = __shfl_down_sync(~0u, f, 1); d = __shfl_xor_sync(~0u, d, 1);\n"
      "  u = __shfl_sync(~0u, u, 1);\n"
      "  p[1] = __ballot_sync(~0u, 1) + __any_sync(~0u, 1) + __all_sync(~0u, 0)"
      " + __activemask() + __popc(3) + __ffs(p[2]) + __clz(p[3]) + "
      "__match_any_sync(~0u, p[4]) + f + d + u;\n}\n"));
}

TEST(BuiltinHeader, Atomics) {
  EXPECT_TRUE(parses(
      "__global__ void k(int *i, unsigned *u, unsigned long long *l, float *f, "
      "double *d) {\n"
      "  i[1] = atomicAdd(i, 1) + atomicSub(i, 1) + atomicExch(i, 1) + "
      "atomicMin(i, 1) + atomicMax(i, 1) + atomicAnd(i, 1) + atomicOr(i, 1) + "
      "atomicXor(i, 1) + atomicCAS(i, 1, 2);\n"
      "  u[1] = atomicInc(u, 7) + atomicDec(u, 7) + atomicAdd(u, 1u);\n"
      "  atomicAdd(l, 1ull); atomicCAS(l, 1ull, 2ull);\n"
      "  atomicAdd(f, 1.0f); atomicAdd(d, 1.0); atomicExch(f, 1.0f);\n"
      "  __shared__ int s[4]; atomicAdd(&s[1], 1);\n}\n"));
}

TEST(BuiltinHeader, Mathematics) {
  EXPECT_TRUE(parses(
      "__global__ void k(float *f, double *d, int *n) {\n"
      "  f[0] = sinf(f[1]) + sin(f[1]) + sqrtf(f[2]) + fabsf(f[3]) + "
      "powf(f[4], 2) + fmaxf(f[5], 1) + rsqrtf(f[6]) + __expf(f[7]) + "
      "fmaf(f[1], f[2], f[3]) + __fdividef(1, 2) + floorf(f[8]) + "
      "erfcf(f[9]);\n"
      "  d[0] = cos(d[1]) + pow(d[2], 3.0) + pow(d[2], 2) + exp(d[3]) + "
      "fmin(d[4], d[5]) + fma(d[1], d[2], d[3]) + rsqrt(d[6]) + hypot(d[1], "
      "2.0);\n"
      "  n[0] = min(n[1], n[2]) + max(3u, 4u) + abs(n[3]) + min(n[4], 3u);\n}\n"
      "int host(int a) { return min(a, 3) + max(a, 4); }\n"));
}

TEST(BuiltinHeader, ResultsThroughPointers) {
  EXPECT_TRUE(parses(
      "__global__ void k(float *f, double *d, int *n) {\n"
      "  sincosf(f[0], f + 1, f + 2); sincos(d[0], d + 1, d + 2);\n"
      "  f[3] = modff(f[0], f + 4); d[3] = modf(d[0], d + 4);\n"
      "  f[5] = frexpf(f[0], n); d[5] = frexp(d[0], n + 1);\n"
      "  f[6] = remquof(f[0], f[1], n + 2); d[6] = remquo(d[0], d[1], n + 3);\n"
      "  __sincosf(f[0], f + 1, f + 2);\n}\n"));
}

TEST(BuiltinHeader, MemoryAndClocks) {
  EXPECT_TRUE(parses(
      "__global__ void k(const int *p, const float4 *q, long long *r, char *c) "
      "{\n"
      "  r[0] = __ldg(p) + __ldg(q).x + __ldcs(p) + clock64() + clock();\n"
      "  memcpy(c, p, 4); memset(c, 0, 4); void *m = malloc(4); free(m);\n"
      "  if (r[0] == 3) __trap();\n"
      "  printf(\"%d\\n\", p[0]);\n"
      "  r[1] = __float_as_int(1.0f) + __brev(3) + __mulhi(1, 2);\n}\n"));
}

TEST(BuiltinHeader, Assertions) {
  if (!parses("#if !__has_include(<assert.h>)\n#error\n#endif\n"))
    GTEST_SKIP() << "no C library here";
  EXPECT_TRUE(parses("#include <cassert>\n"
                     "__global__ void k(int *p) { assert(p[0] == 1); }\n"
                     "int main() { assert(true); }\n"));
}

TEST(BuiltinHeader, Launches) {
  EXPECT_TRUE(parses(
      "__global__ void k(int *p) {}\n"
      "template <int N> __global__ void t(int *p) {}\n"
      "int main() {\n"
      "  cudaStream_t s; cudaStreamCreate(&s);\n"
      "  k<<<1, 32>>>(nullptr); k<<<dim3(2, 2), dim3(8, 8), 64, "
      "s>>>(nullptr);\n"
      "  t<3><<<1, 32>>>(nullptr);\n"
      "  int *p = nullptr; void *args[] = {&p};\n"
      "  cudaLaunchKernel(k, dim3(1), dim3(32), args);\n"
      "  cudaLaunchKernel((void *)k, dim3(1), dim3(32), args, 0, s);\n"
      "  cudaLaunchCooperativeKernel((void *)k, 1, 32, args);\n"
      "  cudaLaunchConfig_t c = {}; c.blockDim = 32; cudaLaunchKernelEx(&c, k, "
      "p);\n"
      "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, "
      "1);\n"
      "  cudaFuncAttributes a; cudaFuncGetAttributes(&a, k);\n"
      "  cudaLaunchKernelExC(&c, (const void *)k, args);\n"
      "  int blocks; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, "
      "32, 0);\n"
      "  cudaOccupancyMaxActiveClusters(&blocks, k, &c);\n"
      "  size_t bytes; cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, k, 1, "
      "32);\n}\n"));
}

TEST(BuiltinHeader, RuntimeCalls) {
  EXPECT_TRUE(parses(
      "__constant__ float table[4];\n"
      "int main() {\n"
      "  int *p; float h[4] = {}; size_t free, total;\n"
      "  cudaError_t e = cudaMalloc(&p, 4); cudaMalloc((void **)&p, 4);\n"
      "  cudaMallocManaged(&p, 4); cudaMemGetInfo(&free, &total);\n"
      "  cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice);\n"
      "  cudaMemcpyToSymbol(table, h, 16); cudaMemset(p, 0, 4);\n"
      "  cudaEvent_t a, b; float ms; cudaEventCreate(&a); cudaEventRecord(a);\n"
      "  cudaEventSynchronize(a); cudaEventElapsedTime(&ms, a, b);\n"
      "  cudaDeviceSynchronize(); cudaFree(p);\n"
      "  cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0);\n"
      "  const char *text = cudaGetErrorString(cudaGetLastError());\n"
      "  return e == cudaSuccess && text && prop.major;\n}\n"));
}

TEST(BuiltinHeader, HeadersOfTheToolkit) {
  EXPECT_TRUE(parses(
      "#include <cuda.h>\n#include <cuda_runtime.h>\n"
      "#include <cuda_runtime_api.h>\n#include <device_launch_parameters.h>\n"
      "#if CUDART_VERSION < 13000\n#error\n#endif\n"));
}

TEST(BuiltinHeader, StandardLibraryOfTheHost) {
  if (!parses("#if !__has_include(<vector>)\n#error\n#endif\n"))
    GTEST_SKIP() << "no C++ library here";
  for (const char *Standard : {"-std=c++14", "-std=c++17", "-std=c++20"})
    EXPECT_TRUE(parses(
        "#include <algorithm>\n#include <chrono>\n#include <cmath>\n"
        "#include <cstdio>\n#include <cstring>\n#include <iostream>\n"
        "#include <map>\n#include <memory>\n#include <numeric>\n"
        "#include <random>\n#include <string>\n#include <vector>\n"
        "__global__ void k(float *p) { p[0] = std::max(p[1], p[2]) + "
        "sqrt(p[3]) "
        "+ std::sqrt(p[4]) + fabs(p[5]); }\n"
        "int main() {\n"
        "  std::vector<float> v(4, std::sin(1.0)); std::sort(v.begin(), "
        "v.end());\n"
        "  std::cout << std::string(\"x\") << sqrt(2.0) << pow(2.0, 3) << "
        "min(1, 2);\n"
        "  std::printf(\"%f\", *std::max_element(v.begin(), v.end()));\n}\n",
        {Standard}))
        << Standard;
}

TEST(BuiltinHeader, NoStandardLibraryAtAll) {
  EXPECT_TRUE(parses("__global__ void k(float *p, int32_t n, size_t s) {\n"
                     "  p[n] = sinf(p[s]);\n}\n"
                     "int main() { k<<<1, 32>>>(nullptr, 1, 2); }\n",
                     {"-nostdlibinc"}));
}

TEST(BuiltinHeader, OtherArchitectures) {
  for (const char *Arch : {"sm_70", "sm_80", "sm_120"})
    EXPECT_TRUE(parses("__global__ void k(int *p) { p[0] = __CUDA_ARCH__; }\n",
                       {std::string("--cuda-gpu-arch=") + Arch}))
        << Arch;
}

} // namespace
