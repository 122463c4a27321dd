// builtin_cuda.h - the CUDA language without a CUDA toolkit
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled into the tool as text and given to Clang in the place of the
// toolkit's headers where there are none, so that self-contained kernels can be
// parsed and optimised. It declares; nothing can be linked or run with it. What
// device code calls is defined in terms of Clang's builtins where that lets the
// optimiser see what the call does to its arguments: an output pointer must not
// look as if it escaped.
//
// Clang's own headers give threadIdx and its like, and what a warp does
// together.

#ifndef BANKSTRIPE_BUILTIN_CUDA_H
#define BANKSTRIPE_BUILTIN_CUDA_H
#pragma clang system_header

#define __CUDACC__ 1
#define __CUDA_RUNTIME_H__
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device)) // Clang has it for HIP only.
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define CUDARTAPI
#define CUDART_CB

// nvcc includes these before every file.
#if __has_include(<math.h>)
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#else
#include <limits.h>
#include <stdint.h>
#endif
#include <stddef.h>

#define BS_HD static __inline__ __attribute__((host, device))
#define BS_DEVICE                                                              \
  static __inline__ __attribute__((always_inline)) __attribute__((device))

// --- Vector types ----------------------------------------------------------

#define BS_VECTOR(T, Name, Align2, Align4)                                     \
  struct Name##1 { T x; };                                                     \
  struct __align__(Align2) Name##2 { T x, y; };                                \
  struct Name##3 { T x, y, z; };                                               \
  struct __align__(Align4) Name##4 { T x, y, z, w; };                          \
  BS_HD Name##1 make_##Name##1(T x) { return {x}; }                            \
  BS_HD Name##2 make_##Name##2(T x, T y) { return {x, y}; }                    \
  BS_HD Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; }            \
  BS_HD Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

BS_VECTOR(signed char, char, 2, 4)
BS_VECTOR(unsigned char, uchar, 2, 4)
BS_VECTOR(short, short, 4, 8)
BS_VECTOR(unsigned short, ushort, 4, 8)
BS_VECTOR(int, int, 8, 16)
BS_VECTOR(unsigned int, uint, 8, 16)
BS_VECTOR(long, long, 16, 16)
BS_VECTOR(unsigned long, ulong, 16, 16)
BS_VECTOR(long long, longlong, 16, 16)
BS_VECTOR(unsigned long long, ulonglong, 16, 16)
BS_VECTOR(float, float, 8, 16)
BS_VECTOR(double, double, 16, 16)
#undef BS_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int X = 1, unsigned int Y = 1,
                                     unsigned int Z = 1)
      : x(X), y(Y), z(Z) {}
  __host__ __device__ constexpr dim3(uint3 V) : x(V.x), y(V.y), z(V.z) {}
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

#include <__clang_cuda_builtin_vars.h>

#define BS_CONVERSIONS(Variable)                                               \
  __device__ inline __cuda_builtin_##Variable##_t::operator dim3() const {     \
    return dim3(x, y, z);                                                      \
  }                                                                            \
  __device__ inline __cuda_builtin_##Variable##_t::operator uint3() const {    \
    return uint3{x, y, z};                                                     \
  }
BS_CONVERSIONS(threadIdx)
BS_CONVERSIONS(blockIdx)
BS_CONVERSIONS(blockDim)
BS_CONVERSIONS(gridDim)
#undef BS_CONVERSIONS

// --- Calls of the system ---------------------------------------------------

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute((nothrow));
__device__ void *malloc(size_t) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *, const char *, unsigned, const char *,
                             size_t);
BS_DEVICE void __assert_fail(const char *Message, const char *File,
                             unsigned Line, const char *Function) {
  __assertfail(Message, File, Line, Function, sizeof(char));
}
}
BS_DEVICE void *memcpy(void *To, const void *From, size_t N) {
  return __builtin_memcpy(To, From, N);
}
BS_DEVICE void *memset(void *To, int Value, size_t N) {
  return __builtin_memset(To, Value, N);
}

// --- Synchronisation and warps -----------------------------------------------

