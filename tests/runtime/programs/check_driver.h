// check_driver.h - ends a test program when a call of the driver fails
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_TESTS_CHECK_DRIVER_H
#define BANKSTRIPE_TESTS_CHECK_DRIVER_H

#include <cstdio>
#include <cstdlib>
#include <cuda.h>

#define CHECK_DRIVER(call)                                                     \
  do {                                                                         \
    const CUresult error = (call);                                             \
    if (error != CUDA_SUCCESS) {                                               \
      std::fprintf(stderr, "%s: error %d\n", #call, static_cast<int>(error));  \
      std::exit(9);                                                            \
    }                                                                          \
  } while (0)

#endif
