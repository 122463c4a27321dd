// splits.cuh - arrays of which the first elements are a stripe
#ifndef BANKSTRIPE_SPLITS
#define BANKSTRIPE_SPLITS
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
