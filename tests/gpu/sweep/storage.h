//===-- storage.h - where the moved arrays of the sweep lie ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it is dynamic shared memory, so that the size of a block is known only
// when it is launched and a block can have more than 48 KB. The helper works on
// references to arrays. Their first extent is that of the largest block: only
// the number of the warp or thread ever indexes it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_GPU_SWEEP_STORAGE_H
#define BANKSTRIPE_TESTS_GPU_SWEEP_STORAGE_H

#include "bankstripe.cuh"
#include "sweep.h"

constexpr int LargestBlock = 1024;

extern __shared__ __align__(16) unsigned char DynamicMemory[];

template <class Unit, int Rows>
using Stripe = Unit[bankstripe::warps(LargestBlock)][Rows][32];

template <class Unit, int Rows>
__device__ __forceinline__ Stripe<Unit, Rows> &stripe() {
  return reinterpret_cast<Stripe<Unit, Rows> &>(DynamicMemory);
}
template <class Unit, int Rows> constexpr size_t stripeBytes() {
  return sizeof(Unit[Rows][32]);
}

template <class Element, int Elements> __device__ __forceinline__ auto &slot() {
  using Slots = bankstripe::slots<Element[Elements], LargestBlock>;
  return reinterpret_cast<Slots &>(DynamicMemory).mine();
}
template <class Element, int Elements> constexpr size_t slotBytes() {
  return sizeof(bankstripe::slots<Element[Elements], 32>);
}

template <class Kernel> const void *address(Kernel *K) {
  return reinterpret_cast<const void *>(K);
}

#endif // BANKSTRIPE_TESTS_GPU_SWEEP_STORAGE_H
