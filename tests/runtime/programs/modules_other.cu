// modules_other.cu - the second module of modules.cu
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "modules.h"

__device__ unsigned there = 41;

__global__ void two(unsigned *values) { values[threadIdx.x] += ++there; }

void launch_other(unsigned *values) {
  both<<<1, 256>>>(values, 2u);
  two<<<1, 1>>>(values);
}
