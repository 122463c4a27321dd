//===-- Paths.h - files and folders by their real names ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_PATHS_H
#define BANKSTRIPE_TOOL_PATHS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// \p Path without links; where there is no such file, the absolute path.
std::string realPath(llvm::StringRef Path);

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

/// The folder that all of \p Files lie in, or are themselves.
std::string commonFolder(const std::set<std::string> &Files);

/// A folder that is removed when this goes out of scope.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&Other) noexcept
      : Path(std::move(Other.Path)) {
    Other.Path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return Path; }
  void keep() { Path.clear(); }

private:
  explicit TemporaryFolder(std::string Path) : Path(std::move(Path)) {}
  std::string Path;
};

} // namespace bankstripe

#endif
