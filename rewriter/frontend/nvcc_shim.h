// nvcc_shim.h - what nvcc knows and Clang does not
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before a file that Clang has rejected, for a second try. Only what
// nvcc gives without being asked belongs here; what has left the toolkit, such
// as texture references, stays an error, since nvcc would reject it too.

#ifndef BANKSTRIPE_NVCC_SHIM_H
#define BANKSTRIPE_NVCC_SHIM_H
#pragma clang system_header

// --- Headers that cuda_runtime.h brings in under nvcc ------------------------

#if __has_include(<stdlib.h>)
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
#if __has_include(<sys/types.h>)
#include <sys/types.h>
#endif
#if __cplusplus >= 201103L && __has_include(<utility>)
#include <new>
#include <utility>
#endif

// --- min and max on the host -------------------------------------------------

// The built-in declarations have them already.
#ifndef BANKSTRIPE_BUILTIN_CUDA_H
#define BS_MIN_MAX(T, A, B)                                                    \
  static inline __attribute__((host)) T min(A a, B b) {                        \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b)           \
                                                 : static_cast<T>(a);          \
  }                                                                            \
  static inline __attribute__((host)) T max(A a, B b) {                        \
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
#endif

// --- Atomics of nvcc's own ---------------------------------------------------

// Which scope and order a call asks for changes nothing that is looked at here.
#ifndef __NV_ATOMIC_RELAXED
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define __nv_atomic_load_n(P, Order, ...) __atomic_load_n(P, Order)
#define __nv_atomic_load(P, Result, Order, ...) __atomic_load(P, Result, Order)
#define __nv_atomic_store_n(P, V, Order, ...) __atomic_store_n(P, V, Order)
#define __nv_atomic_store(P, V, Order, ...) __atomic_store(P, V, Order)
#define __nv_atomic_exchange_n(P, V, Order, ...)                               \
  __atomic_exchange_n(P, V, Order)
#define __nv_atomic_exchange(P, V, Result, Order, ...)                         \
  __atomic_exchange(P, V, Result, Order)
#define __nv_atomic_compare_exchange_n(P, Old, V, Weak, Success, Failure, ...) \
  __atomic_compare_exchange_n(P, Old, V, Weak, Success, Failure)
#define __nv_atomic_compare_exchange(P, Old, V, Weak, Success, Failure, ...)   \
  __atomic_compare_exchange(P, Old, V, Weak, Success, Failure)
#define __nv_atomic_fetch_add(P, V, Order, ...) __atomic_fetch_add(P, V, Order)
#define __nv_atomic_fetch_sub(P, V, Order, ...) __atomic_fetch_sub(P, V, Order)
#define __nv_atomic_fetch_and(P, V, Order, ...) __atomic_fetch_and(P, V, Order)
#define __nv_atomic_fetch_or(P, V, Order, ...) __atomic_fetch_or(P, V, Order)
#define __nv_atomic_fetch_xor(P, V, Order, ...) __atomic_fetch_xor(P, V, Order)
#define __nv_atomic_fetch_min(P, V, Order, ...) __atomic_fetch_min(P, V, Order)
#define __nv_atomic_fetch_max(P, V, Order, ...) __atomic_fetch_max(P, V, Order)
#define __nv_atomic_add __nv_atomic_fetch_add
#define __nv_atomic_sub __nv_atomic_fetch_sub
#define __nv_atomic_and __nv_atomic_fetch_and
#define __nv_atomic_or __nv_atomic_fetch_or
#define __nv_atomic_xor __nv_atomic_fetch_xor
#define __nv_atomic_min __nv_atomic_fetch_min
#define __nv_atomic_max __nv_atomic_fetch_max
#define __nv_atomic_thread_fence(Order, ...) __atomic_thread_fence(Order)
#endif

// --- Kernels as arguments ----------------------------------------------------

// The headers of CUDA 12.4 and before take a `const T *`, and of a function
// Clang finds no such T. These are more special than the `T *` that 12.6 has.
#if defined(CUDART_VERSION) && CUDART_VERSION < 12060
#define BS_LAUNCH(Name)                                                        \
  template <typename Result, typename... Parameters>                           \
  static inline __attribute__((host)) cudaError_t Name(                        \
      Result (*function)(Parameters...), dim3 grid, dim3 block,                \
      void **arguments, size_t shared = 0, cudaStream_t stream = 0) {          \
    return ::Name((const void *)function, grid, block, arguments, shared,      \
                  stream);                                                     \
  }
BS_LAUNCH(cudaLaunchKernel)
BS_LAUNCH(cudaLaunchCooperativeKernel)
#undef BS_LAUNCH
#endif

// --- Loads and stores that name a cache
// ---------------------------------------

// Clang has some of them, and none for `unsigned long`. The text is that of
// Clang's own. Vectors are loaded part by part.
#define BS_LOAD(Name, Operation, T, Part, Constraint)                          \
  static inline __attribute__((device)) T Name(const T *from) {                \
    Part value;                                                                \
    asm(Operation " %0, [%1];" : Constraint(value) : "l"(from));               \
    return (T)value;                                                           \
  }
#define BS_LOAD2(Name, T)                                                      \
  static inline __attribute__((device)) T##2 Name(const T##2 * from) {         \
    T##2 value;                                                                \
    value.x = Name(&from->x), value.y = Name(&from->y);                        \
    return value;                                                              \
  }
