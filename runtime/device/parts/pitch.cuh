// pitch.cuh - the distance from one thread's T to the next one's, side by side
//
// An odd number of words or, where T is aligned to more, of its alignment.
#ifndef BANKSTRIPE_PITCH
#define BANKSTRIPE_PITCH
namespace detail {

template <class Type> struct pitch {
  static constexpr int alignment = alignof(Type) < 4 ? 4 : int(alignof(Type));
  static constexpr int bytes =
      int((sizeof(Type) + alignment - 1) / alignment | 1) * alignment;
};

} // namespace detail
#endif // BANKSTRIPE_PITCH