BS_DEVICE void __threadfence() { __nvvm_membar_gl(); }
BS_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
BS_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
BS_DEVICE int __syncthreads_count(int P) { return __nvvm_bar0_popc(P); }
BS_DEVICE int __syncthreads_and(int P) { return __nvvm_bar0_and(P); }
BS_DEVICE int __syncthreads_or(int P) { return __nvvm_bar0_or(P); }
// Shuffles, votes and loads through the cache, of Clang's; with what that
// needs.
typedef unsigned cuuint32_t;
BS_DEVICE unsigned __isShared(const void *P) {
  return __nvvm_isspacep_shared(P);
}
BS_DEVICE unsigned __isLocal(const void *P) { return __nvvm_isspacep_local(P); }
BS_DEVICE size_t __cvta_generic_to_shared(const void *P) {
  return (size_t)(__attribute__((address_space(3))) const void *)P;
}
#include <__clang_cuda_intrinsics.h>

BS_DEVICE unsigned __match_any_sync(unsigned Mask, unsigned V) {
  return __nvvm_match_any_sync_i32(Mask, V);
}
BS_DEVICE unsigned __match_any_sync(unsigned Mask, int V) {
  return __nvvm_match_any_sync_i32(Mask, V);
}
// --- Atomics -----------------------------------------------------------------

#define BS_ATOMIC(Name, Builtin, T)                                            \
  BS_DEVICE T Name(T *P, T V) { return Builtin(P, V, __ATOMIC_RELAXED); }      \
  BS_DEVICE T Name##_block(T *P, T V) { return Name(P, V); }                   \
  BS_DEVICE T Name##_system(T *P, T V) { return Name(P, V); }
#define BS_ATOMIC_BITS(Name, Builtin)                                          \
  BS_ATOMIC(Name, Builtin, int)                                                \
  BS_ATOMIC(Name, Builtin, unsigned)                                           \
  BS_ATOMIC(Name, Builtin, unsigned long long)
BS_ATOMIC_BITS(atomicAdd, __atomic_fetch_add)
BS_ATOMIC(atomicAdd, __atomic_fetch_add, float)
BS_ATOMIC(atomicAdd, __atomic_fetch_add, double)
BS_ATOMIC(atomicSub, __atomic_fetch_sub, int)
BS_ATOMIC(atomicSub, __atomic_fetch_sub, unsigned)
BS_ATOMIC_BITS(atomicAnd, __atomic_fetch_and)
BS_ATOMIC_BITS(atomicOr, __atomic_fetch_or)
BS_ATOMIC_BITS(atomicXor, __atomic_fetch_xor)
BS_ATOMIC_BITS(atomicMin, __atomic_fetch_min)
BS_ATOMIC(atomicMin, __atomic_fetch_min, long long)
BS_ATOMIC_BITS(atomicMax, __atomic_fetch_max)
BS_ATOMIC(atomicMax, __atomic_fetch_max, long long)
BS_ATOMIC_BITS(atomicExch, __atomic_exchange_n)
#undef BS_ATOMIC_BITS
#undef BS_ATOMIC
BS_DEVICE float atomicExch(float *P, float V) {
  return __builtin_bit_cast(float, atomicExch(reinterpret_cast<int *>(P),
                                              __builtin_bit_cast(int, V)));
}
#define BS_CAS(T)                                                              \
  BS_DEVICE T atomicCAS(T *P, T Expected, T Desired) {                         \
    return __sync_val_compare_and_swap(P, Expected, Desired);                  \
  }
BS_CAS(int)
BS_CAS(unsigned)
BS_CAS(unsigned long long)
#undef BS_CAS
BS_DEVICE unsigned atomicInc(unsigned *P, unsigned Limit) {
  return __nvvm_atom_inc_gen_ui(P, Limit);
}
BS_DEVICE unsigned atomicDec(unsigned *P, unsigned Limit) {
  return __nvvm_atom_dec_gen_ui(P, Limit);
}

// --- Memory, clocks, bits ----------------------------------------------------

template <class T> BS_DEVICE T __ldca(const T *P) { return *P; }
template <class T> BS_DEVICE void __stcs(T *P, T V) { *P = V; }
template <class T> BS_DEVICE void __stcg(T *P, T V) { *P = V; }

BS_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
BS_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
BS_DEVICE void __trap() { __builtin_trap(); }
BS_DEVICE void __nanosleep(unsigned) {}

