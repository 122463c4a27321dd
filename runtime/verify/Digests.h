//===-- Digests.h - after which launches memory is compared -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many digests there may be is decided before they are taken, from what the
// programs did without them. No clock has a say in it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_DIGESTS_H
#define BANKSTRIPE_VERIFY_DIGESTS_H

#include "recording/Request.h"

namespace bankstripe::runtime {

/// The kernels (canonical names) that the rewritten program launches with other
/// registers, static shared memory or local memory than the original.
std::vector<std::string> changedKernels(const Recording &Original,
                                        const Recording &Rewritten);

/// The rule that digests most within \p Budget, in bytes of device memory that
/// are read (memory of the host counts for as many as can be read in the same
/// time, and so does the wait that each digest is): all launches, or all of
/// the changed kernels and fewer of the others, or fewer of all, but at least
/// the first of each kernel and those whose number is a power of two.
///
/// \param Wanted receives the numbers.
DigestRule chooseDigests(const Recording &Original, DigestRule Wanted,
                         double Budget);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_DIGESTS_H
