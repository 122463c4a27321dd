//===-- UnsureConstants.h - constants that are others for nvcc -----*- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_UNSURECONSTANTS_H
#define BANKSTRIPE_FIND_UNSURECONSTANTS_H

#include "frontend/UserFiles.h"
#include "clang/AST/ASTContext.h"
#include <string>

namespace bankstripe {

/// What Clang's parse for the device says of constants, and nvcc may not.
struct UnsureConstants {
  /// The first place at which both may compute different ones; invalid if
  /// there is none.
  clang::SourceLocation Where;
  std::string Asked; ///< There: `the text of __PRETTY_FUNCTION__`.
  /// Something has the size that the host gives it (`long double`).
  bool HaveHostSizes = false;
};

/// Looks through the user's code in \p Context, and the instances of its
/// templates; and through what it names of the system headers in \p Given.
UnsureConstants findUnsureConstants(clang::ASTContext &Context,
                                    const GivenFolders &Given);

} // namespace bankstripe

#endif
