//===-- UserFiles.cpp - what the files of a parse say ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers of the toolkit, of Clang and of the standard library ask which side
// they are compiled for, and tell both the same. Those that a command brings
// along by `-isystem`, as CMake has it for imported targets, may not.
//
//===----------------------------------------------------------------------===//

#include "frontend/UserFiles.h"
#include "frontend/CompilerOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// How sources ask whether they are compiled for the device, be it through
/// macros of the toolkit.
constexpr StringLiteral SideWords[] = {
    "CUDA_ARCH",          "PTX_ARCH",        "NV_IS_",
    "NV_PROVIDES_",       "IS_DEVICE_CODE",  "IS_HOST_CODE",
    "DEVICE_COMPILATION", "HOST_COMPILATION"};
/// How they ask who compiles them.
constexpr StringLiteral CompilerWords[] = {"__NVCC__", "__clang__"};

using FileInfo = clang::SrcMgr::FileInfo;

void forEachFile(
    const clang::SourceManager &Sources,
    function_ref<void(const FileInfo &, clang::SourceLocation, StringRef)>
        Visit,
    unsigned First = 0) {
  for (unsigned I = First; I < Sources.local_sloc_entry_size(); ++I) {
    const clang::SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
    // What is no file are the macros that the compiler starts with.
    if (!Entry.isFile() || !Entry.getFile().getContentCache().OrigEntry)
      continue;
    const auto Start =
        clang::SourceLocation::getFromRawEncoding(Entry.getOffset());
    Visit(Entry.getFile(), Start,
          Sources.getBufferData(Sources.getFileID(Start)));
  }
}

bool isSystemFile(const FileInfo &File) {
  return clang::SrcMgr::isSystem(File.getFileCharacteristic());
}

bool containsAny(StringRef Text, ArrayRef<StringLiteral> Words) {
  return any_of(Words, [&](StringRef Word) { return Text.contains(Word); });
}

/// The folders that \p Args give by `-isystem`, with a slash, but for those of
/// the toolkit.
std::vector<std::string> givenFolders(ArrayRef<std::string> Args) {
  std::vector<std::string> Folders;
  for (const CompilerOption &Option : readOptions(Dialect::Clang, Args)) {
    const std::string Folder = StringRef(Option.Value).rtrim('/').str() + "/";
    if (startsWithAny(Option.Words.front(),
                      "-isystem -cxx-isystem -idirafter") &&
        !sys::fs::exists(Folder + "cuda_runtime.h") &&
        !sys::fs::exists(Folder + "cuda/std/version"))
      Folders.push_back(Folder);
  }
  return Folders;
}

} // namespace

void forEachUserFile(const clang::SourceManager &Sources,
                     function_ref<void(clang::SourceLocation, StringRef)> Visit,
                     unsigned First) {
  forEachFile(
      Sources,
      [&](const FileInfo &File, clang::SourceLocation Start, StringRef Text) {
        if (!isSystemFile(File))
          Visit(Start, Text);
      },
      First);
}

bool asksForSide(const clang::SourceManager &Sources,
                 ArrayRef<std::string> Args) {
  const std::vector<std::string> Folders = givenFolders(Args);
  auto IsGiven = [&](StringRef Name) {
    return any_of(Folders, [&](StringRef F) { return Name.starts_with(F); });
  };
  bool Asks = false;
  forEachFile(Sources, [&](const FileInfo &File, clang::SourceLocation,
                           StringRef Text) {
    Asks = Asks || ((!isSystemFile(File) || IsGiven(File.getName())) &&
                    containsAny(Text, SideWords));
  });
  return Asks;
}

bool asksForCompiler(const clang::SourceManager &Sources, unsigned First) {
  bool Asks = false;
  forEachUserFile(
      Sources,
      [&](clang::SourceLocation, StringRef Text) {
        Asks = Asks || containsAny(Text, CompilerWords);
      },
      First);
  return Asks;
}

} // namespace bankstripe
