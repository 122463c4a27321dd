// Stands in for the toolkit's header when a program is built for the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../host_cuda.h"
