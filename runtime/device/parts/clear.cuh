// clear.cuh - `= {}` for a stripe
#ifndef BANKSTRIPE_CLEAR
#define BANKSTRIPE_CLEAR
// Clears all elements of the calling thread.
template <class Storage>
__device__ __forceinline__ void clear(Storage &&storage) {
  typedef detail::planes<Storage> planes;
  auto *first = planes::first(planes::own(storage));
  for (int row = 0; row < planes::rows; ++row)
    detail::cleared<typename planes::unit>::in(*detail::further(first, row));
}
#endif // BANKSTRIPE_CLEAR
