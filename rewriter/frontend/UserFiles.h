//===-- UserFiles.h - what the files of a parse say -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_USERFILES_H
#define BANKSTRIPE_FRONTEND_USERFILES_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace clang {
class SourceManager;
} // namespace clang

namespace bankstripe {

/// The folders of system headers that are given to a compiler for Clang with
/// \p Args, and so are the user's choice: by `-isystem` or in the environment.
/// Those with a toolkit are left out.
class GivenFolders {
public:
  explicit GivenFolders(llvm::ArrayRef<std::string> Args);
  bool contain(llvm::StringRef File) const;
  /// The file that \p Where, or the macro there, is in.
  bool contain(const clang::SourceManager &Sources,
               clang::SourceLocation Where) const;

private:
  std::vector<std::string> Folders; ///< With a slash at the end.
};

/// Calls \p Visit with each file that \p Sources has read and that is no system
/// header: where it begins, and its text. Leaves out the \p First entries.
void forEachUserFile(
    const clang::SourceManager &Sources,
    llvm::function_ref<void(clang::SourceLocation, llvm::StringRef)> Visit,
    unsigned First = 0);

/// Whether one of these files asks which side it is compiled for
/// (`__CUDA_ARCH__`), or a header in \p Given.
bool asksForSide(const clang::SourceManager &Sources,
                 const GivenFolders &Given);

/// Whether one of these asks where its text stands, or in which function, as
/// `std::source_location` does: not by `__LINE__` or `__func__`.
bool asksForPlaces(const clang::SourceManager &Sources,
                   const GivenFolders &Given);

/// Whether one of these files asks who compiles it. Leaves out the \p First
/// entries.
bool asksForCompiler(const clang::SourceManager &Sources, unsigned First);

/// Whether \p Source names what reads a texture or writes a surface.
bool namesTextures(llvm::StringRef Source);

} // namespace bankstripe

#endif
