// bankstripe.cuh - bank-striped shared memory for per-thread arrays
//
// Written by bankstripe beside the sources that it rewrote; it depends on
// nothing but the CUDA language (C++11 or newer). Regenerate it, do not edit
// it.
//
// A per-thread array `int counts[16]` becomes
//
//     __shared__ int counts[bankstripe::warps(128)][16][32];
//
// one plane of 32 columns per warp and one column per lane. A word of column
// `lane` always lies in bank `lane`, so the 32 lanes of a warp never meet in a
// bank, whatever element each of them asks for, and no thread ever touches
// another thread's column, so no barrier is needed.
//
//     bankstripe::at(counts, i)        the element that was `counts[i]`
//     bankstripe::at(table, i, j)      the element that was `table[i][j]`
//     bankstripe::clear(counts)        `= {}`, for the calling thread's column
//     bankstripe::initialize(counts, {1, 2, 3})
//                                      `= {1, 2, 3}`, likewise
//
// Elements of one or two bytes come in two forms: `bankstripe::word<char>`
// gives each element a bank word of its own (fastest), and
// `bankstripe::packed<char>` shares the lane's word among 4 / sizeof(element)
// elements (smallest). Both are free of bank conflicts.
//
// Define BANKSTRIPE_CHECK_BOUNDS to trap on an index outside the array.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_CUH
#define BANKSTRIPE_CUH

namespace bankstripe {

// Warps in a block of at most `threads` threads: the first dimension of the
// storage. A block that is no multiple of 32 still needs whole planes.
__host__ __device__ constexpr int warps(int threads) {
  return (threads + 31) / 32;
}

// Words that hold `elements` packed elements of type E.
template <class E>
__host__ __device__ constexpr int packed_words(int elements) {
  return static_cast<int>((elements * sizeof(E) + 3) / 4);
}

// One element of one or two bytes in a bank word of its own.
template <class E> struct alignas(4) word {
  E value;
};

// The elements of one or two bytes that share a bank word.
template <class E> struct alignas(4) packed {
  E value[4 / sizeof(E)];
};

// The calling thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ unsigned lane() { return thread() % 32; }
__device__ __forceinline__ unsigned warp() { return thread() / 32; }

namespace detail {

template <class T> struct identity {
  typedef T type;
};

// The type as it stands, kept out of template argument deduction so that a
// braced list can be passed for it.
template <class T> using same = typename identity<T>::type;

// The type of one element, seen through word<> and packed<>.
template <class S> struct element {
  typedef S type;
};
template <class E> struct element<word<E>> {
  typedef E type;
};
template <class E> struct element<packed<E>> {
  typedef E type;
};

// Elements that one unit of storage holds.
template <class S> struct elements_per_unit {
  static constexpr int value = 1;
};
template <class E> struct elements_per_unit<packed<E>> {
  static constexpr int value = static_cast<int>(4 / sizeof(E));
};

// The element `part` of one unit of storage.
template <class S> __device__ __forceinline__ S &element_of(S &unit, unsigned) {
  return unit;
}
template <class E>
__device__ __forceinline__ E &element_of(word<E> &unit, unsigned) {
  return unit.value;
}
template <class E>
__device__ __forceinline__ E &element_of(packed<E> &unit, unsigned part) {
  return unit.value[part];
}

// A negative index is a huge one here.
__device__ __forceinline__ void check(bool inside) {
#ifdef BANKSTRIPE_CHECK_BOUNDS
  if (!inside)
    __trap();
#else
  (void)inside;
#endif
}

} // namespace detail

// The element that was `array[i]`. `i` is converted as a subscript would be;
// it must lie in the array, since its neighbours belong to the same thread
// but what lies beyond them belongs to another warp.
template <class S, int Warps, int N, class Index>
__device__ __forceinline__ typename detail::element<S>::type &
at(S (&storage)[Warps][N][32], Index i) {
  const int per_unit = detail::elements_per_unit<S>::value;
  detail::check(warp() < Warps &&
                static_cast<unsigned long long>(i) < N * per_unit);
  if (per_unit == 1)
    return detail::element_of(storage[warp()][i][lane()], 0);
  const unsigned index = static_cast<unsigned>(i);
  return detail::element_of(storage[warp()][index / per_unit][lane()],
                            index % per_unit);
}

// The element that was `array[i][j]`.
template <class S, int Warps, int N, int M, class Row, class Column>
__device__ __forceinline__ typename detail::element<S>::type &
at(S (&storage)[Warps][N][M][32], Row i, Column j) {
  const int per_unit = detail::elements_per_unit<S>::value;
  detail::check(warp() < Warps && static_cast<unsigned long long>(i) < N &&
                static_cast<unsigned long long>(j) < M * per_unit);
  if (per_unit == 1)
    return detail::element_of(storage[warp()][i][j][lane()], 0);
  const unsigned column = static_cast<unsigned>(j);
  return detail::element_of(storage[warp()][i][column / per_unit][lane()],
                            column % per_unit);
}

// `= {}`: every element of the calling thread's array to zero.
template <class S, int Warps, int N>
__device__ __forceinline__ void clear(S (&storage)[Warps][N][32]) {
  for (int i = 0; i < N; ++i)
    storage[warp()][i][lane()] = S();
}
template <class S, int Warps, int N, int M>
__device__ __forceinline__ void clear(S (&storage)[Warps][N][M][32]) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      storage[warp()][i][j][lane()] = S();
}

// `= {a, b, ...}`: the listed values, and zero for the elements that the list
// leaves out. The extents of the array are given because packed storage no
// longer knows them.
template <int N, class S, int Warps, int Units>
__device__ __forceinline__ void
initialize(S (&storage)[Warps][Units][32],
           const detail::same<typename detail::element<S>::type[N]> &values) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    at(storage, i) = values[i];
}
template <int N, int M, class S, int Warps, int Units>
__device__ __forceinline__ void initialize(
    S (&storage)[Warps][N][Units][32],
    const detail::same<typename detail::element<S>::type[N][M]> &values) {
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < M; ++j)
      at(storage, i, j) = values[i][j];
}

} // namespace bankstripe

#endif // BANKSTRIPE_CUH
