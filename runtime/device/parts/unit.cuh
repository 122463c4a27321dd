// unit.cuh - unit<E>, what one E of a stripe lies in
//
// A type with a constructor can only lie in shared memory as bytes.
#ifndef BANKSTRIPE_UNIT
#define BANKSTRIPE_UNIT
namespace detail {

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
