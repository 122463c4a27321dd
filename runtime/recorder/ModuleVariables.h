//===-- ModuleVariables.h - variables of a device image ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver gives the address of a `__device__` variable to whoever knows its
// name, and lists no names. They stand in the symbol table of the device image
// that was loaded, an ELF file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_MODULEVARIABLES_H
#define BANKSTRIPE_RECORDER_MODULEVARIABLES_H

#include <cstddef>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// The symbols of the variables in global memory that an image defines.
///
/// \param Image,Bytes the image; anything that is no ELF file of 64 bits, or
/// that points outside itself, yields the symbols found so far.
std::vector<std::string> variableSymbols(const void *Image, size_t Bytes);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_MODULEVARIABLES_H
