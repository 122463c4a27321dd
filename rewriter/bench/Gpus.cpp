//===-- Gpus.cpp - the GPUs that replay -----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Gpus.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

Gpus::Gpus(const std::string &Folder, unsigned AtATime) : AtATime(AtATime) {
  llvm::SmallVector<StringRef> Names;
  const char *Visible = std::getenv("CUDA_VISIBLE_DEVICES");
  StringRef(Visible ? Visible : "").split(Names, ',', -1, /*KeepEmpty=*/false);
  if (Names.size() < 2)
    Names = {""};
  for (StringRef Name : Names) {
    Gpu &G = All.emplace_back();
    G.Name = Name.trim().str();
    G.Lock = Folder + "/gpu" + std::to_string(All.size());
    close(open(G.Lock.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0600));
  }
}

Gpu *Gpus::findFree() {
  Gpu *Best = nullptr;
  for (Gpu &G : All)
    if (!G.IsLeftOut && G.Running < AtATime &&
        (!Best || G.Running < Best->Running))
      Best = &G;
  return Best;
}

size_t Gpus::freePlaces() const {
  size_t Free = 0;
  for (const Gpu &G : All)
    Free += G.IsLeftOut ? 0 : AtATime - G.Running;
  return Free;
}

bool Gpus::leaveOut(Gpu &G) {
  G.IsLeftOut = &G != &All.front();
  return G.IsLeftOut;
}
