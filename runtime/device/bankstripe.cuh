// bankstripe.cuh - bank-striped shared memory for per-thread arrays
//
// Written by bankstripe beside the sources that it rewrote; it depends on
// nothing but the CUDA language (C++11 or newer). Regenerate it, do not edit
// it.
//
// What each name is for is shown in docs/internals/layouts.md of bankstripe:
//
//     warps, begin, pointer, clear, initialize         stripes
//     word, packed, padded, unit                       their elements
//     split                                            stripes with a rest
//     slots, place, clear_slot, initialize_slot        slots
//     bits, bit, long_bit                              bools in registers
//     dynamic_stripe, dynamic_slots, behind            dynamic shared memory
//     require_block_of_at_most, assume_...             largest blocks
//
// An index must lie in the array: what lies beyond it belongs to another warp.
// Define BANKSTRIPE_CHECK_BOUNDS to trap on an element outside its array. (An
// index may leave its row, as that of an array does.)
//
// Parts. `bankstripe rewrite` writes the parts that sources use, without their
// comments: each says for which names it is, and which other parts it needs.
// Headers with different parts may meet in one file, in any order, so a part
// must not call what is declared behind it; it may use class templates that are
// specialised there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A header that includes it may be read by a compiler for the host alone. (Up
// to 0.1, the header was always whole, and defined BANKSTRIPE_CUH.)
#if !defined(BANKSTRIPE_CUH) && (defined(__CUDACC__) || defined(__CUDA__))

// Builds that make errors of these warnings are about their own code.
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#pragma pack(push)
#pragma pack() // Whatever the file has it at.

