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
#include "workers/Process.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace bankstripe {
namespace {

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
  SmallString<128> Cubin;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("bankstripe", "cubin", Cubin))
    return createStringError(EC,
                             "cannot create a temporary file: " + EC.message());
  const FileRemover Remover(Cubin);
  const ProcessResult Ended =
      runProcess(nvccCommand(Job, Nvcc, File, ExtraArgs, Cubin),
                 Output::Together, Job.Directory);
  if (!Ended.succeeded())
    return createStringError("nvcc failed on '" + File + "' (it " +
                             Ended.problem() +
                             "): " + StringRef(Ended.Out).rtrim());
  ResourceTable Table = parsePtxasReport(Ended.Out);
  addCodeBytes(Cubin, Table);
  return Table;
}

} // namespace bankstripe
