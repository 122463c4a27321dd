// macros.cu - programs that define single letters as macros, but those of dim3
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cuda_runtime.h>

#define A something_else
#define B something_else
#define C something_else
#define D something_else
#define E something_else
#define F something_else
#define G something_else
#define H something_else
#define I something_else
#define J something_else
#define K something_else
#define L something_else
#define M something_else
#define N something_else
#define O something_else
#define P something_else
#define Q something_else
#define R something_else
#define S something_else
#define T something_else
#define U something_else
#define V something_else
#define W something_else
#define X something_else
#define Y something_else
#define Z something_else
#define a something_else
#define b something_else
#define c something_else
#define d something_else
#define e something_else
#define f something_else
#define g something_else
#define h something_else
#define i something_else
#define j something_else
#define k something_else
#define l something_else
#define m something_else
#define n something_else
#define o something_else
#define p something_else
#define q something_else
#define r something_else
#define s something_else
#define t something_else
#define u something_else
#define v something_else
#define w something_else

#include "bankstripe.cuh"

#undef A
#undef B
#undef C
#undef D
#undef E
#undef F
#undef G
#undef H
#undef I
#undef J
#undef K
#undef L
#undef M
#undef N
#undef O
#undef P
#undef Q
#undef R
#undef S
#undef T
#undef U
#undef V
#undef W
#undef X
#undef Y
#undef Z
#undef a
#undef b
#undef c
#undef d
#undef e
#undef f
#undef g
#undef h
#undef i
#undef j
#undef k
#undef l
#undef m
#undef n
#undef o
#undef p
#undef q
#undef r
#undef s
#undef t
#undef u
#undef v
#undef w

#include "expect.h"

__global__ void both(int *failed) {
  __shared__ int striped[bankstripe::warps(45)][8][32];
  bankstripe::initialize<8>(striped, {own<int>(0), own<int>(1)});
  EXPECT(bankstripe::begin(striped)[1] == own<int>(1));
  EXPECT(bankstripe::begin(striped)[7] == 0);
  __shared__ bankstripe::slots<int[8], 45> slots;
  int (&slot)[8] = slots.mine();
  bankstripe::clear_slot(slot);
  slot[3] = own<int>(3);
  EXPECT(slot[3] == own<int>(3) && slot[7] == 0);
}

int main() { return RUN(both); }