extern "C++" { // Where files are included between the braces of extern "C".

#ifndef BANKSTRIPE_ASSERTION
#define BANKSTRIPE_ASSERTION
// What assert() calls on the device, whose header leaves it out for NDEBUG.
extern "C" __device__ void __assertfail(const char *, const char *, unsigned,
                                        const char *, decltype(sizeof(0)));
#endif // BANKSTRIPE_ASSERTION

// For what does not ask which thread it runs in.
#define BANKSTRIPE_ANYWHERE __host__ __device__ __forceinline__

namespace bankstripe {

#ifndef BANKSTRIPE_COMMON
#define BANKSTRIPE_COMMON
// Warps in a block of at most `threads` threads: the first dimension of the
// storage. A block that is no multiple of 32 still needs whole planes.
__host__ __device__ constexpr int warps(int threads) {
  return (threads + 31) / 32;
}

// The calling thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ unsigned lane() { return thread() % 32; }
__device__ __forceinline__ unsigned warp() { return thread() / 32; }

namespace detail {

// Stops where bounds are checked.
BANKSTRIPE_ANYWHERE void check(bool inside) {
  (void)inside;
#if defined(BANKSTRIPE_CHECK_BOUNDS) && defined(__CUDA_ARCH__)
  if (!inside)
    __trap();
#endif
}

// The elements of a unit: their number, and the one that is `part` of it.
template <class Type, int Count = 1> struct elements {
  typedef Type type;
  static constexpr int per_unit = Count;
};
template <class Unit> struct element : elements<Unit> {
  static BANKSTRIPE_ANYWHERE Unit &of(Unit &unit, unsigned) { return unit; }
};

template <class Unit>
struct element<const Unit>
    : elements<const typename element<Unit>::type, element<Unit>::per_unit> {
  static BANKSTRIPE_ANYWHERE const typename element<Unit>::type &
  of(const Unit &unit, unsigned part) {
    return element<Unit>::of(const_cast<Unit &>(unit), part);
  }
};

// Value-initialises a unit.
template <class Unit> struct cleared {
  static __device__ __forceinline__ void in(Unit &unit) { unit = Unit(); }
};

// The unit that is so many units further down a column. As a step over whole
// rows: compilers would mix a plain multiple of 32 with the place of the
// column, instead of keeping that in a register.
template <class Unit, class Index>
BANKSTRIPE_ANYWHERE Unit *further(Unit *unit, Index rows) {
  return ((Unit(*)[32])unit)[rows];
}

// Of places that count as their numbers.
template <class Place, class Index>
BANKSTRIPE_ANYWHERE Place further(Place place, Index steps) {
  place.position += static_cast<int>(steps);
  return place;
}

} // namespace detail
#endif // BANKSTRIPE_COMMON

#ifndef BANKSTRIPE_BLOCKS
#define BANKSTRIPE_BLOCKS
// For: assume_block_of_at_most require_block_of_at_most
// The threads of the block.
__device__ __forceinline__ unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}

// First in a kernel whose launch bounds let no larger block in: compilers drop
// the tests of functions that are inlined into it.
template <int Threads>
__device__ __forceinline__ void assume_block_of_at_most() {
  // Spelled out: a call would have the assumption dropped.
  __builtin_assume(blockDim.x * blockDim.y * blockDim.z <=
                   static_cast<unsigned>(Threads));
}

// Stops a block that is larger than the storage was made for.
template <int Threads>
__device__ __forceinline__ void require_block_of_at_most() {
  static_assert(Threads > 0, "a block has threads");
  if (block_threads() > static_cast<unsigned>(Threads))
    __trap();
}
#endif // BANKSTRIPE_BLOCKS

#ifndef BANKSTRIPE_SHARED
#define BANKSTRIPE_SHARED
// For: shared
// Storage of a version of a function that other files have, too.
template <class Storage, class Array>
__device__ __forceinline__ Storage &shared() {
  __shared__ Storage storage;
  return storage;
}
#endif // BANKSTRIPE_SHARED

#ifndef BANKSTRIPE_PITCH
#define BANKSTRIPE_PITCH
namespace detail {

// The distance from one thread's T to the next one's, when they lie side by
// side: an odd number of words or, where T is aligned to more, of what it is
// aligned to.
template <class Type> struct pitch {
  static constexpr int alignment = alignof(Type) < 4 ? 4 : int(alignof(Type));
  static constexpr int bytes =
      int((sizeof(Type) + alignment - 1) / alignment | 1) * alignment;
};

} // namespace detail
#endif // BANKSTRIPE_PITCH

#ifndef BANKSTRIPE_WORD
#define BANKSTRIPE_WORD
// For: word
// One element of one or two bytes in a bank word of its own.
template <class Element> struct alignas(4) word {
  Element value;
};

namespace detail {

template <class Element> struct element<word<Element>> : elements<Element> {
  static BANKSTRIPE_ANYWHERE Element &of(word<Element> &unit, unsigned) {
    return unit.value;
  }
};

} // namespace detail
#endif // BANKSTRIPE_WORD

#ifndef BANKSTRIPE_PADDED
#define BANKSTRIPE_PADDED
// For: padded
// With: PITCH
// One element of any trivially copyable type, or anything else. As bytes,
// because a variable in shared memory cannot have a constructor.
template <class Element>
struct alignas(detail::pitch<Element>::alignment) padded {
  unsigned char bytes[detail::pitch<Element>::bytes];
};

namespace detail {

template <class Element> struct element<padded<Element>> : elements<Element> {
  static BANKSTRIPE_ANYWHERE Element &of(padded<Element> &unit, unsigned) {
    return reinterpret_cast<Element &>(unit);
  }
};
template <class Element> struct cleared<padded<Element>> {
  static __device__ __forceinline__ void in(padded<Element> &unit) {
    element<padded<Element>>::of(unit, 0) = Element();
  }
};

} // namespace detail
#endif // BANKSTRIPE_PADDED

#ifndef BANKSTRIPE_UNIT
#define BANKSTRIPE_UNIT
// For: unit
// With: WORD PADDED
namespace detail {

// unit<E>. A type with a constructor can only lie in shared memory as bytes.
template <class Element, bool Trivial = __is_trivial(Element),
          bool Small = sizeof(Element) < 4,
          bool Odd = sizeof(Element) == pitch<Element>::bytes>
struct suitable {
  typedef padded<Element> type;
};
template <class Element, bool Odd> struct suitable<Element, true, true, Odd> {
  typedef word<Element> type;
};
template <class Element> struct suitable<Element, true, false, true> {
  typedef Element type;
};

} // namespace detail

template <class Element> using unit = typename detail::suitable<Element>::type;
#endif // BANKSTRIPE_UNIT

#ifndef BANKSTRIPE_LISTS
#define BANKSTRIPE_LISTS
namespace detail {

// Nothing temporary can be volatile.
template <class Type> struct without_volatile {
  typedef Type type;
};
template <class Type> struct without_volatile<volatile Type> {
  typedef Type type;
};

// `T[Extents]...`. Being kept out of template argument deduction, it is what a
// braced list can be passed for.
template <class Type, int... Extents> struct array_of {
  typedef Type type;
};
template <class Type, int Extent, int... Inner>
struct array_of<Type, Extent, Inner...> {
  typedef typename array_of<Type, Inner...>::type type[Extent];
};

} // namespace detail
#endif // BANKSTRIPE_LISTS

#ifndef BANKSTRIPE_POINTERS
#define BANKSTRIPE_POINTERS
// For: pointer begin
template <class Type> class pointer;

namespace detail {

// An index as the number that a subscript would make of it, since an
// enumeration may have operators of its own.
template <class Index, bool Enumeration> struct underlying {
  typedef Index type;
};
template <class Index> struct underlying<Index, true> {
  typedef __underlying_type(Index) type;
};
template <class Index> // GCC lets no signature name the built-in trait.
struct number_of : underlying<Index, __is_enum(Index)> {};
template <class Index>
BANKSTRIPE_ANYWHERE typename number_of<Index>::type number(Index index) {
  return static_cast<typename number_of<Index>::type>(index);
}

#ifdef BANKSTRIPE_CHECK_BOUNDS
// A unit in a column of so many rows.
template <class Unit> struct in_column {
  Unit *unit, *column;
  int rows;
  in_column() = default;
  BANKSTRIPE_ANYWHERE in_column(Unit *column, int rows = 0)
      : unit(column), column(column), rows(rows) {}
  template <class From>
  BANKSTRIPE_ANYWHERE in_column(in_column<From> other)
      : unit(other.unit), column(other.column), rows(other.rows) {}
  BANKSTRIPE_ANYWHERE operator Unit *() const { return unit; }
  BANKSTRIPE_ANYWHERE Unit &operator*() const {
    check(unit - column >= 0 && (unit - column) / 32 < rows);
    return *unit;
  }
};
template <class Unit, class Index>
BANKSTRIPE_ANYWHERE in_column<Unit> further(in_column<Unit> place, Index rows) {
  place.unit = further(place.unit, rows);
  return place;
}
template <class Unit>
BANKSTRIPE_ANYWHERE in_column<Unit> column_of(Unit *first, int rows) {
  return in_column<Unit>(first, rows);
}
#else
template <class Unit> using in_column = Unit *;
template <class Unit> BANKSTRIPE_ANYWHERE Unit *column_of(Unit *first, int) {
  return first;
}
#endif

// What a pointer<T> points to, T being a unit.
template <class Type> struct target {
  typedef Type unit;
  typedef typename element<Type>::type type;
  typedef type &reference;
  typedef in_column<unit> place;
  static constexpr int rows = 1, spacing = 32;
  static BANKSTRIPE_ANYWHERE reference at(place first) {
    return element<Type>::of(*first, 0);
  }
};
// T being an array of units: a row.
template <class Row, int Extent> struct target<Row[Extent]> {
  typedef typename target<Row>::unit unit;
  typedef pointer<Row> type;
  typedef type reference;
  typedef in_column<unit> place;
  static constexpr int rows = Extent * target<Row>::rows, spacing = 32;
  static BANKSTRIPE_ANYWHERE reference at(place first) {
    return reference::to(first);
  }
};

// One warp's part of the storage: `[N][32]`, and with more dimensions before
// the lanes below. `inner` is what an index leaves of the array.
template <class Plane> struct plane;

template <class Unit, int Extent, int Lanes> struct plane<Unit[Extent][Lanes]> {
  static_assert(Lanes == 32, "the last dimension of a stripe is the 32 lanes");
  typedef Unit all[Extent][Lanes];
  typedef Unit inner;
  typedef Unit unit;
  typedef typename element<Unit>::type type;
  static constexpr int rows = Extent;

  static __device__ __forceinline__ Unit *first(Unit (&units)[Extent][Lanes]) {
    return units[0] + lane();
  }
};

template <class Rest, int Extent, int NextExtent, int LastExtent>
struct plane<Rest[Extent][NextExtent][LastExtent]> {
  typedef Rest all[Extent][NextExtent][LastExtent];
  typedef plane<Rest[NextExtent][LastExtent]> next;
  typedef typename next::inner inner[NextExtent];
  typedef typename next::unit unit;
  typedef typename next::type type;
  static constexpr int rows = Extent * next::rows;

  static __device__ __forceinline__ unit *first(all &units) {
    return next::first(units[0]);
  }
};

// What the storage of a stripe is made of, and the calling warp's part of it.
// That is named by its first row because sanitizers let the address of what
// lies behind the last plane be taken; by this cast because nvcc takes others
// for a loss of qualifiers when elements are volatile.
template <class Storage> struct planes {};
template <class Plane, int Warps> struct planes<Plane[Warps]> : plane<Plane> {
  static __device__ __forceinline__ Plane &own(Plane (&storage)[Warps]) {
    check(warp() < Warps);
    return (Plane &)storage[warp()][0];
  }
};
template <class Storage> struct planes<Storage &> : planes<Storage> {};

// Only where To is `const From`.
template <class From, class To> struct adds_const;
template <class Type> struct adds_const<Type, const Type> {
  typedef decltype(nullptr) type;
};

} // namespace detail

// A pointer into the calling thread's column. It may only be used by the thread
// that it was made for.
template <class Type> class pointer {
  typedef detail::target<Type> target;
  typedef typename target::place place;

public:
  typedef typename target::type type;
  typedef typename target::reference reference;
  typedef decltype(static_cast<char *>(nullptr) -
                   static_cast<char *>(nullptr)) difference;

  pointer() = default;
  BANKSTRIPE_ANYWHERE pointer(decltype(nullptr)) : first(nullptr) {}
  template <class From>
  BANKSTRIPE_ANYWHERE
  pointer(pointer<From> other,
          typename detail::adds_const<From, Type>::type = nullptr)
      : first(other.first) {}
  // The pointer to a unit and those behind it in its column.
  static BANKSTRIPE_ANYWHERE pointer to(place first) {
    pointer result;
    result.first = first;
    return result;
  }

  // `noexcept(a[i])` is true of an array.
  BANKSTRIPE_ANYWHERE reference operator*() const noexcept {
    return target::at(first);
  }
  // Around an operator& of the element's.
  BANKSTRIPE_ANYWHERE type *operator->() const {
    return (type *)&(const volatile char &)**this;
  }
  template <class Index>
  BANKSTRIPE_ANYWHERE reference operator[](Index steps) const noexcept {
    return target::at(
        detail::further(first, detail::number(steps) * target::rows));
  }
  BANKSTRIPE_ANYWHERE explicit operator bool() const {
    return first != nullptr;
  }

  BANKSTRIPE_ANYWHERE pointer &operator+=(difference steps) {
    first = detail::further(first, steps * target::rows);
    return *this;
  }
  BANKSTRIPE_ANYWHERE pointer &operator-=(difference steps) {
    return *this += -steps;
  }
  BANKSTRIPE_ANYWHERE pointer &operator++() { return *this += 1; }
  BANKSTRIPE_ANYWHERE pointer &operator--() { return *this += -1; }
  BANKSTRIPE_ANYWHERE pointer operator++(int) { return ++*this - 1; }
  BANKSTRIPE_ANYWHERE pointer operator--(int) { return --*this + 1; }

  friend BANKSTRIPE_ANYWHERE pointer operator+(pointer left, difference steps) {
    return left += steps;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator+(difference steps, pointer left) {
    return left += steps;
  }
  friend BANKSTRIPE_ANYWHERE pointer operator-(pointer left, difference steps) {
    return left -= steps;
  }
  friend BANKSTRIPE_ANYWHERE difference operator-(pointer left, pointer right) {
    return (left.first - right.first) / (target::spacing * target::rows);
  }
#define BANKSTRIPE_COMPARISON(OPERATOR)                                        \
  friend BANKSTRIPE_ANYWHERE bool operator OPERATOR(pointer left,              \
                                                    pointer right) {           \
    return left.first OPERATOR right.first;                                    \
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
  place first;
};

// The accessor that stands for the name of the array.
template <class Storage>
__device__ __forceinline__ pointer<typename detail::planes<Storage>::inner>
begin(Storage &&storage) {
  typedef detail::planes<Storage> planes;
  return pointer<typename planes::inner>::to(
      detail::column_of(planes::first(planes::own(storage)), planes::rows));
}
#endif // BANKSTRIPE_POINTERS

#ifndef BANKSTRIPE_CLEAR
#define BANKSTRIPE_CLEAR
// For: clear
// With: POINTERS
// `= {}`: every element of the calling thread's array to zero, or to what its
// default constructor makes it.
template <class Storage>
__device__ __forceinline__ void clear(Storage &&storage) {
  typedef detail::planes<Storage> planes;
  auto *first = planes::first(planes::own(storage));
  for (int row = 0; row < planes::rows; ++row)
    detail::cleared<typename planes::unit>::in(*detail::further(first, row));
}
#endif // BANKSTRIPE_CLEAR

#ifndef BANKSTRIPE_INITIALIZE
#define BANKSTRIPE_INITIALIZE
// For: initialize
// With: POINTERS LISTS
namespace detail {

// Gives each element of a plane its value in a list, as far as there are any.
template <class Plane> struct listed;
template <class Unit, int Extent, int Lanes>
struct listed<Unit[Extent][Lanes]> {
  template <class Value, int NextExtent>
  static __device__ __forceinline__ void
  assign(Unit (&units)[Extent][Lanes], const Value (&values)[NextExtent]) {
    constexpr int per_unit = element<Unit>::per_unit;
    static_assert(NextExtent <= Extent * per_unit,
                  "the stripe has fewer elements");
#pragma unroll
    for (int position = 0; position < NextExtent; ++position)
      element<Unit>::of(units[position / per_unit][lane()],
                        position % per_unit) = values[position];
  }
};
template <class Rest, int Extent, int NextExtent, int LastExtent>
struct listed<Rest[Extent][NextExtent][LastExtent]> {
  template <class Row, int Given>
  static __device__ __forceinline__ void
  assign(Rest (&units)[Extent][NextExtent][LastExtent],
         const Row (&values)[Given]) {
    static_assert(Given == Extent, "the stripe has other extents");
#pragma unroll
    for (int position = 0; position < Extent; ++position)
      listed<Rest[NextExtent][LastExtent]>::assign(units[position],
                                                   values[position]);
  }
};

} // namespace detail

// `= {a, b, ...}`: the listed values, and zero for the elements that the list
// leaves out. The extents of the array are given because packed storage no
// longer knows them.
template <int... Extents, class Storage>
__device__ __forceinline__ void
initialize(Storage &&storage,
           const typename detail::array_of<
               typename detail::without_volatile<
                   typename detail::planes<Storage>::type>::type,
               Extents...>::type &values) {
  typedef detail::planes<Storage> planes;
  detail::listed<typename planes::all>::assign(planes::own(storage), values);
}
#endif // BANKSTRIPE_INITIALIZE

#ifndef BANKSTRIPE_PACKED
#define BANKSTRIPE_PACKED
// For: packed packed_words
// With: POINTERS
// The elements of one or two bytes that share a bank word.
template <class Element> struct alignas(4) packed {
  Element value[4 / sizeof(Element)];
};

// Words that hold `elements` packed elements of type E.
template <class Element>
__host__ __device__ constexpr int packed_words(int elements) {
  return static_cast<int>((elements * sizeof(Element) + 3) / 4);
}

namespace detail {

template <class Element>
struct element<packed<Element>>
    : elements<Element, static_cast<int>(4 / sizeof(Element))> {
  static BANKSTRIPE_ANYWHERE Element &of(packed<Element> &unit, unsigned part) {
    return unit.value[part];
  }
};

// T being an element that shares its word, which counts as its number.
template <class Element> struct packed_place {
  in_column<packed<Element>> column;
  int position;
  packed_place() = default;
  BANKSTRIPE_ANYWHERE packed_place(in_column<packed<Element>> column)
      : column(column), position(0) {}
  BANKSTRIPE_ANYWHERE operator int() const { return position; }
};
template <class Element> struct target<packed<Element>> {
  typedef packed<Element> unit;
  typedef Element type;
  typedef type &reference;
  typedef packed_place<Element> place;
  static constexpr int rows = 1, spacing = 1;
  static BANKSTRIPE_ANYWHERE reference at(place at) {
    constexpr unsigned per_unit = element<unit>::per_unit;
    const unsigned index = static_cast<unsigned>(at.position);
    return element<unit>::of(*detail::further(at.column, index / per_unit),
                             index % per_unit);
  }
};
template <class Element>
struct target<const packed<Element>> : target<packed<Element>> {
  typedef const Element type;
  typedef type &reference;
};

} // namespace detail
#endif // BANKSTRIPE_PACKED

#ifndef BANKSTRIPE_SPLITS
#define BANKSTRIPE_SPLITS
// For: split
// With: POINTERS UNIT LISTS
// What a pointer into a split array points to.
template <class Element, int First> struct split;

namespace detail {

// T being an element of a split array, which counts as its number.
template <class Element> struct split_place {
  unit<Element> *column;
  Element *rest;
  int position;
  BANKSTRIPE_ANYWHERE operator int() const { return position; }
};
template <class Element, int First> struct target<split<Element, First>> {
  typedef Element type;
  typedef type &reference;
  typedef split_place<Element> place;
  static constexpr int rows = 1, spacing = 1;
  // Both addresses, of which one is selected: compilers would compute the place
  // of the column anew behind a branch, and lanes in both parts would part.
  static BANKSTRIPE_ANYWHERE Element &at(place at) {
    Element *first = (Element *)detail::further(at.column, at.position);
    Element *other = at.rest + (at.position - First);
    return *(at.position < First ? first : other);
  }
};
template <class Element, int First>
struct target<split<const Element, First>> : target<split<Element, First>> {
  typedef const Element type;
  typedef type &reference;
};

template <class Type, int First>
struct adds_const<split<Type, First>, split<const Type, First>> {
  typedef decltype(nullptr) type;
};

} // namespace detail

// That of an array whose first elements are the stripe, and the others `rest`.
template <class Storage, class Element, int Rest>
__device__
    __forceinline__ pointer<split<Element, detail::planes<Storage>::rows>>
    begin(Storage &&storage, Element (&rest)[Rest]) {
  typedef detail::planes<Storage> planes;
  return pointer<split<Element, planes::rows>>::to(
      {planes::first(planes::own(storage)), rest, 0});
}

// `= {a, b, ...}`.
template <int Extent, class Element, int First>
__device__ __forceinline__ void
initialize(pointer<split<Element, First>> array,
           const typename detail::array_of<Element, Extent>::type &values) {
#pragma unroll
  for (int position = 0; position < Extent; ++position)
    array[position] = values[position];
}
#endif // BANKSTRIPE_SPLITS

#ifndef BANKSTRIPE_BITS
#define BANKSTRIPE_BITS
// For: bits bit long_bit
// With: LISTS POINTERS
typedef decltype(sizeof(0)) byte_count;

namespace detail {

template <bool Long> struct word_of_bits {
  typedef unsigned type;
};
template <> struct word_of_bits<true> {
  typedef unsigned long long type;
};

// A bit in its word, which counts as its number there.
template <class Word> struct bit_place {
  Word *word;
  int position;
  Word all; // The bits that are elements.
  BANKSTRIPE_ANYWHERE operator int() const { return position; }
};

} // namespace detail

// Of a namespace of its own, in which no call finds a function by accident.
namespace bit_access {

// What the indices so far leave of an array of bits: of its extents, these. It
// is worth nothing once the array is gone.
template <class Word, int... Extents> class part;

// A single element.
template <class Word> class part<Word> {
  Word &word;
  int position;

public:
  static constexpr int elements = 1;
  BANKSTRIPE_ANYWHERE part(detail::bit_place<Word> place)
      : word(*place.word), position(place.position) {
#ifdef __CUDA_ARCH__
    // Else no compiler sees that an array is empty once all is cleared.
    __builtin_assume(word <= place.all);
#endif
  }
  part(const part &) = default;

  BANKSTRIPE_ANYWHERE operator bool() const {
    return static_cast<unsigned>(word >> position) & 1;
  }
  BANKSTRIPE_ANYWHERE bool operator=(bool value) const {
    // Fewer instructions than to clear the bit and to put another there.
    const Word all = value ? ~static_cast<Word>(0) : 0;
    word ^= (word ^ all) & static_cast<Word>(1) << position;
    return value;
  }
  BANKSTRIPE_ANYWHERE bool operator=(const part &other) const {
    return *this = static_cast<bool>(other);
  }
  // What is not bool is no bool before the result is.
#define BANKSTRIPE_COMPOUND(ASSIGN, OPERATOR)                                  \
  template <class Value>                                                       \
  BANKSTRIPE_ANYWHERE bool operator ASSIGN(Value value) const {                \
    return *this = static_cast<bool>(static_cast<bool>(*this) OPERATOR value); \
  }
  BANKSTRIPE_COMPOUND(|=, |)
  BANKSTRIPE_COMPOUND(&=, &)
  BANKSTRIPE_COMPOUND(^=, ^)
#undef BANKSTRIPE_COMPOUND
};

// A row.
template <class Word, int Extent, int... Inner>
class part<Word, Extent, Inner...> {
  typedef part<Word, Inner...> inner;
  detail::bit_place<Word> first;

public:
  static constexpr int elements = Extent * inner::elements;
  BANKSTRIPE_ANYWHERE part(detail::bit_place<Word> first) : first(first) {}

  BANKSTRIPE_ANYWHERE inner operator[](int index) const {
    return detail::further(first, index * inner::elements);
  }
  template <class Value>
  BANKSTRIPE_ANYWHERE void operator=(const Value (&values)[Extent]) const {
#ifdef __CUDA_ARCH__ // The host's compiler does not know it.
#pragma unroll
#endif
    for (int index = 0; index < Extent; ++index)
      (*this)[index] = values[index];
  }
};

} // namespace bit_access

// What a pointer into an array of bits points to.
template <class Word> struct bit_of;
typedef bit_of<unsigned> bit;
typedef bit_of<unsigned long long> long_bit;

// `bool[Extents]...`, up to 64 elements. All of them are false at first.
template <int... Extents> class bits {
  static constexpr int elements =
      bit_access::part<unsigned, Extents...>::elements;
#ifdef __CUDA_ARCH__ // The host may see another extent.
  static_assert(elements <= 64, "an array of bits has at most 64 elements");
#endif

public:
  typedef typename detail::word_of_bits<(elements > 32)>::type word;
  typedef bit_access::part<word, Extents...> all;
  word value;

  BANKSTRIPE_ANYWHERE bits() : value(0) {}
  BANKSTRIPE_ANYWHERE explicit bits(
      const typename detail::array_of<bool, Extents...>::type &values)
      : value(0) {
    all{first()} = values;
  }
  BANKSTRIPE_ANYWHERE detail::bit_place<word> first() {
    // The remainder is for the host alone, as above.
    constexpr int width = 8 * sizeof(word);
    return {&value, 0,
            ~static_cast<word>(0) >> (width - elements % width) % width};
  }
  BANKSTRIPE_ANYWHERE auto operator[](int index)
      -> decltype(static_cast<all *>(nullptr)->operator[](index)) {
    return all(first())[index];
  }
};

// `memset(array, 0, sizeof array)`.
template <int... Extents>
BANKSTRIPE_ANYWHERE void memset(bits<Extents...> &array, int, byte_count) {
  array = bits<Extents...>();
}

namespace detail {

// T being a bit.
template <class Word> struct target<bit_of<Word>> {
  typedef bit_access::part<Word> type;
  typedef type reference;
  typedef detail::bit_place<Word> place;
  static constexpr int rows = 1, spacing = 1;
  static BANKSTRIPE_ANYWHERE reference at(place first) { return first; }
};
template <class Word>
struct target<const bit_of<Word>> : target<bit_of<Word>> {};

} // namespace detail

template <int Extent>
BANKSTRIPE_ANYWHERE pointer<bit_of<typename bits<Extent>::word>>
begin(bits<Extent> &array) {
  return pointer<bit_of<typename bits<Extent>::word>>::to(array.first());
}
#endif // BANKSTRIPE_BITS

#ifndef BANKSTRIPE_SLOTS
#define BANKSTRIPE_SLOTS
// For: slots clear_slot initialize_slot
// With: PITCH LISTS
namespace detail {

// One slot. Its length decides which lanes meet in a bank: an odd number of
// units keeps equal indices apart, and one that leaves 3 or 5 when divided by 8
// also those that rise or fall by one from lane to lane, four lanes at worst.
template <class Type, int Alignment>
struct alignas(Alignment < pitch<Type>::alignment ? pitch<Type>::alignment
                                                  : Alignment) slot {
  static constexpr int unit =
      Alignment < pitch<Type>::alignment ? pitch<Type>::alignment : Alignment;
  static constexpr int grain = unit < 128 ? 128 : unit;
  static constexpr int used = int((sizeof(Type) + unit - 1) / unit);
  static constexpr int rest = used % 8;
  static constexpr int spare = (rest <= 3 ? 3 : rest <= 5 ? 5 : 11) - rest;

  unsigned char bytes[(used + spare) * unit];
};

} // namespace detail

// An object of type T for each thread of a block, not yet initialised. Its
// alignment can be more than that of T, for code that reads it as vectors. All
// slots together leave the shared memory behind them aligned as it was.
template <class Type, int Threads, int Alignment = 1>
struct alignas(detail::slot<Type, Alignment>::grain) slots {
  detail::slot<Type, Alignment> all[Threads];

  __device__ __forceinline__ Type &mine() {
    detail::check(thread() < Threads);
    return reinterpret_cast<Type &>(all[thread()]);
  }
};

namespace detail {

template <class Type, int Extent> struct cleared<Type[Extent]> {
  static __device__ __forceinline__ void in(Type (&array)[Extent]) {
    for (int position = 0; position < Extent; ++position)
      cleared<Type>::in(array[position]);
  }
};

template <class Type, class Value>
__device__ __forceinline__ void assign(Type &element, const Value &value) {
  element = value;
}
template <class Type, class Value, int Extent>
__device__ __forceinline__ void assign(Type (&array)[Extent],
                                       const Value (&values)[Extent]) {
#pragma unroll
  for (int position = 0; position < Extent; ++position)
    detail::assign(array[position], values[position]);
}

} // namespace detail

// `= {}` and `= {a, b, ...}` for an array in a slot. They have names of their
// own because an array `[4][8][32]` looks like a stripe.
template <class Type, int Extent>
__device__ __forceinline__ void clear_slot(Type (&array)[Extent]) {
  detail::cleared<Type[Extent]>::in(array);
}
template <class Type, int Extent>
__device__ __forceinline__ void initialize_slot(
    Type (&array)[Extent],
    const typename detail::array_of<
        typename detail::without_volatile<Type>::type, Extent>::type &values) {
  detail::assign(array, values);
}
#endif // BANKSTRIPE_SLOTS

// --- Dynamic shared memory ---------------------------------------------------

#ifndef BANKSTRIPE_MARK
#define BANKSTRIPE_MARK
namespace detail {

// Launches that bring this memory ask for this many bytes more than a multiple
// of 16, by which others are told apart. They are room for programs that read
// one element behind the last slot.
enum : unsigned { mark = 2 * 16 + 9 };

} // namespace detail
#endif // BANKSTRIPE_MARK

#ifndef BANKSTRIPE_MEMORY
#define BANKSTRIPE_MEMORY
// For: behind
// With: ASSERTION MARK
namespace detail {

// The dynamic shared memory of the block, and its size. Whoever runs kernels on
// the host says otherwise what they are.
#ifndef BANKSTRIPE_SEGMENT
extern __shared__ __align__(128) unsigned char segment[];

__device__ __forceinline__ unsigned segment_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
#define BANKSTRIPE_SEGMENT segment
#define BANKSTRIPE_SEGMENT_BYTES segment_bytes()
#endif

// Out of line, so that the check costs its caller a comparison and no more.
__device__ __noinline__ inline void stop_unprepared_launch() {
  __assertfail("a launch brings the shared memory that the kernel's row says",
               "bankstripe.cuh", 1, "bankstripe", 1);
  __trap();
}

// The part of the dynamic shared memory that is the calling warp's. Where it
// begins at a fixed place, compilers can tell arrays apart.
template <int WarpBytes, bool Behind>
__device__ __forceinline__ unsigned char *own_memory() {
  static_assert(WarpBytes % 16 == 0, "vectors are aligned to 16 bytes");
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned needed = (threads + 31) / 32 * WarpBytes + mark;
  const unsigned given = BANKSTRIPE_SEGMENT_BYTES;
  if (given % 16 != mark % 16 || given < needed)
    stop_unprepared_launch();
  unsigned char *first = BANKSTRIPE_SEGMENT;
  if (Behind)
    first += given - needed;
  return first + warp() * WarpBytes;
}

} // namespace detail

// The storage lies behind memory that the kernel has of its own.
enum : bool { behind = true };
#endif // BANKSTRIPE_MEMORY

#ifndef BANKSTRIPE_DYNAMIC_STRIPES
#define BANKSTRIPE_DYNAMIC_STRIPES
// For: dynamic_stripe
// With: MEMORY POINTERS
// The calling warp's plane of a stripe in dynamic shared memory. It is used as
// the planes of a block are: begin(), clear(), initialize().
template <class Plane> struct own_plane {
  Plane *plane;
};

namespace detail {

template <class Plane> struct planes<own_plane<Plane>> : plane<Plane> {
  static __device__ __forceinline__ Plane &own(own_plane<Plane> storage) {
    return *storage.plane;
  }
};
template <class Plane>
struct planes<const own_plane<Plane>> : planes<own_plane<Plane>> {};

// The plane of an array of units.
template <class Unit> struct plane_of {
  typedef Unit type[32];
};
template <class Rest, int Extent> struct plane_of<Rest[Extent]> {
  typedef typename plane_of<Rest>::type type[Extent];
};

} // namespace detail

// The stripe of an array of units, from Begin to before End of the warp's part:
// `dynamic_stripe<int[16], 0, 2048, 4224>()`. Who planned the places has taken
// the array for no larger than that.
template <class Units, int Begin, int End, int WarpBytes, bool Behind = false>
__device__ __forceinline__ own_plane<typename detail::plane_of<Units>::type>
dynamic_stripe() {
  typedef typename detail::plane_of<Units>::type plane;
  static_assert(Begin + sizeof(plane) <= End && End <= WarpBytes,
                "the part is too small");
  unsigned char *memory = detail::own_memory<WarpBytes, Behind>();
  return own_plane<plane>{reinterpret_cast<plane *>(memory + Begin)};
}
#endif // BANKSTRIPE_DYNAMIC_STRIPES

#ifndef BANKSTRIPE_DYNAMIC_SLOTS
#define BANKSTRIPE_DYNAMIC_SLOTS
// For: dynamic_slots
// With: MEMORY SLOTS
// The slots of the calling warp, in dynamic shared memory.
template <class Type, int Alignment = 1> struct own_slots {
  detail::slot<Type, Alignment> all[32];

  __device__ __forceinline__ Type &mine() {
    return reinterpret_cast<Type &>(all[lane()]);
  }
};

// `dynamic_slots<float[16], 2048, 4224, 4224>()`, see dynamic_stripe().
template <class Type, int Begin, int End, int WarpBytes, bool Behind = false,
          int Alignment = 1>
__device__ __forceinline__ own_slots<Type, Alignment> &dynamic_slots() {
  typedef own_slots<Type, Alignment> slots;
  static_assert(Begin + sizeof(slots) <= End && End <= WarpBytes,
                "the part is too small");
  static_assert(alignof(slots) <= (Behind ? 16 : 128) &&
                    Begin % alignof(slots) == 0 &&
                    WarpBytes % alignof(slots) == 0,
                "the memory is aligned to fewer bytes");
  unsigned char *memory = detail::own_memory<WarpBytes, Behind>();
  return *reinterpret_cast<slots *>(memory + Begin);
}
#endif // BANKSTRIPE_DYNAMIC_SLOTS

} // namespace bankstripe

#ifndef BANKSTRIPE_PLACEMENT
#define BANKSTRIPE_PLACEMENT
// For: place
// With: SLOTS
namespace bankstripe {

// Where a placement new expression of this header puts its object.
struct placement {
  void *where;
};

// The calling thread's slot, for an object that has yet to be made.
template <class Slots>
__device__ __forceinline__ placement place(Slots &storage) {
  return placement{&reinterpret_cast<unsigned char &>(storage.mine())};
}

} // namespace bankstripe

// For `::new (::bankstripe::place(...)) T(...)` and `T[N]`, which need no other
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
#endif // BANKSTRIPE_PLACEMENT

#undef BANKSTRIPE_ANYWHERE

} // extern "C++"

#pragma pack(pop)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif // bankstripe.cuh
