// bankstripe.cuh - bank-striped shared memory for per-thread arrays
//
// Written by bankstripe beside the sources that it rewrote; it depends on
// nothing but the CUDA language (C++11 or newer). Regenerate it, do not edit
// it.
//
// Stripes. A per-thread array `int counts[16]` becomes
//
//     __shared__ int counts[bankstripe::warps(128)][16][32];
//
// one plane of 32 columns per warp and one column per lane. A word of column
// `lane` always lies in bank `lane`, so the 32 lanes of a warp never meet in a
// bank, whatever element each of them asks for, and no thread ever touches
// another thread's column, so no barrier is needed.
//
//     bankstripe::at(counts, i)        the element that was `counts[i]`
//     bankstripe::at(table, i, j)      the element that was `table[i][j]`, and
//                                      so on for more dimensions
//     bankstripe::clear(counts)        `= {}`, for the calling thread's column
//     bankstripe::initialize<16>(counts, {1, 2, 3})
//                                      `= {1, 2, 3}`, likewise; the extents of
//                                      the array are given, here `[16]`
//
// What one column holds per element is called a unit. It is the element itself
// or one of
//
//     bankstripe::word<char>           an element of one or two bytes in a bank
//                                      word of its own (fastest)
//     bankstripe::packed<char>         4 / sizeof(element) elements in a word
//                                      (smallest)
//     bankstripe::padded<Particle>     an element of any type, as raw bytes of
//                                      such a length that neighbouring columns
//                                      begin in different banks
//     bankstripe::unit<T>              whichever of the element itself, word<T>
//                                      and padded<T> suits T
//
// All of the above sees through them, and they are free of bank conflicts. So
// is an element that stands for itself when unit<> says so; a `char` or a
// struct of two words works as well, but then lanes do meet.
//
// Accessors. Where the name of the array must stay a name that can be
// subscripted, copied and passed on,
//
//     auto a = bankstripe::begin(a_stripes);
//
// makes `a` a bankstripe::pointer<unit>, the striped counterpart of a pointer
// to the thread's first element. That of `m[4][8]` of float is, as expected, a
// bankstripe::pointer<float[8]>, and `m[i]` is a bankstripe::pointer<float>.
// (`&a[i]` is an ordinary pointer to that one element; the next one does not
// lie behind it.)
//
// Slots. Where memory must be contiguous, each thread gets a slot, in which the
// array lies as it always did. Slots begin an odd number of words apart, so
// that equal indices never meet in a bank.
//
//     __shared__ bankstripe::slots<float[32], 128> a_slots;
//     float (&a)[32] = a_slots.mine();
//     bankstripe::clear_slot(a);                   `= {}`
//     bankstripe::initialize_slot(a, {1, 2, 3});   `= {1, 2, 3}`
//
//     __shared__ bankstripe::slots<Stack, 128> s_slots;
//     Stack &s = *new (bankstripe::place(s_slots)) Stack(10);
//
// Storage is made for a largest block. Where a larger one could get in,
// bankstripe::require_block_of_at_most<128>() stops it. Define
// BANKSTRIPE_CHECK_BOUNDS to trap on an index outside a stripe, too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_CUH
#define BANKSTRIPE_CUH

// For what does not ask which thread it runs in.
#define BANKSTRIPE_ANYWHERE __host__ __device__ __forceinline__

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

// The calling thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ unsigned lane() { return thread() % 32; }
__device__ __forceinline__ unsigned warp() { return thread() / 32; }

// Stops a block that is larger than the storage was made for.
template <int Threads>
__device__ __forceinline__ void require_block_of_at_most() {
  static_assert(Threads > 0, "a block has threads");
  if (blockDim.x * blockDim.y * blockDim.z > static_cast<unsigned>(Threads))
    __trap();
}

namespace detail {

// A negative index is a huge one here.
__device__ __forceinline__ void check(bool inside) {
#ifdef BANKSTRIPE_CHECK_BOUNDS
  if (!inside)
    __trap();
#else
  (void)inside;
#endif
}

// The distance from one thread's T to the next one's, when they lie side by
// side: an odd number of words or, where T is aligned to more, of what it is
// aligned to.
template <class T> struct pitch {
  static constexpr int alignment = alignof(T) < 4 ? 4 : int(alignof(T));
  static constexpr int bytes =
      int((sizeof(T) + alignment - 1) / alignment | 1) * alignment;
};

} // namespace detail

// One element of one or two bytes in a bank word of its own.
template <class E> struct alignas(4) word {
  E value;
};

// The elements of one or two bytes that share a bank word.
template <class E> struct alignas(4) packed {
  E value[4 / sizeof(E)];
};