#define BS_LOAD4(Name, T)                                                      \
  BS_LOAD2(Name, T)                                                            \
  static inline __attribute__((device)) T##4 Name(const T##4 * from) {         \
    T##4 value;                                                                \
    value.x = Name(&from->x), value.y = Name(&from->y);                        \
    value.z = Name(&from->z), value.w = Name(&from->w);                        \
    return value;                                                              \
  }
#define BS_LOADS(Name, Operation)                                              \
  BS_LOAD(Name, Operation ".s8", char, unsigned int, "=r")                     \
  BS_LOAD(Name, Operation ".s8", signed char, unsigned int, "=r")              \
  BS_LOAD(Name, Operation ".u8", unsigned char, unsigned int, "=r")            \
  BS_LOAD(Name, Operation ".s16", short, unsigned short, "=h")                 \
  BS_LOAD(Name, Operation ".u16", unsigned short, unsigned short, "=h")        \
  BS_LOAD(Name, Operation ".s32", int, unsigned int, "=r")                     \
  BS_LOAD(Name, Operation ".u32", unsigned int, unsigned int, "=r")            \
  BS_LOAD(Name, Operation ".s64", long, unsigned long, "=l")                   \
  BS_LOAD(Name, Operation ".u64", unsigned long, unsigned long, "=l")          \
  BS_LOAD(Name, Operation ".s64", long long, unsigned long long, "=l")         \
  BS_LOAD(Name, Operation ".u64", unsigned long long, unsigned long long,      \
          "=l")                                                                \
  BS_LOAD(Name, Operation ".f32", float, float, "=f")                          \
  BS_LOAD(Name, Operation ".f64", double, double, "=d")                        \
  BS_LOAD4(Name, char)                                                         \
  BS_LOAD4(Name, uchar)                                                        \
  BS_LOAD4(Name, short)                                                        \
  BS_LOAD4(Name, ushort)                                                       \
  BS_LOAD4(Name, int)                                                          \
  BS_LOAD4(Name, uint)                                                         \
  BS_LOAD4(Name, float)                                                        \
  BS_LOAD2(Name, longlong)                                                     \
  BS_LOAD2(Name, ulonglong)                                                    \
  BS_LOAD2(Name, double)
BS_LOADS(__ldca, "ld.global.ca")
BS_LOADS(__ldlu, "ld.global.lu")
BS_LOAD(__ldcg, "ld.global.cg.u64", unsigned long, unsigned long, "=l")
BS_LOAD(__ldcs, "ld.global.cs.u64", unsigned long, unsigned long, "=l")
BS_LOAD(__ldcv, "ld.global.cv.u64", unsigned long, unsigned long, "=l")
#undef BS_LOADS
#undef BS_LOAD4
#undef BS_LOAD2
#undef BS_LOAD

// Clang has these for `half` alone. How they treat the caches changes nothing
// that is looked at here.
#define BS_STORE(Name)                                                         \
  template <typename bs_to, typename bs_from>                                  \
  static inline __attribute__((device)) void Name(bs_to *to, bs_from value) {  \
    *to = value;                                                               \
  }
BS_STORE(__stcg)
BS_STORE(__stcs)
BS_STORE(__stwb)
BS_STORE(__stwt)
#undef BS_STORE

// --- Atomics of several words ------------------------------------------------

// Word by word is the same to whoever looks here.
template <bool> struct bankstripe_if {};
template <> struct bankstripe_if<true> {
  template <typename T> using type = T;
};
#define BS_WORDS(T)                                                            \
  typename bankstripe_if<sizeof(T) == 16 && alignof(T) >= 16 &&                \
                         __is_trivially_copyable(T)>::template type<T>
