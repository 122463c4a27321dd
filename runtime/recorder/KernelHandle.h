//===-- KernelHandle.h - the kernel of a launch ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch names its kernel by a CUfunction, which belongs to a module of one
// context, or by a CUkernel in the guise of one, which belongs to a library of
// all contexts. The CUDA runtime uses the second.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_KERNELHANDLE_H
#define BANKSTRIPE_RECORDER_KERNELHANDLE_H

#include "recording/Capture.h"
#include <cuda.h>

namespace bankstripe::runtime {

class KernelHandle {
public:
  /// \param Launched the handle as it was passed to the launch; the launch's
  /// context must be current.
  explicit KernelHandle(CUfunction Launched);

  /// The kernel's symbol; "unknown kernel" when the driver does not tell.
  std::string symbol() const;

  Resources resources() const;

  /// 0 when the driver does not tell.
  int attribute(CUfunction_attribute Which) const;

  /// Where its parameters lie.
  ///
  /// \returns whether the driver told.
  bool parameters(std::vector<ParameterPlace> &Places) const;

  /// The symbols of all kernels in its library or module, in any order; none
  /// when the driver does not tell.
  std::vector<std::string> neighbours() const;

  /// The library or module that the kernel is part of: an identity only.
  const void *home() const {
    return Library ? static_cast<const void *>(Library) : Module;
  }

  /// Looks up a variable in the kernel's library or module.
  bool variable(const std::string &Symbol, CUdeviceptr &Address,
                size_t &Bytes) const;

private:
  CUfunction Function = nullptr;
  CUlibrary Library = nullptr;
  CUmodule Module = nullptr;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_KERNELHANDLE_H
