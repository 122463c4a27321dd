//===-- Paths.h - files and folders -----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PATHS_H
#define BANKSTRIPE_TOOL_PATHS_H

#include "llvm/ADT/StringMap.h"
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// The files that the user put at our disposal by naming them or folders above
/// them, be it through links.
class GivenFiles {
public:
  explicit GivenFiles(const std::vector<std::string> &Paths);
  bool operator()(llvm::StringRef File) const;

private:
  std::vector<std::string> Real;
  mutable llvm::StringMap<bool> Known; ///< Many units read the same headers.
};

/// The folder that all of \p Files lie in, or are themselves, without links.
std::string commonFolder(const std::set<std::string> &Files);

} // namespace bankstripe

#endif
