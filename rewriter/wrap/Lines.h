//===-- Lines.h - rewritten text that keeps its line numbers ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_LINES_H
#define BANKSTRIPE_WRAP_LINES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

/// \p Text with `#line` directives, so that its lines are called \p Numbers
/// (one for each) of the file \p Name. A directive stands only where it cannot
/// part what belongs together: at the start of a line with code, outside of
/// parentheses, directives, comments and strings. Until the next such line the
/// numbers run on from the one before.
std::string withLineDirectives(const std::string &Text,
                               const std::vector<unsigned> &Numbers,
                               llvm::StringRef Name);

/// Whether \p Name can stand in a `#line` directive.
bool canNameInDirective(llvm::StringRef Name);

} // namespace bankstripe

#endif
