//===-- StandardInput.h - bankstripe rewrite - ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source is in a file of its own meanwhile, because nvcc is asked about it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_STANDARDINPUT_H
#define BANKSTRIPE_TOOL_STANDARDINPUT_H

#include "tool/Options.h"
#include "workers/TemporaryFolder.h"

namespace bankstripe {

/// Standard input as a file.
class StandardInput {
public:
  /// Reads it, and points \p Options to it: what it includes lies in the
  /// current folder, and its kernels are loaded by name unless the user says
  /// otherwise. Errors: it cannot be read, or is no text.
  static llvm::Expected<StandardInput> open(ToolOptions &Options);

  const std::string &text() const { return Text; }

private:
  StandardInput(TemporaryFolder Folder, std::string Text)
      : Folder(std::move(Folder)), Text(std::move(Text)) {}

  TemporaryFolder Folder;
  std::string Text;
};

} // namespace bankstripe

#endif
