// memory.cuh - the dynamic shared memory that launches bring, and whose it is
#ifndef BANKSTRIPE_MEMORY
#define BANKSTRIPE_MEMORY
namespace detail {

// The dynamic shared memory of the block, and its size. Whoever runs kernels on
// the host says otherwise what they are.
#ifndef BANKSTRIPE_SEGMENT
extern __shared__ __align__(128) unsigned char segment[];

__device__ __forceinline__ unsigned segment_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
#define BANKSTRIPE_SEGMENT segment
#define BANKSTRIPE_SEGMENT_BYTES segment_bytes()
#endif

// The part of the dynamic shared memory that is the calling warp's: from its
// begin on, which is a fixed place, so that compilers can tell arrays apart; or
// from its end on, behind what the kernel has of its own.
//
// Launches that bring less, because they pass no row, end in a trap. (An
// assertion would say why, but programs with one load 5 ms longer.)
template <int WarpBytes, bool Behind>
__device__ __forceinline__ unsigned char *own_memory() {
  static_assert(WarpBytes % 16 == 0, "vectors are aligned to 16 bytes");
  const unsigned given = BANKSTRIPE_SEGMENT_BYTES;
  const unsigned last = (warp() + 1) * WarpBytes;
  if (given % 16 != mark % 16 || given < last + mark)
    __trap();
  return BANKSTRIPE_SEGMENT + (Behind ? given - mark - last : last - WarpBytes);
}

} // namespace detail

// The storage lies behind memory that the kernel has of its own.
enum : bool { behind = true };
#endif // BANKSTRIPE_MEMORY
