//===-- Export.cpp - changes for clang-apply-replacements -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One document of clang::tooling's for a whole run. It names files by their
// absolute paths, since whoever applies it may do so from another folder.
//
//===----------------------------------------------------------------------===//

#include "edit/Edit.h"
#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/Support/JSON.h"

using namespace bankstripe;

llvm::Expected<std::string>
bankstripe::replacementsDocument(llvm::ArrayRef<ChangedFile> Changes) {
  clang::tooling::TranslationUnitReplacements Document;
  // Of several main files there is none that stands for all.
  if (Changes.size() == 1)
    Document.MainSourceFile = Changes.front().Path;
  for (const ChangedFile &File : Changes)
    for (const TextEdit &E : File.Edits) {
      if (!llvm::json::isUTF8(E.Text) || !llvm::json::isUTF8(File.Path))
        return llvm::createStringError(
            "cannot export the changes of '" + File.Path +
            "': its name, or text of it that is repeated, is not UTF-8; use "
            "--in-place");
      Document.Replacements.emplace_back(File.Path, E.Offset, E.Length, E.Text);
    }
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::yaml::Output YAML(OS);
  YAML << Document;
  return Text;
}
