// common.cuh - what every helper has: the calling thread, bounds, units
#ifndef BANKSTRIPE_COMMON
#define BANKSTRIPE_COMMON
// Warps in a block of at most `threads` threads: the first dimension of the
// storage. A block that is no multiple of 32 still needs whole planes.
__host__ __device__ constexpr int warps(int threads) {
  return (threads + 31) / 32;
}

// The calling thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ unsigned lane() { return thread() % 32; }
__device__ __forceinline__ unsigned warp() { return thread() / 32; }

namespace detail {

// Stops where bounds are checked.
BANKSTRIPE_ANYWHERE void check(bool inside) {
  (void)inside;
#if defined(BANKSTRIPE_CHECK_BOUNDS) && defined(__CUDA_ARCH__)
  if (!inside)
    __trap();
#endif
}

// The elements of a unit: their number, and the one that is `part` of it.
template <class Type, int Count = 1> struct elements {
  typedef Type type;
  static constexpr int per_unit = Count;
};
template <class Unit> struct element : elements<Unit> {
  static BANKSTRIPE_ANYWHERE Unit &of(Unit &unit, unsigned) { return unit; }
};

template <class Unit>
struct element<const Unit>
    : elements<const typename element<Unit>::type, element<Unit>::per_unit> {
  static BANKSTRIPE_ANYWHERE const typename element<Unit>::type &
  of(const Unit &unit, unsigned part) {
    return element<Unit>::of(const_cast<Unit &>(unit), part);
  }
};

// Value-initialises a unit.
template <class Unit> struct cleared {
  static __device__ __forceinline__ void in(Unit &unit) { unit = Unit(); }
};

// The unit that is so many units further down a column. As a step over whole
// rows: compilers would mix a plain multiple of 32 with the place of the
// column, instead of keeping that in a register.
template <class Unit, class Index>
BANKSTRIPE_ANYWHERE Unit *further(Unit *unit, Index rows) {
  return ((Unit(*)[32])unit)[rows];
}

// Of places that count as their numbers.
template <class Place, class Index>
BANKSTRIPE_ANYWHERE Place further(Place place, Index steps) {
  place.position += static_cast<int>(steps);
  return place;
}

} // namespace detail
#endif // BANKSTRIPE_COMMON
