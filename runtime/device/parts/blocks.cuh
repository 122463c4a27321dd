// blocks.cuh - how many threads a block has, and that it has no more than that
#ifndef BANKSTRIPE_BLOCKS
#define BANKSTRIPE_BLOCKS
// The threads of the block.
__device__ __forceinline__ unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}

// First in a kernel whose launch bounds let no larger block in: compilers drop
// the tests of functions that are inlined into it.
template <int Threads>
__device__ __forceinline__ void assume_block_of_at_most() {
  // Spelled out: a call would have the assumption dropped.
  __builtin_assume(blockDim.x * blockDim.y * blockDim.z <=
                   static_cast<unsigned>(Threads));
}

// Stops a block that is larger than the storage was made for.
template <int Threads>
__device__ __forceinline__ void require_block_of_at_most() {
  static_assert(Threads > 0, "a block has threads");
  if (block_threads() > static_cast<unsigned>(Threads))
    __trap();
}
#endif // BANKSTRIPE_BLOCKS
