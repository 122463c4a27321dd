// contract.cu - launches ask for what contract/Launch.h says
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../../contract/Launch.h"
#include "bankstripe.cuh"
#include "bankstripe_launch.cuh"

static_assert(bankstripe::detail::mark == bankstripe::LaunchMark, "");
static_assert(bankstripe::warps(33) * 32 == bankstripe::roundUp(33, bankstripe::WarpThreads), "");

static_assert(bankstripe::bytes_brought(512, 32, 0) == bankstripe::launchBytes(512, 32, 0), "");
static_assert(bankstripe::bytes_brought(512, 66, 17) == bankstripe::launchBytes(512, 66, 17), "");
static_assert(bankstripe::bytes_brought(16, 1024, 160) == bankstripe::launchBytes(16, 1024, 160), "");

template <unsigned long long All, unsigned long long Blocks, unsigned long long Bytes> constexpr bool agree() {
  return bankstripe::percent_of(All, Blocks, Bytes) == bankstripe::percentNeeded(Blocks, Bytes, All);
}
static_assert(agree<233472, 0, 1>(), "");
static_assert(agree<233472, 1, 16384>(), "");
static_assert(agree<233472, 3, 16385>(), "");
static_assert(agree<102400, 12, 9000>(), "");
static_assert(agree<102400, 1, 310000>(), "");