#define BS_WIDE_ATOMICS(Scope)                                                 \
  template <typename T>                                                        \
  static inline __attribute__((device)) BS_WORDS(T)                            \
      atomicCAS##Scope(T *address, T compare, T value) {                       \
    auto *at = reinterpret_cast<unsigned long long *>(address);                \
    unsigned long long old[2], wanted[2];                                      \
    __builtin_memcpy(old, &reinterpret_cast<char &>(compare), 16);             \
    __builtin_memcpy(wanted, &reinterpret_cast<char &>(value), 16);            \
    old[0] = atomicCAS(at, old[0], wanted[0]);                                 \
    old[1] = atomicCAS(at + 1, old[1], wanted[1]);                             \
    __builtin_memcpy(&reinterpret_cast<char &>(value), old, 16);               \
    return value;                                                              \
  }                                                                            \
  template <typename T>                                                        \
  static inline __attribute__((device)) BS_WORDS(T)                            \
      atomicExch##Scope(T *address, T value) {                                 \
    auto *at = reinterpret_cast<unsigned long long *>(address);                \
    unsigned long long words[2];                                               \
    __builtin_memcpy(words, &reinterpret_cast<char &>(value), 16);             \
    words[0] = atomicExch(at, words[0]);                                       \
    words[1] = atomicExch(at + 1, words[1]);                                   \
    __builtin_memcpy(&reinterpret_cast<char &>(value), words, 16);             \
    return value;                                                              \
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
BS_WIDE_ATOMICS()
BS_WIDE_ATOMICS(_block)
BS_WIDE_ATOMICS(_system)
#endif
#undef BS_WIDE_ATOMICS
#undef BS_WORDS

// --- Arithmetic on pairs -----------------------------------------------------

#define BS_PAIRS(Rounding)                                                     \
  static inline __attribute__((device)) float2 __fadd2_##Rounding(float2 a,    \
                                                                  float2 b) {  \
    return {__fadd_##Rounding(a.x, b.x), __fadd_##Rounding(a.y, b.y)};         \
  }                                                                            \
  static inline __attribute__((device)) float2 __fmul2_##Rounding(float2 a,    \
                                                                  float2 b) {  \
    return {__fmul_##Rounding(a.x, b.x), __fmul_##Rounding(a.y, b.y)};         \
  }                                                                            \
  static inline __attribute__((device)) float2 __ffma2_##Rounding(             \
      float2 a, float2 b, float2 c) {                                          \
    return {__fmaf_##Rounding(a.x, b.x, c.x),                                  \
            __fmaf_##Rounding(a.y, b.y, c.y)};                                 \
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
BS_PAIRS(rn)
BS_PAIRS(rz)
BS_PAIRS(ru)
BS_PAIRS(rd)
#endif
#undef BS_PAIRS

// --- An object of which only the type is known -------------------------------

// Stands in for a variable where Clang does not let it be named.
#if __cplusplus >= 201402L
template <typename T> extern __attribute__((device)) T bankstripe_any;
#endif

// What a `void *` points at, for arithmetic.
#define BS_BYTES(Result, Type)                                                 \
  static inline __attribute__((host)) __attribute__((device)) Result           \
  bankstripe_bytes(Type pointer) {                                             \
    return (Result)pointer;                                                    \
  }
BS_BYTES(char *&, void *&)
BS_BYTES(const char *&, const void *&)
BS_BYTES(char *, void *const &)
BS_BYTES(const char *, const void *const &)
#undef BS_BYTES

// Room in shared memory for whatever is wanted, another for each Number.
template <unsigned Number> struct bankstripe_shared {
  template <typename T> __attribute__((device)) operator T &() const {
    alignas(T) static __attribute__((shared)) char bytes[sizeof(T)];
    return reinterpret_cast<T &>(bytes);
  }
};

// --- A keyword of GNU's languages, which nvcc always has ---------------------

#ifdef __STRICT_ANSI__
#define typeof __typeof__
#endif

// --- Questions about lambdas, which Clang's never are ------------------------

#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false

// --- Managed variables -------------------------------------------------------

// Clang ignores the attribute in CUDA and takes the variable for the host's.
#undef __managed__
#define __managed__ __attribute__((device))

// --- Deduction guides for the host alone -------------------------------------

// In Clang they have to be for the device as well. Those of libcu++ from CUDA
// 13.1 on, until it was corrected in 13.5, are read here, for both.
#if __cplusplus >= 201703L && __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#if CCCL_VERSION >= 3001000 && CCCL_VERSION < 3005000
#include <cuda/std/detail/__config>
#pragma push_macro("_CCCL_HOST")
#undef _CCCL_HOST
#define _CCCL_HOST __attribute__((host)) __attribute__((device))
#include <cuda/std/string_view>
#pragma pop_macro("_CCCL_HOST")
#endif
#endif

// --- nvcc's name -------------------------------------------------------------

// Code that asks for nvcc by this name before it spells `__device__` would
// spell nothing. The toolkit's own headers must go on seeing Clang: those that
// are read later ask libcu++, which makes up its mind here.
#ifndef BANKSTRIPE_IS_CLANG
#ifndef __NVCC__
#if __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#endif
// The libcu++ of CUDA 13 refuses older C++, so such a file reads none of it.
#if __has_include(<cuda/std/detail/__config>) &&                               \
    (__cplusplus >= 201703L || !defined(CCCL_VERSION) ||                       \
     CCCL_VERSION < 3000000)
#include <cuda/std/detail/__config>
#endif
#define __NVCC__ 1
#endif
// Who asks for Clang would be shown what nvcc does not compile.
#undef __clang__
#endif
// Clang's is empty, and `#if __CUDACC__` an error.
#undef __CUDACC__
#define __CUDACC__ 1

#endif
