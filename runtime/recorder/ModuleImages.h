//===-- ModuleImages.h - the device code that was loaded --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver shows an image while it is loaded and never again, and does not
// tell which of them a kernel is from. Knows nothing of the driver.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_MODULEIMAGES_H
#define BANKSTRIPE_RECORDER_MODULEIMAGES_H

#include <set>
#include <string>

namespace bankstripe::runtime {

class ModuleImages {
public:
  /// Keeps an image; the same one once.
  void keep(std::string Image) { Images.insert(std::move(Image)); }
  void clear() { Images.clear(); }

  /// Finds the image that the kernel \p Symbol is from.
  ///
  /// \returns why it is not known; empty when it is, and then \p Image is it.
  std::string find(const std::string &Symbol, std::string &Image) const;

private:
  std::set<std::string> Images;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_MODULEIMAGES_H
