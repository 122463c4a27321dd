//===-- Git.h - what git knows of files -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_GIT_H
#define BANKSTRIPE_TOOL_GIT_H

#include "edit/Edit.h"

namespace bankstripe {

/// Those of \p Changes that lie in a work tree of git, are not ignored there,
/// and as they were read are not what was last committed. None where there is
/// no git.
std::vector<std::string> uncommitted(llvm::ArrayRef<ChangedFile> Changes);

} // namespace bankstripe

#endif