BS_DEVICE int __popc(unsigned V) { return __builtin_popcount(V); }
BS_DEVICE int __popcll(unsigned long long V) { return __builtin_popcountll(V); }
BS_DEVICE int __clz(int V) { return V ? __builtin_clz(V) : 32; }
BS_DEVICE int __clzll(long long V) { return V ? __builtin_clzll(V) : 64; }
BS_DEVICE int __ffs(int V) { return __builtin_ffs(V); }
BS_DEVICE int __ffsll(long long V) { return __builtin_ffsll(V); }
BS_DEVICE unsigned __brev(unsigned V) { return __builtin_bitreverse32(V); }
BS_DEVICE unsigned long long __brevll(unsigned long long V) {
  return __builtin_bitreverse64(V);
}
BS_DEVICE unsigned __byte_perm(unsigned A, unsigned B, unsigned S) {
  return __nvvm_prmt(A, B, S);
}
BS_DEVICE int __mul24(int A, int B) { return A * B; }
BS_DEVICE unsigned __umul24(unsigned A, unsigned B) { return A * B; }
BS_DEVICE int __mulhi(int A, int B) {
  return static_cast<int>(static_cast<long long>(A) * B >> 32);
}
BS_DEVICE unsigned __umulhi(unsigned A, unsigned B) {
  return static_cast<unsigned>(static_cast<unsigned long long>(A) * B >> 32);
}
BS_DEVICE unsigned long long __umul64hi(unsigned long long A,
                                        unsigned long long B) {
  return static_cast<unsigned long long>(
      static_cast<unsigned __int128>(A) * B >> 64);
}
#define BS_BITS(Name, To, From)                                                \
  BS_DEVICE To Name(From V) { return __builtin_bit_cast(To, V); }
BS_BITS(__float_as_int, int, float)
BS_BITS(__float_as_uint, unsigned, float)
BS_BITS(__int_as_float, float, int)
BS_BITS(__uint_as_float, float, unsigned)
BS_BITS(__double_as_longlong, long long, double)
BS_BITS(__longlong_as_double, double, long long)
#undef BS_BITS

// --- Arithmetic --------------------------------------------------------------

#define BS_CAST(Name, To, From)                                                \
  BS_DEVICE To Name(From V) { return static_cast<To>(V); }
