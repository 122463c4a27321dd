//===-- Modules.h - the device code that was loaded -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver shows an image while it is loaded and never again, and does not
// tell which of them a kernel is from: what they define does. A kernel of a
// header can be in several modules, which other kernels tell apart.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_MODULES_H
#define BANKSTRIPE_RECORDER_MODULES_H

#include <set>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// The images that were loaded.
class ModuleImages {
public:
  /// Keeps an image; the same one once.
  void keep(std::string Image) { Images.insert(std::move(Image)); }

  /// Finds the image that the kernel \p Symbol is from.
  ///
  /// \param Neighbours all kernels of its module, in any order; perhaps none.
  /// \returns why it is not known; empty when it is, and then \p Image is it.
  std::string find(const std::string &Symbol,
                   std::vector<std::string> Neighbours,
                   std::string &Image) const;

private:
  std::set<std::string> Images;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_MODULES_H
