//===-- ModuleSymbols.h - what a device image defines -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver gives the address of a variable to whoever knows its name, and
// lists no names. They stand in the symbol table of the device image that was
// loaded, an ELF file.
//
// An image is any bytes: one that is no ELF file of 64 bits, or that points
// outside itself, yields what was found so far.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_MODULESYMBOLS_H
#define BANKSTRIPE_RECORDER_MODULESYMBOLS_H

#include <cstddef>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// The symbols of the variables in global memory that an image defines.
std::vector<std::string> variableSymbols(const void *Image, size_t Bytes);

/// Those of its `__constant__` variables.
std::vector<std::string> constantSymbols(const void *Image, size_t Bytes);

/// Whether an image holds the code of the kernel \p Symbol.
bool definesKernel(const void *Image, size_t Bytes, const std::string &Symbol);

/// Whether code of an image calls the function \p Symbol of another one, or
/// of the driver's.
bool callsOutside(const void *Image, size_t Bytes, const std::string &Symbol);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_MODULESYMBOLS_H
