// shared.cuh - storage of a version of a function that other files have, too
#ifndef BANKSTRIPE_SHARED
#define BANKSTRIPE_SHARED
template <class Storage, class Array>
__device__ __forceinline__ Storage &shared() {
  __shared__ Storage storage;
  return storage;
}
#endif // BANKSTRIPE_SHARED
