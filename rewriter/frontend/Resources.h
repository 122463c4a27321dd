//===-- Resources.h - files that a parse needs besides ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's own headers, which lie on disk, and the tool's own, which are served
// from memory.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_RESOURCES_H
#define BANKSTRIPE_FRONTEND_RESOURCES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <string>
#include <vector>

namespace bankstripe {

class ParseWatch;

/// Clang's resource directory: beside this executable, as configured, or where
/// installations of LLVM usually put it.
llvm::Expected<std::string> findResourceDirectory();

/// What makes Clang find the header whose absence its \p Diagnostics report, as
/// the end of a message; empty where none is missing.
std::string cureOfMissingHeader(llvm::StringRef Diagnostics);

/// The disk, with its own working directory \p Directory, and over it the
/// headers that the tool serves. To be used by one parse, which \p Watch, if
/// there is one, sees.
llvm::Expected<llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>>
openFileSystem(llvm::StringRef Directory,
               llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Served,
               ParseWatch *Watch = nullptr);

/// A file system in memory that holds the headers that the tool serves.
llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> servedHeaders();

/// Options for Clang's driver that put the built-in declarations in the place
/// of a CUDA toolkit.
std::vector<std::string> builtinCudaArgs();

/// \p Args with their macros of short names, such as `-DN=16`, in a header that
/// \p Served then has: it is read after the toolkit's headers, whose parameters
/// have such names where nvcc does not read them.
std::vector<std::string>
macrosAfterToolkit(llvm::ArrayRef<std::string> Args,
                   llvm::vfs::InMemoryFileSystem &Served);

/// Options that add the nvcc compatibility header.
std::vector<std::string> shimArgs();

// What the build puts into Embedded.cpp.

/// A header that is served to Clang from memory.
struct EmbeddedHeader {
  const char *Path; ///< Such as `cuda/bankstripe_cuda.h`.
  const char *Text;
};

llvm::ArrayRef<EmbeddedHeader> embeddedHeaders();

/// Clang's own headers, as known when the tool was built.
extern const char *const ConfiguredResourceDirectory;

/// What belongs to an installed tool, as a path from where `bin` lies.
extern const char *const OwnFolder;

} // namespace bankstripe

#endif
