//===-- Ptxas.cpp - ask ptxas for a kernel's resources --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one file with nvcc as the user's own command would, as far as the
// device code is concerned, for one architecture, and reads ptxas' report. A
// command for nvcc is repeated without what names outputs, phases, other
// architectures and link inputs; of one for Clang, what both compilers
// understand is kept.
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"
#include "evidence/NvccCommand.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// A file in the temporary folder that goes away with this object.
class TemporaryFile {
public:
  static Expected<TemporaryFile> create(StringRef Suffix) {
    SmallString<128> Path;
    if (std::error_code EC =
            sys::fs::createTemporaryFile("bankstripe", Suffix, Path))
      return createStringError(EC, "cannot create a temporary file: " +
                                       EC.message());
    return TemporaryFile(Path);
  }
  StringRef path() const { return Path; }

private:
  explicit TemporaryFile(StringRef P)
      : Path(P), Remover(std::make_unique<FileRemover>(P)) {}

  std::string Path;
  std::unique_ptr<FileRemover> Remover;
};

/// Runs \p Command in \p Directory, with all output into \p Output. The folder
/// is changed in a shell, since this process may have other threads.
Error runIn(StringRef Directory, ArrayRef<std::string> Command,
            StringRef Output) {
  SmallVector<StringRef> Args{"sh", "-c", "cd \"$0\" && exec \"$@\"",
                              Directory.empty() ? "." : Directory};
  Args.append(Command.begin(), Command.end());
  std::optional<StringRef> Redirects[] = {StringRef(), Output, Output};
  std::string Problem;
  int Status =
      sys::ExecuteAndWait("/bin/sh", Args, std::nullopt, Redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &Problem);
  if (Status == 0)
    return Error::success();
  if (!Problem.empty())
    return createStringError(Problem);
  return createStringError("exit status " + Twine(Status));
}

/// Each kernel's code is a section `.text.NAME` of the cubin, which is an ELF
/// file. One that cannot be read tells nothing.
void addCodeBytes(StringRef Cubin, ResourceTable &Table) {
  auto Buffer = MemoryBuffer::getFile(Cubin);
  if (!Buffer)
    return;
  auto File = object::ELFFile<object::ELF64LE>::create((*Buffer)->getBuffer());
  if (!File)
    return consumeError(File.takeError());
  auto Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError());
  for (const auto &Section : *Sections) {
    auto Name = File->getSectionName(Section);
    if (!Name)
      return consumeError(Name.takeError());
    if (!Name->consume_front(".text."))
      continue;
    if (auto Found = Table.find(Name->str()); Found != Table.end())
      Found->second.CodeBytes = Section.sh_size;
  }
}

} // namespace

Expected<ResourceTable> runPtxas(const CompileJob &Job, StringRef Nvcc,
                                 StringRef File,
                                 ArrayRef<std::string> ExtraArgs) {
  auto Cubin = TemporaryFile::create("cubin");
  if (!Cubin)
    return Cubin.takeError();
  auto Output = TemporaryFile::create("txt");
  if (!Output)
    return Output.takeError();
  std::vector<std::string> Command =
      nvccCommand(Job, Nvcc, File, ExtraArgs, Cubin->path());
  Error Failure = runIn(Job.Directory, Command, Output->path());
  auto Text = MemoryBuffer::getFile(Output->path());
  if (Failure)
    return createStringError(
        "nvcc failed on '" + File + "' (" + toString(std::move(Failure)) +
        "): " + (Text ? (*Text)->getBuffer().rtrim() : ""));
  if (!Text)
    return createStringError(Text.getError(),
                             "cannot read the output of nvcc: " +
                                 Text.getError().message());
  ResourceTable Table = parsePtxasReport((*Text)->getBuffer());
  addCodeBytes(Cubin->path(), Table);
  return Table;
}

} // namespace bankstripe
