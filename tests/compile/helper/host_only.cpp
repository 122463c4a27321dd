// host_only.cpp - a compiler for the host reads a header that has been
// rewritten
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bankstripe.cuh"

int main() {}
