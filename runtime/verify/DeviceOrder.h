//===-- DeviceOrder.h - a recording, device after device --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs with a host thread for each device launch in another order in each
// run, and yet do the same on each device. Sorted by device, with launches and
// allocations numbered anew, recordings of such runs can be compared.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_DEVICEORDER_H
#define BANKSTRIPE_VERIFY_DEVICEORDER_H

#include "recording/Recording.h"

namespace bankstripe::runtime {

/// A sorted recording, and what its numbers were.
struct DeviceOrder {
  Recording Sorted;
  /// By the new number of a launch, an allocation or a variable.
  std::vector<unsigned> Launches, Allocations, Variables;
};

/// How many devices kernels were launched on.
unsigned launchingDevices(const Recording &R);

/// What is found when memory of one device is looked at after a launch on
/// another one counts as found after the latest launch on its own.
DeviceOrder inDeviceOrder(const Recording &R);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_DEVICEORDER_H
