// common.cuh - what every helper has: the calling thread, bounds
#ifndef BANKSTRIPE_COMMON
#define BANKSTRIPE_COMMON
// The warps of a block, of which the last one may be a part.
__host__ __device__ constexpr int warps(int threads) {
  return (threads + 31) / 32;
}

// The calling thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// Its warp's number in the block, and its own number in that warp.
__device__ __forceinline__ unsigned warp() { return thread() / 32; }
__device__ __forceinline__ unsigned lane() { return thread() % 32; }

namespace detail {

// Traps if the program was built to check bounds.
BANKSTRIPE_ANYWHERE void check(bool inside) {
  (void)inside;
#if defined(BANKSTRIPE_CHECK_BOUNDS) && defined(__CUDA_ARCH__)
  if (!inside)
    __trap();
#endif
}

// Makes a unit zero, or what its default constructor makes it.
template <class Unit> struct cleared {
  static __device__ __forceinline__ void in(Unit &unit) { unit = Unit(); }
};

} // namespace detail
#endif // BANKSTRIPE_COMMON
