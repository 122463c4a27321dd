//===-- Files.cpp - whole files -------------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Files.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

std::optional<std::string>
bankstripe::runtime::readFile(const std::string &Path) {
  std::error_code Error;
  std::ifstream Input(Path, std::ios::binary);
  if (!Input || fs::is_directory(Path, Error))
    return std::nullopt;
  // An iterator would throw where reading fails; this does not.
  std::ostringstream Text;
  if (Input.peek() != std::ifstream::traits_type::eof())
    Text << Input.rdbuf();
  return Input.bad() ? std::nullopt : std::optional(Text.str());
}

bool bankstripe::runtime::writeFile(const std::string &Path,
                                    const std::string &Text) {
  if (Path == "-")
    return std::fputs(Text.c_str(), stdout) >= 0;
  std::ofstream File(Path, std::ios::binary);
  File << Text;
  File.close();
  return File.good();
}