#define BS_CONVERT(Suffix)                                                     \
  BS_CAST(__float2int_##Suffix, int, float)                                    \
  BS_CAST(__float2uint_##Suffix, unsigned, float)                              \
  BS_CAST(__double2int_##Suffix, int, double)                                  \
  BS_CAST(__int2float_##Suffix, float, int)                                    \
  BS_CAST(__uint2float_##Suffix, float, unsigned)                              \
  BS_CAST(__double2float_##Suffix, float, double)                              \
  BS_DEVICE float __fadd_##Suffix(float A, float B) { return A + B; }          \
  BS_DEVICE float __fsub_##Suffix(float A, float B) { return A - B; }          \
  BS_DEVICE float __fmul_##Suffix(float A, float B) { return A * B; }          \
  BS_DEVICE float __fdiv_##Suffix(float A, float B) { return A / B; }          \
  BS_DEVICE float __frcp_##Suffix(float A) { return 1.0f / A; }                \
  BS_DEVICE float __fsqrt_##Suffix(float A) { return __builtin_sqrtf(A); }     \
  BS_DEVICE float __fmaf_##Suffix(float A, float B, float C) {                 \
    return __builtin_fmaf(A, B, C);                                            \
  }                                                                            \
  BS_DEVICE double __dadd_##Suffix(double A, double B) { return A + B; }       \
  BS_DEVICE double __dmul_##Suffix(double A, double B) { return A * B; }       \
  BS_DEVICE double __fma_##Suffix(double A, double B, double C) {              \
    return __builtin_fma(A, B, C);                                             \
  }
BS_CONVERT(rn)
BS_CONVERT(rz)
BS_CONVERT(ru)
BS_CONVERT(rd)
#undef BS_CONVERT
#undef BS_CAST

#define BS_MIN_MAX(T, A, B)                                                    \
  BS_HD T min(A a, B b) {                                                      \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b)           \
                                                 : static_cast<T>(a);          \
  }                                                                            \
  BS_HD T max(A a, B b) {                                                      \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b)           \
                                                 : static_cast<T>(a);          \
  }
#define BS_MIN_MAX_MIXED(T, U)                                                 \
  BS_MIN_MAX(T, T, T)                                                          \
  BS_MIN_MAX(U, U, U)                                                          \
  BS_MIN_MAX(U, T, U)                                                          \
  BS_MIN_MAX(U, U, T)
BS_MIN_MAX_MIXED(int, unsigned)
BS_MIN_MAX_MIXED(long, unsigned long)
BS_MIN_MAX_MIXED(long long, unsigned long long)
BS_MIN_MAX_MIXED(float, double)
#undef BS_MIN_MAX_MIXED
#undef BS_MIN_MAX

#define BS_MATH1(Name)                                                         \
  BS_DEVICE double Name(double A) { return __builtin_##Name(A); }              \
  BS_DEVICE float Name(float A) { return __builtin_##Name##f(A); }             \
  BS_DEVICE float Name##f(float A) { return __builtin_##Name##f(A); }
#define BS_MATH2(Name)                                                         \
  BS_DEVICE double Name(double A, double B) { return __builtin_##Name(A, B); } \
  BS_DEVICE float Name(float A, float B) { return __builtin_##Name##f(A, B); } \
  BS_DEVICE float Name##f(float A, float B) {                                  \
    return __builtin_##Name##f(A, B);                                          \
  }
// clang-format off
BS_MATH1(acos) BS_MATH1(acosh) BS_MATH1(asin) BS_MATH1(asinh)
BS_MATH1(atan) BS_MATH1(atanh) BS_MATH1(cbrt) BS_MATH1(ceil)
BS_MATH1(cos) BS_MATH1(cosh) BS_MATH1(erf) BS_MATH1(erfc)
BS_MATH1(exp) BS_MATH1(exp2) BS_MATH1(expm1) BS_MATH1(fabs)
BS_MATH1(floor) BS_MATH1(lgamma) BS_MATH1(log) BS_MATH1(log10)
BS_MATH1(log1p) BS_MATH1(log2) BS_MATH1(logb) BS_MATH1(nearbyint)
BS_MATH1(rint) BS_MATH1(round) BS_MATH1(sin) BS_MATH1(sinh)
BS_MATH1(sqrt) BS_MATH1(tan) BS_MATH1(tanh) BS_MATH1(tgamma)
BS_MATH1(trunc) BS_MATH2(atan2) BS_MATH2(copysign) BS_MATH2(fdim)
BS_MATH2(fmax) BS_MATH2(fmin) BS_MATH2(fmod) BS_MATH2(hypot)
BS_MATH2(nextafter) BS_MATH2(pow) BS_MATH2(remainder)
#undef BS_MATH1
#undef BS_MATH2
BS_DEVICE double pow(double A, int B) { return __builtin_pow(A, B); }
// clang-format on
BS_DEVICE float pow(float A, int B) { return __builtin_powf(A, B); }
BS_DEVICE double fma(double A, double B, double C) {
  return __builtin_fma(A, B, C);
}
BS_DEVICE float fma(float A, float B, float C) {
  return __builtin_fmaf(A, B, C);
}
BS_DEVICE float fmaf(float A, float B, float C) {
  return __builtin_fmaf(A, B, C);
}
BS_DEVICE int abs(int A) { return __builtin_abs(A); }
BS_DEVICE long abs(long A) { return __builtin_labs(A); }
BS_DEVICE long long abs(long long A) { return __builtin_llabs(A); }
BS_DEVICE float abs(float A) { return __builtin_fabsf(A); }
BS_DEVICE double abs(double A) { return __builtin_fabs(A); }

// On the host, glibc has these from a version on.
#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(Major, Minor) 0
#endif
#if __GLIBC_PREREQ(2, 41)
#define BS_PI BS_DEVICE
#else
#define BS_PI BS_HD
#endif
#if __GLIBC_PREREQ(2, 42)
#define BS_RSQRT BS_DEVICE
#else
#define BS_RSQRT BS_HD
#endif

// Results through a pointer: the pointer goes no further than here.
#define BS_MATH_POINTER(T, Suffix)                                             \
  BS_DEVICE void sincos##Suffix(T A, T *S, T *C) {                             \
    *S = __builtin_sin##Suffix(A);                                             \
    *C = __builtin_cos##Suffix(A);                                             \
  }                                                                            \
  BS_DEVICE void sincospi##Suffix(T A, T *S, T *C) {                           \
    sincos##Suffix(A * static_cast<T>(3.14159265358979323846), S, C);          \
  }                                                                            \
  BS_DEVICE T modf##Suffix(T A, T *Whole) {                                    \
    *Whole = __builtin_trunc##Suffix(A);                                       \
    return A - *Whole;                                                         \
  }                                                                            \
  BS_DEVICE T frexp##Suffix(T A, int *Exponent) {                              \
    *Exponent =                                                                \
        static_cast<int>(__builtin_floor##Suffix(__builtin_log2##Suffix(A))) + \
        1;                                                                     \
    return A / __builtin_exp2##Suffix(static_cast<T>(*Exponent));              \
  }                                                                            \
  BS_DEVICE T remquo##Suffix(T A, T B, int *Quotient) {                        \
    *Quotient = static_cast<int>(__builtin_rint##Suffix(A / B)) & 7;           \
    return A - B * __builtin_rint##Suffix(A / B);                              \
  }                                                                            \
  BS_DEVICE T ldexp##Suffix(T A, int E) {                                      \
    return A * __builtin_exp2##Suffix(static_cast<T>(E));                      \
  }                                                                            \
  BS_RSQRT T rsqrt##Suffix(T A) { return 1 / __builtin_sqrt##Suffix(A); }      \
  BS_HD T rcbrt##Suffix(T A) { return 1 / __builtin_cbrt##Suffix(A); }         \
  BS_PI T sinpi##Suffix(T A) {                                                 \
    return __builtin_sin##Suffix(A * static_cast<T>(3.14159265358979323846));  \
  }                                                                            \
  BS_PI T cospi##Suffix(T A) {                                                 \
    return __builtin_cos##Suffix(A * static_cast<T>(3.14159265358979323846));  \
  }                                                                            \
  BS_DEVICE T exp10##Suffix(T A) {                                             \
    return __builtin_exp2##Suffix(A * static_cast<T>(3.32192809488736234787)); \
  }                                                                            \
  BS_HD T normcdf##Suffix(T A) {                                               \
    return static_cast<T>(0.5) *                                               \
           __builtin_erfc##Suffix(A *                                          \
                                  static_cast<T>(-0.70710678118654752440));    \
  }
