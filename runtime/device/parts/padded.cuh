// padded.cuh - one element of any trivially copyable type, or anything else
//
// As bytes, because a variable in shared memory cannot have a constructor.
#ifndef BANKSTRIPE_PADDED
#define BANKSTRIPE_PADDED
template <class Element>
struct alignas(detail::pitch<Element>::alignment) padded {
  unsigned char bytes[detail::pitch<Element>::bytes];
};

namespace detail {

template <class Element> struct element<padded<Element>> {
  typedef Element type;
  static constexpr int per_unit = 1;
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
