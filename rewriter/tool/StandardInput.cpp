//===-- StandardInput.cpp - bankstripe rewrite - --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/StandardInput.h"
#include "edit/Edit.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;

llvm::Expected<StandardInput> StandardInput::open(ToolOptions &Options) {
  auto Input = llvm::MemoryBuffer::getSTDIN();
  if (!Input)
    return llvm::createStringError("cannot read standard input: " +
                                   Input.getError().message());
  auto Folder = TemporaryFolder::create();
  if (!Folder)
    return Folder.takeError();
  const std::string File = realPath(Folder->path()) + "/stdin.cu";
  std::string Text = (*Input)->getBuffer().str();
  if (llvm::Error E = writeOwnFile(File, Text))
    return std::move(E);
  showAsStandardInput(File);
  FrontendOptions &Frontend = Options.Reading.Frontend;
  Options.Reading.Paths = {File};
  Frontend.LooksForDatabase = false;
  Frontend.ExtraArgs.push_back("-I" + realPath("."));
  Options.Planning.EmbedHelper = true;
  if (!Options.Planning.Others)
    Options.Planning.Others = Outside::Loaders;
  return StandardInput(std::move(*Folder), std::move(Text));
}