// One element of any trivially copyable type, or anything else. As bytes,
// because a variable in shared memory cannot have a constructor.
template <class E> struct alignas(detail::pitch<E>::alignment) padded {
  unsigned char bytes[detail::pitch<E>::bytes];
};

namespace detail {

// The elements of a unit: their number, and the one that is `part` of it.
template <class S> struct element {
  typedef S type;
  static constexpr int per_unit = 1;
  static BANKSTRIPE_ANYWHERE S &of(S &unit, unsigned) { return unit; }
};
template <class E> struct element<word<E>> {
  typedef E type;
  static constexpr int per_unit = 1;
  static BANKSTRIPE_ANYWHERE E &of(word<E> &unit, unsigned) {
    return unit.value;
  }
};
template <class E> struct element<packed<E>> {
  typedef E type;
  static constexpr int per_unit = static_cast<int>(4 / sizeof(E));
  static BANKSTRIPE_ANYWHERE E &of(packed<E> &unit, unsigned part) {
    return unit.value[part];
  }
};
template <class E> struct element<padded<E>> {
  typedef E type;
  static constexpr int per_unit = 1;
  static BANKSTRIPE_ANYWHERE E &of(padded<E> &unit, unsigned) {
    return reinterpret_cast<E &>(unit);
  }
};
template <class S> struct element<const S> {
  typedef const typename element<S>::type type;
  static constexpr int per_unit = element<S>::per_unit;
  static BANKSTRIPE_ANYWHERE type &of(const S &unit, unsigned part) {
    return element<S>::of(const_cast<S &>(unit), part);
  }
};

// Value-initialises a unit or, element by element, an array.
template <class S> __device__ __forceinline__ void clear(S &unit) {
  unit = S();
}
template <class E> __device__ __forceinline__ void clear(padded<E> &unit) {
  element<padded<E>>::of(unit, 0) = E();
}
template <class T, int N> __device__ __forceinline__ void clear(T (&array)[N]) {
  for (int i = 0; i < N; ++i)
    detail::clear(array[i]);
}

// unit<E>. A type with a constructor can only lie in shared memory as bytes.
template <class E, bool Trivial = __is_trivial(E), bool Small = sizeof(E) < 4,
          bool Odd = sizeof(E) == pitch<E>::bytes>
struct suitable {
  typedef padded<E> type;
};
template <class E, bool Odd> struct suitable<E, true, true, Odd> {
  typedef word<E> type;
};
template <class E> struct suitable<E, true, false, true> {
  typedef E type;
};

} // namespace detail

template <class E> using unit = typename detail::suitable<E>::type;

namespace detail {

// Nothing temporary can be volatile.
template <class T> struct without_volatile {
  typedef T type;
};
template <class T> struct without_volatile<volatile T> {
  typedef T type;
};

// `T[Extents]...`. Being kept out of template argument deduction, it is what a
// braced list can be passed for.
template <class T, int... Extents> struct array_of {
  typedef T type;
};
template <class T, int N, int... Inner> struct array_of<T, N, Inner...> {
  typedef typename array_of<T, Inner...>::type type[N];
};

// The unit that is so many units further down a column. As a step over whole
// rows: compilers would mix a plain multiple of 32 with the place of the
// column, instead of keeping that in a register.
template <class S, class Index>
BANKSTRIPE_ANYWHERE S *further(S *unit, Index rows) {
  return ((S(*)[32])unit)[rows];
}

// One warp's part of the storage: `[N][32]`, and with more dimensions before
// the lanes below. `inner` is what an index leaves of the array.
template <class Plane> struct plane;

template <class S, int N, int Lanes> struct plane<S[N][Lanes]> {
  static_assert(Lanes == 32, "the last dimension of a stripe is the 32 lanes");
  typedef S inner;
  typedef S unit;
  typedef typename element<S>::type type;
  static constexpr int rows = N;
  static constexpr int per_unit = element<S>::per_unit;

  template <class Index>
  static __device__ __forceinline__ type &at(S *column, Index i) {
    check(static_cast<unsigned long long>(i) < N * per_unit);
    if (per_unit == 1)
      return element<S>::of(*further(column, i), 0);
    const unsigned index = static_cast<unsigned>(i);
    return element<S>::of(*further(column, index / per_unit), index % per_unit);
  }
  static __device__ __forceinline__ S *first(S (&units)[N][Lanes]) {
    return &units[0][lane()];
  }
  static __device__ __forceinline__ void clear(S (&units)[N][Lanes]) {
    for (int i = 0; i < N; ++i)
      detail::clear(units[i][lane()]);
  }
  template <class Value, int M>
  static __device__ __forceinline__ void assign(S (&units)[N][Lanes],
                                                const Value (&values)[M]) {
    static_assert(M <= N * per_unit, "the stripe has fewer elements");
#pragma unroll
    for (int i = 0; i < M; ++i)
      at(first(units), i) = values[i];
  }
};

template <class Rest, int N, int M, int L> struct plane<Rest[N][M][L]> {
  typedef Rest all[N][M][L];
  typedef plane<Rest[M][L]> next;
  typedef typename next::inner inner[M];
  typedef typename next::unit unit;
  typedef typename next::type type;
  static constexpr int rows = N * next::rows;

  template <class Index, class... More>
  static __device__ __forceinline__ type &at(unit *column, Index i,
                                             More... more) {
    check(static_cast<unsigned long long>(i) < N);
    return next::at(further(column, i * next::rows), more...);
  }
  static __device__ __forceinline__ unit *first(all &units) {
    return next::first(units[0]);
  }
  static __device__ __forceinline__ void clear(all &units) {
    for (int i = 0; i < N; ++i)
      next::clear(units[i]);
  }
  template <class Row, int Given>
  static __device__ __forceinline__ void assign(all &units,
                                                const Row (&values)[Given]) {
    static_assert(Given == N, "the stripe has other extents");
#pragma unroll
    for (int i = 0; i < N; ++i)
      next::assign(units[i], values[i]);
  }
};

// The calling warp's plane. It is named by its first row because sanitizers let
// the address of what lies behind the last plane be taken; by this cast because
// nvcc takes others for a loss of qualifiers when elements are volatile.
template <class Plane, int Warps>
__device__ __forceinline__ Plane &own(Plane (&storage)[Warps]) {
  check(warp() < Warps);
  return (Plane &)storage[warp()][0];
}

} // namespace detail

