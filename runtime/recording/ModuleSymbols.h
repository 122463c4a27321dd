//===-- ModuleSymbols.h - what device images define -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of variables are in the symbol table of the device image that was
// loaded. An image is any bytes: one that is no ELF file of 64 bits, or that
// points outside itself, yields what was found so far.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_MODULESYMBOLS_H
#define BANKSTRIPE_RECORDING_MODULESYMBOLS_H

#include <set>
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

/// Of the images that were loaded, finds the one that the kernel \p Symbol is
/// from. One of a header can be in several, which other kernels tell apart.
///
/// \param Neighbours all kernels of its module, in any order; perhaps none.
/// \returns why it is not known; empty when it is, and then \p Image is it.
std::string findImage(const std::set<std::string> &Images,
                      const std::string &Symbol,
                      std::vector<std::string> Neighbours, std::string &Image);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_MODULESYMBOLS_H
