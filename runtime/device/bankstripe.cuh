// bankstripe.cuh - bank-striped shared memory for per-thread arrays
//
// What sources include that bankstripe rewrote. It depends on nothing but the
// CUDA language (C++11 or newer).
//
// What each name is for is shown in docs/internals/layouts.md of bankstripe:
//
//     warps, column, begin, pointer                    stripes
//     clear, initialize                                their first values
//     word, packed, padded, unit                       their elements
//     split                                            stripes with a rest
//     slots, place, clear_slot, initialize_slot        slots
//     bits, bit, long_bit                              bools in registers
//     dynamic_stripe, dynamic_slots, behind            dynamic shared memory
//     require_block_of_at_most, assume_...             largest blocks
//
// An index must lie in the array: what lies beyond it belongs to another warp.
// Define BANKSTRIPE_CHECK_BOUNDS to trap on an element outside its array. (An
// index may leave its row, as that of an array does.)
//
// It is made from the files in parts/: for a package from all of them, beside
// rewritten sources from those that these use, with another comment here. Which
// names need which part is listed in rewriter/model/Helper.cpp. Headers with
// different parts may meet in one file, in any order, so a part must not call
// what is declared behind it; it may use class templates that are specialised
// there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A header that includes it may be read by a compiler for the host alone. (Up
// to 0.1, the header was always whole, and defined BANKSTRIPE_CUH.)
#if !defined(BANKSTRIPE_CUH) && (defined(__CUDACC__) || defined(__CUDA__))

// Builds that make errors of these warnings are about their own code.
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#pragma pack(push)
#pragma pack() // Whatever the file has it at.

extern "C++" { // Where files are included between the braces of extern "C".

// For what does not ask which thread it runs in.
#define BANKSTRIPE_ANYWHERE __host__ __device__ __forceinline__

namespace bankstripe {

// clang-format off: not in the order of their names.
#include "parts/common.cuh"
#include "parts/blocks.cuh"
#include "parts/shared.cuh"
#include "parts/pitch.cuh"
#include "parts/stripes.cuh"
#include "parts/word.cuh"
#include "parts/padded.cuh"
#include "parts/unit.cuh"
#include "parts/lists.cuh"
#include "parts/pointers.cuh"
#include "parts/clear.cuh"
#include "parts/initialize.cuh"
#include "parts/packed.cuh"
#include "parts/splits.cuh"
#include "parts/bits.cuh"
#include "parts/slots.cuh"
#include "parts/mark.cuh"
#include "parts/memory.cuh"
#include "parts/dynamic_stripes.cuh"
#include "parts/dynamic_slots.cuh"
// clang-format on
} // namespace bankstripe

#include "parts/placement.cuh"

#undef BANKSTRIPE_ANYWHERE

} // extern "C++"

#pragma pack(pop)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif // bankstripe.cuh