// The element that was `array[i]`, `array[i][j]` and so on. An index is
// converted as a subscript would be; it must lie in the array, since its
// neighbours belong to the same thread but what lies beyond them belongs to
// another warp.
template <class Plane, int Warps, class... Indices>
__device__ __forceinline__ typename detail::plane<Plane>::type &
at(Plane (&storage)[Warps], Indices... indices) {
  typedef detail::plane<Plane> plane;
  return plane::at(plane::first(detail::own(storage)), indices...);
}

// `= {}`: every element of the calling thread's array to zero, or to what its
// default constructor makes it.
template <class Plane, int Warps>
__device__ __forceinline__ void clear(Plane (&storage)[Warps]) {
  detail::plane<Plane>::clear(detail::own(storage));
}

// `= {a, b, ...}`: the listed values, and zero for the elements that the list
// leaves out. The extents of the array are given because packed storage no
// longer knows them.
template <int... Extents, class Plane, int Warps>
__device__ __forceinline__ void
initialize(Plane (&storage)[Warps],
           const typename detail::array_of<
               typename detail::without_volatile<
                   typename detail::plane<Plane>::type>::type,
               Extents...>::type &values) {
  detail::plane<Plane>::assign(detail::own(storage), values);
}

template <class T> class pointer;

namespace detail {

// What a pointer<T> points to, T being a unit.
template <class T> struct target {
  static_assert(element<T>::per_unit == 1, "there is no pointer to packed<>");
  typedef T unit;
  typedef typename element<T>::type type;
  typedef type &reference;
  static constexpr int rows = 1;
  static BANKSTRIPE_ANYWHERE reference at(unit *first) {
    return element<T>::of(*first, 0);
  }
};
// T being an array of units: a row.
template <class Row, int N> struct target<Row[N]> {
  typedef typename target<Row>::unit unit;
  typedef pointer<Row> type;
  typedef type reference;
  static constexpr int rows = N * target<Row>::rows;
  static BANKSTRIPE_ANYWHERE reference at(unit *first) {
    return reference::to(first);
  }
};

// Only where To is `const From`.
template <class From, class To> struct adds_const;
template <class T> struct adds_const<T, const T> {
  typedef decltype(nullptr) type;
};

} // namespace detail

