//===-- TemporaryFolder.h - files of one run --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever owns such a folder holds a lock on a file in it, which the system
// takes away when the process ends, however that happens. So the next run can
// tell what one that was killed has left, and removes it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WORKERS_TEMPORARYFOLDER_H
#define BANKSTRIPE_WORKERS_TEMPORARYFOLDER_H

#include "contract/Process.h"
#include "llvm/Support/Error.h"

namespace bankstripe {

/// A folder that is removed when this goes out of scope, or by a signal that
/// ends this process.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&Other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return Path; }
  void keep();

private:
  TemporaryFolder(std::string Path, int Lock);

  HeldSignals Held;
  std::string Path;
  int Lock;
};

} // namespace bankstripe

#endif
