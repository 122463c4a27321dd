// placement.cuh - objects that are made in slots, without <new>
#ifndef BANKSTRIPE_PLACEMENT
#define BANKSTRIPE_PLACEMENT
namespace bankstripe {

// Where a placement new expression of this header puts its object.
struct placement {
  void *where;
};

// The calling thread's slot, for an object that has yet to be made.
template <class Slots>
__device__ __forceinline__ placement place(Slots &storage) {
  return placement{&reinterpret_cast<unsigned char &>(storage.mine())};
}

} // namespace bankstripe

// For `::new (::bankstripe::place(...)) T(...)` and `T[N]`, which need no other
// header then.
__device__ __forceinline__ void *operator new(decltype(sizeof(0)),
                                              bankstripe::placement place) {
  return place.where;
}
__device__ __forceinline__ void *operator new[](decltype(sizeof(0)),
                                                bankstripe::placement place) {
  return place.where;
}
// nvcc misses them if they are missing.
__device__ __forceinline__ void operator delete(void *, bankstripe::placement) {
}
__device__ __forceinline__ void operator delete[](void *,
                                                  bankstripe::placement) {}
#endif // BANKSTRIPE_PLACEMENT
