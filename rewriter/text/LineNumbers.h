//===-- LineNumbers.h - text that keeps its line numbers --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines that a rewrite adds move those behind them, which a program can see:
// `__LINE__` may be a value. `#line` gives lines the numbers of the original. A
// directive stands only where it cannot part what belongs together: at the
// start of a line with code, outside of parentheses, directives, comments and
// strings. Until the next such line the numbers run on from the one before.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TEXT_LINENUMBERS_H
#define BANKSTRIPE_TEXT_LINENUMBERS_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// \p Text with `#line` directives, so that its lines are called \p Numbers
/// (one for each; what has none is counted on) of the file \p Name.
std::string withLineDirectives(const std::string &Text,
                               const std::vector<unsigned> &Numbers,
                               llvm::StringRef Name);

/// The offsets at which lines begin that a directive may stand before.
std::set<size_t> findSafeLines(const std::string &Text);

/// Whether \p Name can stand in a `#line` directive.
bool canNameInDirective(llvm::StringRef Name);

/// The offsets of the `#line` directives, and lines like `# 12 "name"`, in
/// \p Text, with the number of the line behind each; 0 if a macro has it.
std::map<size_t, unsigned> lineDirectivesIn(const std::string &Text);

/// Whether \p Code computes with `__LINE__`. In a statement, or a macro, with a
/// string or with `__FILE__` it is for a message, which had better name the
/// line of the text that is compiled.
bool computesWithLines(const std::string &Code);

} // namespace bankstripe

#endif
