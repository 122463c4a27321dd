//===-- Identity.cpp - programs and surroundings, for keys ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This program is known by the build ids that linkers leave in programs and
// libraries: copies of one build are the same, two builds of one version are
// not. Compilers are known by name, size and time, as ccache does it, since
// hashing them would take longer than all else.
//
//===----------------------------------------------------------------------===//

#include "cache/Cache.h"
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>
#include <link.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Larger files are no scripts.
static constexpr uint64_t LargestScript = 64 * 1024;

std::string bankstripe::identityOfFile(StringRef Path) {
  llvm::SmallString<256> Real;
  fs::file_status Status;
  if (fs::real_path(Path, Real) || fs::status(Real, Status))
    return (Path + " is not there\n").str();
  std::string Text =
      (Path + " " + Real + " " + llvm::Twine(Status.getSize()) + " " +
       llvm::Twine(Status.getLastModificationTime().time_since_epoch().count()))
          .str();
  if (Status.getSize() <= LargestScript &&
      Status.type() == fs::file_type::regular_file)
    if (auto Script = readText(Real))
      Text += " " + strongDigestOf(*Script);
  return Text + "\n";
}

std::string bankstripe::identityOfLibrary(const char *Name) {
  link_map *Found = nullptr;
  void *Library = dlopen(Name, RTLD_LAZY | RTLD_NOLOAD);
  if (!Library)
    return "";
  if (dlinfo(Library, RTLD_DI_LINKMAP, static_cast<void *>(&Found)) != 0)
    Found = nullptr;
  std::string Text = Found ? identityOfFile(Found->l_name) : "";
  dlclose(Library);
  return Text;
}

// Adds the program or library to a text, by the file that holds it.
static int addObject(dl_phdr_info *Object, size_t, void *Into) {
  std::string &Text = *static_cast<std::string *>(Into);
  const std::string File =
      *Object->dlpi_name ? Object->dlpi_name
                         : fs::getMainExecutable(
                               nullptr, reinterpret_cast<void *>(&ownIdentity));
  const auto Opened = llvm::expectedToOptional(
      llvm::object::ObjectFile::createObjectFile(File));
  const auto Id = Opened ? llvm::object::getBuildID(Opened->getBinary())
                         : llvm::object::BuildIDRef();
  Text += Id.empty() ? identityOfFile(File) : llvm::toHex(Id) + "\n";
  return 0;
}

std::string bankstripe::ownIdentity() {
  static const std::string Identity = [] {
    std::string Text;
    dl_iterate_phdr(addObject, &Text);
    return strongDigestOf(Text);
  }();
  return Identity;
}

// All programs of one of Names on PATH: any of them may be started, behind
// launchers that stand before the others.
static std::string identityOnPath(llvm::ArrayRef<StringRef> Names) {
  std::string Text;
  llvm::SmallVector<StringRef, 32> Folders;
  const std::string Path = llvm::sys::Process::GetEnv("PATH").value_or("");
  StringRef(Path).split(Folders, llvm::sys::EnvPathSeparator, -1, false);
  for (StringRef Folder : Folders)
    for (StringRef Name : Names)
      if (const std::string File = (Folder + "/" + Name).str();
          fs::exists(File))
        Text += identityOfFile(File);
  return Text;
}

std::string bankstripe::identityOfNvcc(StringRef Nvcc, StringRef HostCompiler) {
  std::string Text = identityOfFile(Nvcc);
  const std::string Real = realPath(Nvcc);
  const StringRef Root = path::parent_path(path::parent_path(Real));
  for (const char *Name :
       {"bin/ptxas", "bin/cudafe++", "bin/nvcc.profile", "nvvm/bin/cicc",
        "nvvm/libdevice/libdevice.10.bc", "version.json"})
    Text += identityOfFile((Root + "/" + Name).str());
  if (HostCompiler.contains('/'))
    Text += identityOfFile(HostCompiler);
  else if (!HostCompiler.empty())
    Text += identityOnPath({HostCompiler});
  return Text + identityOnPath({"gcc", "g++", "cc", "c++", "clang", "clang++",
                                "nvc++", "ptxas", "cicc"});
}

static std::string environment(llvm::ArrayRef<StringRef> Names,
                               llvm::ArrayRef<StringRef> Prefixes) {
  std::vector<StringRef> Found;
  for (char **Entry = environ; *Entry; ++Entry) {
    const StringRef Name = StringRef(*Entry).split('=').first;
    if (llvm::is_contained(Names, Name) ||
        llvm::any_of(Prefixes,
                     [&](StringRef P) { return Name.starts_with(P); }))
      Found.emplace_back(*Entry);
  }
  llvm::sort(Found);
  return llvm::join(Found, "\n");
}

std::string bankstripe::environmentOfClang() {
  return environment({"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                      "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH", "SDKROOT",
                      "SOURCE_DATE_EPOCH", "COMPILER_PATH", "LIBRARY_PATH",
                      "GCC_EXEC_PREFIX", "HOME"},
                     {"CLANG_", "CCC_", "LLVM_"});
}

std::string bankstripe::environmentOfNvcc() {
  return environment(
      {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "CPATH", "C_INCLUDE_PATH",
       "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "COMPILER_PATH",
       "LIBRARY_PATH", "HOME", "CC", "CXX", "TOP", "INCLUDES",
       "SYSTEM_INCLUDES", "LIBRARIES"},
      {"CUDA", "NVCC", "CICC", "NVVM", "PTXAS", "GCC_", "CUDAFE", "CCACHE_"});
}
