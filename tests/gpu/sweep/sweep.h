//===-- sweep.h - what the kernels of the sweep share ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sweep asks when it pays to move a per-thread array into shared memory,
// and in which layout. generate.py writes its kernels; a kernel fills an array
// of N elements, then takes so many steps, each of which reads one element,
// works on it and writes it back, and at last reads the array through. What it
// computes goes into a digest of all bits, one per thread.
//
// Points. They differ in N, in the size of an element, in the multiply-adds of
// a step, each of which needs the one before it, in the threads of a block, and
//
//   - in the pattern of indices. `uniform` ones come from a parameter and the
//     loop counter, which a compiler sees to be the same for all lanes. All
//     others come from data, so that one kernel can do them all: in `random`
//     each lane goes its own way; in `worst` a warp goes one way, its lanes N /
//     32 elements apart, so that each asks for another one if there are 32, and
//     for one in another row of local memory if there are enough for that.
//
//   - in what a step does with an element. Some kernels only read it, some only
//     write it, and some read another one as well (`rereads`): what is written
//     goes through the L1, which may keep what is read.
//
//   - in whether a step also loads a float from global memory, and which
//     (`loads`). Storage for arrays costs warps, and what warps are good for is
//     to hide the latency of such loads. The floats of a warp are one line of
//     128 bytes. It never asks for a line twice, and all warps together walk
//     through a buffer that is far larger than an L1 and far smaller than the
//     L2: every load is answered by the L2, whatever part of the L1 the array
//     or the carveout takes. The step ends with the loaded value and loops are
//     not unrolled, so a warp has one load on its way, and only other warps can
//     fill the time. A chain of loads, each with the address of the next, would
//     wait no longer; several loads in flight would depend on what the compiler
//     unrolls, which differs by variant.
//
//     Apart from these, some kernels load what the L1 can hold, so that the
//     array in local memory competes with it and shared memory takes it away:
//     in `rows` each lane walks through a line of 128 bytes of its own, again
//     and again; in `table` each picks from a table of 64 KB at random.
//
// Loops over the array are not unrolled either: with constant indices nvcc puts
// the elements of a small array into registers and keeps up to 255 of them
// alive for a large one, and the sweep would compare that.
//
// Multiply-adds are spelled such that no compiler has a choice to fuse, so
// results are the same bit for bit. Factors and terms are parameters: with
// constants a compiler would fold a chain of integer ones into one.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_GPU_SWEEP_SWEEP_H
#define BANKSTRIPE_TESTS_GPU_SWEEP_SWEEP_H

#include <cstddef>

//===----------------------------------------------------------------------===//
// What a kernel is given
//===----------------------------------------------------------------------===//

constexpr unsigned TableFloats = 1u << 14; // At the start of the stream.

struct Input {
  const uint2 *Seeds; // One per thread: where its indices begin, and an offset.
  const float *Stream;
  unsigned StreamMask, StreamStride;
  unsigned First, Stride; // Of uniform indices.
  unsigned Steps;
  unsigned *Results; // One per thread.
};

/// With the constants of the arithmetic, of the type in which it is done.
template <class Number> struct Job : Input {
  Number Factor, Term;
};

//===----------------------------------------------------------------------===//
// What the table of a program says
//===----------------------------------------------------------------------===//

struct Variant {
  const char *Name;
  const void *Kernel;
  size_t BytesPerWarp; // Of shared memory.
};

/// The first variant is the original, the second the stripe that the controls
/// are about.
struct Group {
  int Elements;
  const Variant *Variants;
  int Count;
};

struct Program {
  int ElementBytes;
  bool Uniform;
  int Arithmetic;
  const char *Stream, *Use;
  const Group *Groups;
  int Count;
};

extern const Program TheProgram;

//===----------------------------------------------------------------------===//
// Parts of kernels
//===----------------------------------------------------------------------===//

__device__ inline unsigned globalThread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/// A small number that tells threads from one another.
__device__ inline unsigned ownNumber(unsigned Thread) {
  return Thread * 2654435761u >> 24;
}

__device__ inline unsigned nextRandom(unsigned State) {
  return State * 1664525u + 1013904223u;
}

__device__ inline unsigned multiplyAdd(unsigned X, unsigned Y, unsigned Z) {
  return X * Y + Z;
}
__device__ inline float multiplyAdd(float X, float Y, float Z) {
  return fmaf(X, Y, Z);
}
__device__ inline double multiplyAdd(double X, double Y, double Z) {
  return fma(X, Y, Z);
}

__device__ inline unsigned bits(unsigned X) { return X; }
__device__ inline unsigned bits(float X) { return __float_as_uint(X); }
__device__ inline unsigned bits(double X) {
  return __double2loint(X) * 31u + __double2hiint(X);
}

__device__ inline unsigned mix(unsigned Digest, unsigned Bits) {
  return Digest * 31u + Bits;
}

#endif // BANKSTRIPE_TESTS_GPU_SWEEP_SWEEP_H
