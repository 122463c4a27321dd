//===-- Reader.h - what the targets here have in common ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each target gives a reader what libFuzzer makes of its seeds. Beside the
// faults that AddressSanitizer finds, a reader must not take more memory than
// its input explains: what a file says of sizes is checked against the file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_READERS_READER_H
#define BANKSTRIPE_TESTS_READERS_READER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Files that the reader takes.
std::vector<std::string> seeds();

/// Reads \p Input, which may be no such file.
void readInput(std::string_view Input);

/// How many bytes the reader may hold for \p Input; why, it says.
size_t mostBytesFor(std::string_view Input);

#endif
