// unit.cu - what unit<E> chooses, and where the elements then lie
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::begin;
using bankstripe::padded;
using bankstripe::unit;
using bankstripe::warps;
using bankstripe::word;

template <int Words> struct Record {
  int word[Words];
};
struct Halves {
  short x, y, z;
};
struct Bytes {
  char red, green, blue;
};
struct alignas(8) Aligned {
  float value;
  int index;
};
struct TwoDoubles {
  double re, im;
};
struct alignas(16) Matrix {
  float row[8];
};
struct Complex {
  float re, im;
  __host__ __device__ Complex(float re = 1, float im = 2) : re(re), im(im) {}
};

template <class E, class S, int Bytes> constexpr bool chosen() {
  return std::is_same<unit<E>, S>::value && sizeof(S) == Bytes && alignof(S) >= alignof(E);
}
static_assert(chosen<char, word<char>, 4>(), "");
static_assert(chosen<unsigned short, word<unsigned short>, 4>(), "");
static_assert(chosen<Bytes, word<Bytes>, 4>(), "");
static_assert(chosen<float, float, 4>(), "");
static_assert(chosen<volatile int, volatile int, 4>(), "");
static_assert(chosen<int *, int *, 8>(), "");
static_assert(chosen<double, double, 8>(), "");
static_assert(chosen<float2, float2, 8>(), "");
static_assert(chosen<int4, int4, 16>(), "");
static_assert(chosen<float3, float3, 12>(), "");
static_assert(chosen<Aligned, Aligned, 8>(), "");
static_assert(chosen<Record<5>, Record<5>, 20>(), "");
static_assert(chosen<Record<2>, padded<Record<2>>, 12>(), "");
static_assert(chosen<Record<4>, padded<Record<4>>, 20>(), "");
static_assert(chosen<Halves, padded<Halves>, 12>(), "");
static_assert(chosen<TwoDoubles, padded<TwoDoubles>, 24>(), "");
static_assert(chosen<Matrix, padded<Matrix>, 48>(), "");
static_assert(chosen<Complex, padded<Complex>, 12>(), "");

// The byte of the storage at which element i of thread t begins.
template <class E> __global__ void places(unsigned *begins) {
  __shared__ unit<E> a[warps(64)][6][32];
  for (int i = 0; i < 6; ++i)
    begins[threadIdx.x * 6 + i] =
        static_cast<unsigned>(reinterpret_cast<char *>(&begin(a)[i]) - reinterpret_cast<char *>(a));
}

// One access serves as many lanes as 128 bytes hold elements of the size that
// is read at once: these may not begin in the same bank, whatever their
// indices. And no two elements may overlap.
template <class E> int check(const char *name) {
  static unsigned begins[64 * 6];
  unsigned *onDevice;
  cudaMalloc(&onDevice, sizeof begins);
  places<E><<<1, 64>>>(onDevice);
  cudaMemcpy(begins, onDevice, sizeof begins, cudaMemcpyDeviceToHost);
  cudaFree(onDevice);
  const int together = alignof(E) <= 4 ? 32 : 128 / int(alignof(E));
  int wrong = 0;
  for (int a = 0; a < 64 * 6; ++a)
    for (int b = 0; b < a; ++b) {
      const unsigned distance =
          begins[a] > begins[b] ? begins[a] - begins[b] : begins[b] - begins[a];
      const int s = a / 6, t = b / 6;
      wrong += distance < sizeof(E) || begins[a] % alignof(E) != 0;
      wrong += s != t && s / together == t / together && begins[a] / 4 % 32 == begins[b] / 4 % 32;
    }
  std::printf("%s: %d wrong\n", name, wrong);
  return wrong != 0;
}

int main() {
  return check<char>("char") | check<Bytes>("Bytes") | check<float>("float") | check<double>("double") |
         check<float3>("float3") | check<float4>("float4") | check<Record<2>>("two words") |
         check<Record<6>>("six words") | check<Record<8>>("eight words") | check<Halves>("Halves") |
         check<TwoDoubles>("TwoDoubles") | check<Matrix>("Matrix") | check<Complex>("Complex");
}
