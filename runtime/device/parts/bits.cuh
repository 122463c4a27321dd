// bits.cuh - arrays of bool in registers, one bit for each element
#ifndef BANKSTRIPE_BITS
#define BANKSTRIPE_BITS
typedef decltype(sizeof(0)) byte_count;

#include "bit_access.cuh"

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
