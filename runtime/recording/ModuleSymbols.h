//===-- ModuleSymbols.h - what device images define -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver gives the address of a variable to whoever knows its name, and
// lists no names. They are in the symbol table of the device image that was
// loaded, an ELF file.
//
// Nothing here knows of the driver. An image is any bytes: one that is no ELF
// file of 64 bits, or that points outside itself, yields what was found so far.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_MODULESYMBOLS_H
#define BANKSTRIPE_RECORDING_MODULESYMBOLS_H

#include <string>
#include <string_view>
#include <vector>

namespace bankstripe::runtime {

/// What an image defines and asks for, by its symbols.
struct ModuleSymbols {
  std::vector<std::string> Variables; ///< In global memory.
  std::vector<std::string> Constants; ///< `__constant__` variables.
  std::vector<std::string> Kernels;   ///< Whose code it holds.
  /// Functions of another image, or of the driver's, that its code calls.
  std::vector<std::string> Outside;
};
ModuleSymbols symbolsOf(std::string_view Image);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_MODULESYMBOLS_H
