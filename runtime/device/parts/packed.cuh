// packed.cuh - elements of one or two bytes that share a bank word
#ifndef BANKSTRIPE_PACKED
#define BANKSTRIPE_PACKED
template <class Element> struct alignas(4) packed {
  Element value[4 / sizeof(Element)];
};

// Words that hold `elements` packed elements of type E.
template <class Element>
__host__ __device__ constexpr int packed_words(int elements) {
  return static_cast<int>((elements * sizeof(Element) + 3) / 4);
}

namespace detail {

template <class Element> struct element<packed<Element>> {
  typedef Element type;
  static constexpr int per_unit = static_cast<int>(4 / sizeof(Element));
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
