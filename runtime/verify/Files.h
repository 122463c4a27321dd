//===-- Files.h - whole files -----------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_FILES_H
#define BANKSTRIPE_VERIFY_FILES_H

#include <optional>
#include <string>

namespace bankstripe::runtime {

/// None when \p Path cannot be read, as a folder cannot.
std::optional<std::string> readFile(const std::string &Path);

/// \param Path "-" for standard output.
/// \return whether everything was written.
bool writeFile(const std::string &Path, const std::string &Text);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_FILES_H