BS_MATH_POINTER(double, )
BS_MATH_POINTER(float, f)
#undef BS_MATH_POINTER
#undef BS_RSQRT
#undef BS_PI
BS_DEVICE float rsqrt(float A) { return rsqrtf(A); }
BS_DEVICE float modf(float A, float *Whole) { return modff(A, Whole); }
BS_DEVICE float frexp(float A, int *E) { return frexpf(A, E); }
BS_DEVICE float ldexp(float A, int E) { return ldexpf(A, E); }

BS_DEVICE float __sinf(float A) { return __builtin_sinf(A); }
BS_DEVICE float __cosf(float A) { return __builtin_cosf(A); }
BS_DEVICE float __tanf(float A) { return __builtin_tanf(A); }
BS_DEVICE float __expf(float A) { return __builtin_expf(A); }
BS_DEVICE float __exp10f(float A) { return exp10f(A); }
BS_DEVICE float __logf(float A) { return __builtin_logf(A); }
BS_DEVICE float __log2f(float A) { return __builtin_log2f(A); }
BS_DEVICE float __log10f(float A) { return __builtin_log10f(A); }
BS_DEVICE float __powf(float A, float B) { return __builtin_powf(A, B); }
BS_DEVICE float __fdividef(float A, float B) { return A / B; }
BS_DEVICE float fdividef(float A, float B) { return A / B; }
BS_DEVICE float __saturatef(float A) { return fminf(fmaxf(A, 0.0f), 1.0f); }
BS_DEVICE void __sincosf(float A, float *S, float *C) { sincosf(A, S, C); }

#undef BS_DEVICE
#undef BS_HD

// --- The runtime -------------------------------------------------------------

// What host code calls. What a function does, and what exactly it takes, is
// asked of those alone that launch kernels or say something about them.

// clang-format off
typedef enum cudaError {
  cudaSuccess = 0, cudaErrorInvalidValue, cudaErrorMemoryAllocation,
  cudaErrorInitializationError, cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100, cudaErrorInvalidDevice,
  cudaErrorInvalidResourceHandle = 400, cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources,
  cudaErrorLaunchTimeout, cudaErrorLaunchFailure = 719, cudaErrorUnknown = 999
} cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout
};
enum cudaFuncCache {
  cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};
