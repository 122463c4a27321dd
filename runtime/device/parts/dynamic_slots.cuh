// dynamic_slots.cuh - slots in dynamic shared memory
#ifndef BANKSTRIPE_DYNAMIC_SLOTS
#define BANKSTRIPE_DYNAMIC_SLOTS
// The slots of the calling warp, in dynamic shared memory.
template <class Type, int Alignment = 1> struct own_slots {
  detail::slot<Type, Alignment> all[32];

  __device__ __forceinline__ Type &mine() {
    return reinterpret_cast<Type &>(all[lane()]);
  }
};

// `dynamic_slots<float[16], 2048, 4224, 4224>()`, see dynamic_stripe().
template <class Type, int Begin, int End, int WarpBytes, bool Behind = false,
          int Alignment = 1>
__device__ __forceinline__ own_slots<Type, Alignment> &dynamic_slots() {
  typedef own_slots<Type, Alignment> slots;
  static_assert(Begin + sizeof(slots) <= End && End <= WarpBytes,
                "the part is too small");
  static_assert(alignof(slots) <= (Behind ? 16 : 128) &&
                    Begin % alignof(slots) == 0 &&
                    WarpBytes % alignof(slots) == 0,
                "the memory is aligned to fewer bytes");
  unsigned char *memory = detail::own_memory<WarpBytes, Behind>();
  return *reinterpret_cast<slots *>(memory + Begin);
}
#endif // BANKSTRIPE_DYNAMIC_SLOTS
