// lists.cuh - the types of parameters that braced lists are passed for
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
