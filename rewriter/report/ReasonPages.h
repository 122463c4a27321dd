//===-- ReasonPages.h - docs/reference/reasons/ in the program --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pages that explain the reasons are written as documents and compiled in
// as text, so that the program and the documents say the same.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_REASONPAGES_H
#define BANKSTRIPE_REPORT_REASONPAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace bankstripe {

/// One page.
struct ReasonPage {
  llvm::StringRef Id;   ///< As in ReasonInfo.
  llvm::StringRef Text; ///< Markdown, with a newline at its end.
};

/// All pages, by id.
llvm::ArrayRef<ReasonPage> reasonPages();

} // namespace bankstripe

#endif
