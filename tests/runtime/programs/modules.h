// modules.h - a kernel that two modules have
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_TESTS_MODULES_H
#define BANKSTRIPE_TESTS_MODULES_H

#include "check.h"

template <class T> __global__ void both(T *values, T add) {
  values[threadIdx.x] = values[threadIdx.x] * 3 + add;
}

void launch_other(unsigned *values);

#endif
