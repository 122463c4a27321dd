// word.cuh - one element of one or two bytes in a bank word of its own
#ifndef BANKSTRIPE_WORD
#define BANKSTRIPE_WORD
template <class Element> struct alignas(4) word {
  Element value;
};

namespace detail {

template <class Element> struct element<word<Element>> {
  typedef Element type;
  static constexpr int per_unit = 1;
  static BANKSTRIPE_ANYWHERE Element &of(word<Element> &unit, unsigned) {
    return unit.value;
  }
};

} // namespace detail
#endif // BANKSTRIPE_WORD
