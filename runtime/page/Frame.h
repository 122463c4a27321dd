//===-- Frame.h - the page without its data ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file that needs nothing else: no network, no fonts. page.html, Page.css
// and the scripts beside this file show the JSON document that is put into it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_FRAME_H
#define BANKSTRIPE_PAGE_FRAME_H

#include <string>

namespace bankstripe {

/// A whole HTML document that shows \p Json, an object with `version` and
/// either `tune` (docs/guide/tune.md) or `verify` and others (page/Page.h). In
/// JSON `<` is in strings alone; it is escaped, so that nothing ends the
/// element that holds the data.
std::string pageWith(const std::string &Json);

} // namespace bankstripe

#endif // BANKSTRIPE_PAGE_FRAME_H
