// bit_access.cuh - of bits.cuh: a single element, a row
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
