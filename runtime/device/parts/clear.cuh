// clear.cuh - `= {}` for a stripe
//
// Every element of the calling thread's array to zero, or to what its default
// constructor makes it.
#ifndef BANKSTRIPE_CLEAR
#define BANKSTRIPE_CLEAR
template <class Storage>
__device__ __forceinline__ void clear(Storage &&storage) {
  typedef detail::planes<Storage> planes;
  auto *first = planes::first(planes::own(storage));
  for (int row = 0; row < planes::rows; ++row)
    detail::cleared<typename planes::unit>::in(*detail::further(first, row));
}
#endif // BANKSTRIPE_CLEAR