enum : unsigned {
  cudaStreamDefault, cudaStreamNonBlocking, cudaEventDefault = 0,
  cudaEventBlockingSync, cudaEventDisableTiming, cudaHostAllocDefault = 0,
  cudaHostAllocMapped = 2, cudaMemAttachGlobal = 1
};
// clang-format on

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
  int cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock;
  int maxThreadsDim[3], maxGridSize[3];
  int major, minor, multiProcessorCount;
  int concurrentKernels, maxThreadsPerMultiProcessor, managedMemory;
  int memoryBusWidth, l2CacheSize, cooperativeLaunch;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int regsPerMultiprocessor, maxBlocksPerMultiProcessor;
};

union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, priority, programmaticStreamSerializationAllowed;
  struct {
    unsigned int x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};

// Whatever they are given, symbols of the device and kernels among it.
#define BS_CALL(Name)                                                          \
  template <class... Types>                                                    \
  __host__ __device__ cudaError_t Name(const Types &...);
// clang-format off
BS_CALL(cudaMalloc) BS_CALL(cudaMallocHost) BS_CALL(cudaHostAlloc)
BS_CALL(cudaMallocManaged) BS_CALL(cudaMallocAsync) BS_CALL(cudaMallocPitch)
BS_CALL(cudaFree) BS_CALL(cudaFreeAsync) BS_CALL(cudaFreeHost)
BS_CALL(cudaMemcpy) BS_CALL(cudaMemcpy2D) BS_CALL(cudaMemcpyAsync)
BS_CALL(cudaMemcpyToSymbol) BS_CALL(cudaMemcpyFromSymbol)
BS_CALL(cudaGetSymbolAddress) BS_CALL(cudaMemset) BS_CALL(cudaMemsetAsync)
BS_CALL(cudaMemGetInfo) BS_CALL(cudaMemPrefetchAsync)
BS_CALL(cudaDeviceSynchronize) BS_CALL(cudaDeviceReset)
BS_CALL(cudaGetLastError)
BS_CALL(cudaPeekAtLastError) BS_CALL(cudaSetDevice) BS_CALL(cudaGetDevice)
BS_CALL(cudaGetDeviceCount) BS_CALL(cudaGetDeviceProperties)
BS_CALL(cudaDeviceGetAttribute) BS_CALL(cudaDeviceSetCacheConfig)
BS_CALL(cudaDeviceSetLimit) BS_CALL(cudaDeviceGetLimit)
BS_CALL(cudaEventCreate)
BS_CALL(cudaEventCreateWithFlags) BS_CALL(cudaEventRecord)
BS_CALL(cudaEventSynchronize) BS_CALL(cudaEventQuery)
BS_CALL(cudaEventElapsedTime) BS_CALL(cudaEventDestroy)
BS_CALL(cudaStreamCreate) BS_CALL(cudaStreamCreateWithFlags)
BS_CALL(cudaStreamSynchronize) BS_CALL(cudaStreamWaitEvent)
BS_CALL(cudaStreamQuery) BS_CALL(cudaStreamDestroy)
BS_CALL(cudaFuncSetAttribute) BS_CALL(cudaFuncGetAttributes)
BS_CALL(cudaFuncSetCacheConfig)
BS_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
BS_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
BS_CALL(cudaOccupancyAvailableDynamicSMemPerBlock)
BS_CALL(cudaOccupancyMaxActiveClusters)
BS_CALL(cudaOccupancyMaxPotentialClusterSize)
// clang-format on
#undef BS_CALL
                                                            __host__
    __device__ const char *cudaGetErrorString(cudaError_t);
__host__ __device__ const char *cudaGetErrorName(cudaError_t);

// What is launched, or may be with the numbers that are written.
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, K Kernel,
                                               size_t Shared = 0,
                                               int Limit = 0);
template <class Function, class K>
cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *Grid, int *Block, K Kernel,
                                               Function Shared, int Limit = 0);
template <class K>
cudaError_t cudaLaunchKernel(K *Kernel, dim3 Grid, dim3 Block, void **Args,
                             size_t Shared = 0, cudaStream_t Stream = 0);
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K *Kernel, dim3 Grid, dim3 Block,
                                        void **Args, size_t Shared = 0,
                                        cudaStream_t Stream = 0);
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *Configuration,
                               void (*Kernel)(Parameters...),
                               Arguments &&...Args);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);

extern "C" {
// What Clang makes of `<<<...>>>`.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
// The same in a kernel.
__device__ void *cudaGetParameterBuffer(size_t, size_t);
__device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3,
                                        unsigned = 0, cudaStream_t = 0);
}

#endif
