//===-- Sections.h - the parts of the HTML report ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function makes one <section>, or nothing when there is nothing to say.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_SECTIONS_H
#define BANKSTRIPE_PAGE_SECTIONS_H

#include "page/Page.h"
#include "page/Rows.h"

namespace bankstripe::runtime {

/// The style and the script, which the build embeds.
extern const char *const HtmlStyle;
extern const char *const HtmlScript;

/// A section with its heading. \p Body is HTML, the rest is text.
std::string htmlSection(const std::string &Id, const std::string &Heading,
                        const std::string &Body);

/// A table that scrolls by itself where the window is too narrow for it.
/// \p Attributes of it and \p Rows, which is everything but the caption, are
/// HTML.
std::string htmlTable(const std::string &Attributes, const std::string &Caption,
                      const std::string &Rows);

/// The first row of a table, of column headings in HTML.
std::string htmlColumns(const std::vector<std::string> &Headings);

/// A cell with a figure, and with the value by which its column is sorted if
/// that is not its text.
std::string htmlCell(const std::string &Text, std::optional<double> Value);

// Measured.cpp: what was measured.
std::string speedupSection(const KernelRows &Kernels);
/// \p Total is that of the whole program.
std::string timeSection(const KernelRows &Kernels, const PairedTimes &Total);
std::string resourceSection(const KernelRows &Kernels,
                            const std::optional<GpuFacts> &Gpu);

// Source.cpp and Terms.cpp: what was planned.
std::string changesSection(const HtmlPlan &Plan);
std::string unchangedSection(const HtmlPlan &Plan);
std::string termsSection(const HtmlPlan &Plan, const KernelRows &Kernels);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_SECTIONS_H
