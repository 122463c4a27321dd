//===-- Identity.h - programs and surroundings, for keys --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an answer depends on besides its command and the files that are read:
// which programs gave it, and what they were told by the environment.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CACHE_IDENTITY_H
#define BANKSTRIPE_CACHE_IDENTITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace bankstripe {

/// Tells this program from all other builds of it, with the libraries that it
/// runs with. Empty when that cannot be told.
std::string ownIdentity();

/// Tells the file \p Path from others that stood or will stand there: by its
/// real name, size and time, scripts by their text.
std::string identityOfFile(llvm::StringRef Path);

/// Tells nvcc at \p Nvcc, with the compilers that it runs, from other ones.
/// \p HostCompiler is the one that its command names, or empty.
std::string identityOfNvcc(llvm::StringRef Nvcc, llvm::StringRef HostCompiler);

/// The variables that Clang looks at, with their values.
std::string environmentOfClang();

/// Those that nvcc and the programs that it runs look at.
std::string environmentOfNvcc();

} // namespace bankstripe

#endif
