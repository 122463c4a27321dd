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
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

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
/// How they ask for their place, otherwise than by `__LINE__`.
constexpr StringLiteral PlaceWords[] = {"source_location", "__builtin_LINE",
                                        "__builtin_COLUMN",
                                        "__builtin_FUNCTION"};

/// How the functions begin that read textures and write surfaces.
constexpr StringLiteral TextureWords[] = {"tex1D",   "tex2D",   "tex3D",
                                          "texCube", "surf1D",  "surf2D",
                                          "surf3D",  "surfCube"};

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

bool hasToolkit(StringRef Folder) {
  return sys::fs::exists(Folder + "cuda_runtime.h") ||
         sys::fs::exists(Folder + "cuda/std/version");
}

} // namespace

GivenFolders::GivenFolders(ArrayRef<std::string> Args) {
  auto Add = [&](StringRef Given) {
    const std::string Folder = Given.rtrim('/').str() + "/";
    if (!Given.empty() && !hasToolkit(Folder))
      Folders.push_back(Folder);
  };
  for (const CompilerOption &Option : readOptions(Dialect::Clang, Args))
    if (startsWithAny(Option.Words.front(), "-isystem -cxx-isystem -idirafter"))
      Add(Option.Value);
  const std::string Listed =
      sys::Process::GetEnv("CPLUS_INCLUDE_PATH").value_or("");
  for (StringRef Folder : split(Listed, ':'))
    Add(Folder);
}

bool GivenFolders::contain(StringRef File) const {
  return any_of(Folders,
                [&](StringRef Folder) { return File.starts_with(Folder); });
}

bool GivenFolders::contain(const clang::SourceManager &Sources,
                           clang::SourceLocation Where) const {
  const auto File = Sources.getFileEntryRefForID(
      Sources.getFileID(Sources.getExpansionLoc(Where)));
  return File && contain(File->getName());
}

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

static bool anyContains(const clang::SourceManager &Sources,
                        const GivenFolders &Given,
                        ArrayRef<StringLiteral> Words) {
  bool Found = false;
  forEachFile(Sources, [&](const FileInfo &File, clang::SourceLocation,
                           StringRef Text) {
    Found = Found || ((!isSystemFile(File) || Given.contain(File.getName())) &&
                      containsAny(Text, Words));
  });
  return Found;
}

bool asksForSide(const clang::SourceManager &Sources,
                 const GivenFolders &Given) {
  return anyContains(Sources, Given, SideWords);
}

bool asksForPlaces(const clang::SourceManager &Sources,
                   const GivenFolders &Given) {
  return anyContains(Sources, Given, PlaceWords);
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

bool namesTextures(StringRef Source) {
  return containsAny(Source, TextureWords);
}

} // namespace bankstripe
