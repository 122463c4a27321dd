// builtin_fp16.h - <cuda_fp16.h> without a toolkit
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and what is most used of their arithmetic.

#ifndef BANKSTRIPE_BUILTIN_FP16_H
#define BANKSTRIPE_BUILTIN_FP16_H
#pragma clang system_header

#include <bankstripe_cuda.h>

#define BS_HD static __inline__ __attribute__((host, device))

struct __align__(2) __half {
  _Float16 Value;
  __half() = default;
  __host__ __device__ __half(float V) : Value(static_cast<_Float16>(V)) {}
  __host__ __device__ __half(double V) : Value(static_cast<_Float16>(V)) {}
  __host__ __device__ __half(int V) : Value(static_cast<_Float16>(V)) {}
  __host__ __device__ operator float() const { return Value; }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half X, __half Y) : x(X), y(Y) {}
};
typedef __half half;
typedef __half2 half2;

BS_HD __half __float2half(float V) { return __half(V); }
BS_HD __half __float2half_rn(float V) { return __half(V); }
BS_HD __half __double2half(double V) { return __half(V); }
BS_HD __half __int2half_rn(int V) { return __half(V); }
BS_HD float __half2float(__half V) { return V; }
BS_HD int __half2int_rn(__half V) { return static_cast<int>(V.Value); }
BS_HD __half2 __floats2half2_rn(float X, float Y) {
  return __half2(__half(X), __half(Y));
}
BS_HD __half2 __halves2half2(__half X, __half Y) { return __half2(X, Y); }
BS_HD __half2 __half2half2(__half V) { return __half2(V, V); }
BS_HD __half2 __float2half2_rn(float V) { return __floats2half2_rn(V, V); }
BS_HD float2 __half22float2(__half2 V) { return float2{V.x, V.y}; }
BS_HD __half __low2half(__half2 V) { return V.x; }
BS_HD __half __high2half(__half2 V) { return V.y; }
BS_HD float __low2float(__half2 V) { return V.x; }
BS_HD float __high2float(__half2 V) { return V.y; }

#define BS_ARITHMETIC(Name, Operator)                                          \
  BS_HD __half Name(__half A, __half B) {                                      \
    return __half(static_cast<float>(A.Value Operator B.Value));               \
  }                                                                            \
  BS_HD __half operator Operator(__half A, __half B) { return Name(A, B); }    \
  BS_HD __half &operator Operator## = (__half & A, __half B) {                 \
    return A = Name(A, B);                                                     \
  }                                                                            \
  BS_HD __half2 Name##2(__half2 A, __half2 B) {                                \
    return __half2(Name(A.x, B.x), Name(A.y, B.y));                            \
  }                                                                            \
  BS_HD __half2 operator Operator(__half2 A, __half2 B) {                      \
    return Name##2(A, B);                                                      \
  }
BS_ARITHMETIC(__hadd, +)
BS_ARITHMETIC(__hsub, -)
BS_ARITHMETIC(__hmul, *)
BS_ARITHMETIC(__hdiv, /)
#undef BS_ARITHMETIC

#define BS_COMPARISON(Name, Operator)                                          \
  BS_HD bool Name(__half A, __half B) { return A.Value Operator B.Value; }     \
  BS_HD bool operator Operator(__half A, __half B) { return Name(A, B); }
BS_COMPARISON(__heq, ==)
BS_COMPARISON(__hne, !=)
BS_COMPARISON(__hlt, <)
BS_COMPARISON(__hle, <=)
BS_COMPARISON(__hgt, >)
BS_COMPARISON(__hge, >=)
#undef BS_COMPARISON

BS_HD __half __hneg(__half A) { return __half(-static_cast<float>(A)); }
BS_HD __half __hfma(__half A, __half B, __half C) {
  return __hadd(__hmul(A, B), C);
}
BS_HD __half2 __hfma2(__half2 A, __half2 B, __half2 C) {
  return __hadd2(__hmul2(A, B), C);
}
BS_HD __half __hmax(__half A, __half B) { return __hlt(A, B) ? B : A; }
BS_HD __half __hmin(__half A, __half B) { return __hlt(B, A) ? B : A; }

#undef BS_HD

#endif
