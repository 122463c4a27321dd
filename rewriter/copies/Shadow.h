//===-- Shadow.h - rewritten copies in the object's folder ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy lies elsewhere than its original, and must not show it: `#line` gives
// its lines the original's name and numbers, and names of included files lead
// to where they led before (docs/internals/front-end.md). Where a copy cannot
// do that, its header is named, and left as it is.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_COPIES_SHADOW_H
#define BANKSTRIPE_COPIES_SHADOW_H

#include "edit/Edit.h"
#include "text/Includes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// One file of a shadow.
struct ShadowFile {
  std::string Path;     ///< Where the copy lies.
  std::string Original; ///< As the compiler spells it; empty for the helper.
  std::string Text;
};

/// The copies for one object.
struct Shadow {
  std::string Folder;            ///< All of them lie below.
  std::vector<ShadowFile> Files; ///< That of the source first.
  /// A folder to look for quoted names in; empty when none is needed.
  std::string QuoteFolder;
};

/// The folder of the copies for \p Object.
std::string shadowFolder(llvm::StringRef Object);

/// Makes copies of the files of \p Tree that \p Changes change, and of those
/// that include them, below \p Folder. Only if it \p MayNameFolder a folder for
/// quoted names is named; else the names in the copies are whole paths. Errors:
/// a copy would not be read as its original was; the message names the file.
llvm::Expected<Shadow> makeShadow(const IncludeTree &Tree,
                                  const IncludeFolders &Folders,
                                  llvm::ArrayRef<ChangedFile> Changes,
                                  llvm::StringRef Folder, bool MayNameFolder);

/// Writes what is not there yet. Files that hold the same are not touched.
llvm::Error writeShadow(const Shadow &S);

/// The dependency file \p Text with other names: \p NamesFor gives those to put
/// in the place of a name, none to keep it. All else stays as it is. The files
/// \p Removable, where they are not empty, get a rule without dependencies:
/// when one is gone, make goes on, as with -MP.
std::string renameDependencies(
    llvm::StringRef Text,
    llvm::function_ref<std::vector<std::string>(llvm::StringRef)> NamesFor,
    llvm::ArrayRef<std::string> Removable = {});

} // namespace bankstripe

#endif