// A pointer into the calling thread's column. It may only be used by the thread
// that it was made for.
template <class T> class pointer {
  typedef detail::target<T> target;

public:
  typedef typename target::unit unit;
  typedef typename target::type type;
  typedef typename target::reference reference;
  typedef decltype(static_cast<char *>(nullptr) -
                   static_cast<char *>(nullptr)) difference;

  pointer() = default;
  BANKSTRIPE_ANYWHERE pointer(decltype(nullptr)) : first(nullptr) {}
  template <class From>
  BANKSTRIPE_ANYWHERE
  pointer(pointer<From> other,
          typename detail::adds_const<From, T>::type = nullptr)
      : first(other.first) {}
  // The pointer to a unit and those behind it in its column.
  static BANKSTRIPE_ANYWHERE pointer to(unit *first) {
    pointer result;
    result.first = first;
    return result;
  }

  BANKSTRIPE_ANYWHERE reference operator*() const { return target::at(first); }
  BANKSTRIPE_ANYWHERE type *operator->() const { return &**this; }
  BANKSTRIPE_ANYWHERE reference operator[](difference n) const {
    return *(*this + n);
  }
  BANKSTRIPE_ANYWHERE explicit operator bool() const {
    return first != nullptr;
  }

  BANKSTRIPE_ANYWHERE pointer &operator+=(difference n) {
    first = detail::further(first, n * target::rows);
    return *this;
  }
  BANKSTRIPE_ANYWHERE pointer &operator-=(difference n) { return *this += -n; }
  BANKSTRIPE_ANYWHERE pointer &operator++() { return *this += 1; }
  BANKSTRIPE_ANYWHERE pointer &operator--() { return *this += -1; }
  BANKSTRIPE_ANYWHERE pointer operator++(int) { return ++*this - 1; }
  BANKSTRIPE_ANYWHERE pointer operator--(int) { return --*this + 1; }

  friend BANKSTRIPE_ANYWHERE pointer operator+(pointer p, difference n) {
    return p += n;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator+(difference n, pointer p) {
    return p += n;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator-(pointer p, difference n) {
    return p -= n;
  }
  friend BANKSTRIPE_ANYWHERE difference operator-(pointer p, pointer q) {
    return (p.first - q.first) / (32 * target::rows);
  }
#define BANKSTRIPE_COMPARISON(OPERATOR)                                        \
  friend BANKSTRIPE_ANYWHERE bool operator OPERATOR(pointer p, pointer q) {    \
    return p.first OPERATOR q.first;                                           \
  }
  BANKSTRIPE_COMPARISON(==)
  BANKSTRIPE_COMPARISON(!=)
  BANKSTRIPE_COMPARISON(<)
  BANKSTRIPE_COMPARISON(>)
  BANKSTRIPE_COMPARISON(<=)
  BANKSTRIPE_COMPARISON(>=)
#undef BANKSTRIPE_COMPARISON

private:
  template <class> friend class pointer;
  unit *first;
};

// The accessor that stands for the name of the array.
template <class Plane, int Warps>
__device__ __forceinline__ pointer<typename detail::plane<Plane>::inner>
begin(Plane (&storage)[Warps]) {
  return pointer<typename detail::plane<Plane>::inner>::to(
      detail::plane<Plane>::first(detail::own(storage)));
}

// Where a placement new expression of this header puts its object.
struct placement {
  void *where;
};

// A T for each thread of a block, not yet initialised.
template <class T, int Threads> struct slots {
  padded<T> slot[Threads];

  __device__ __forceinline__ T &mine() {
    detail::check(thread() < Threads);
    return detail::element<padded<T>>::of(slot[thread()], 0);
  }
};

// The calling thread's slot, for an object that has yet to be made.
template <class T, int Threads>
__device__ __forceinline__ placement place(slots<T, Threads> &all) {
  detail::check(thread() < Threads);
  return placement{&all.slot[thread()]};
}

namespace detail {

template <class T, class Value>
__device__ __forceinline__ void assign(T &element, const Value &value) {
  element = value;
}
template <class T, class Value, int N>
__device__ __forceinline__ void assign(T (&array)[N],
                                       const Value (&values)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    detail::assign(array[i], values[i]);
}

} // namespace detail

// `= {}` and `= {a, b, ...}` for an array in a slot. They have names of their
// own because an array `[4][8][32]` looks like a stripe.
template <class T, int N>
__device__ __forceinline__ void clear_slot(T (&array)[N]) {
  detail::clear(array);
}
template <class T, int N>
__device__ __forceinline__ void initialize_slot(
    T (&array)[N],
    const typename detail::array_of<typename detail::without_volatile<T>::type,
                                    N>::type &values) {
  detail::assign(array, values);
}

} // namespace bankstripe

// For `new (bankstripe::place(...)) T(...)` and `T[N]`, which need no other
// header then.
__device__ __forceinline__ void *operator new(decltype(sizeof(0)),
                                              bankstripe::placement place) {
  return place.where;
}
__device__ __forceinline__ void *operator new[](decltype(sizeof(0)),
                                                bankstripe::placement place) {
  return place.where;
}
// nvcc misses them if they are missing.
__device__ __forceinline__ void operator delete(void *, bankstripe::placement) {
}
__device__ __forceinline__ void operator delete[](void *,
                                                  bankstripe::placement) {}

#undef BANKSTRIPE_ANYWHERE

#endif // BANKSTRIPE_CUH
