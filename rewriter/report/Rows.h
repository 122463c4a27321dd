//===-- Rows.h - the table of a kernel in the text form ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row has a name and a text, which is wrapped where the terminal ends.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_ROWS_H
#define BANKSTRIPE_REPORT_ROWS_H

#include "model/Plan.h"
#include "llvm/Support/raw_ostream.h"

namespace bankstripe {

/// Prints one row.
void printRow(llvm::raw_ostream &OS, llvm::StringRef Name,
              const std::string &Text);

/// `64 > 60`; `64` if both are the same.
std::string changeText(const std::string &Before, const std::string &After);
std::string changeText(uint64_t Before, uint64_t After);

/// Prints where the prediction for kernel \p K comes from
/// (docs/guide/report.md).
void printExplanation(llvm::raw_ostream &OS, const KernelPlan &K);

} // namespace bankstripe

#endif
