//===-- Gpus.cpp - the GPUs that replay -----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Gpus.h"
#include "contract/Process.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/DynamicLibrary.h"
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;

// With the types and numbers of cuda.h. The first device is 0.
static std::string askDriver() {
  using llvm::sys::DynamicLibrary;
  constexpr int MajorAttribute = 75, MinorAttribute = 76;
  auto *const Init = reinterpret_cast<int (*)(unsigned)>(
      DynamicLibrary::SearchForAddressOfSymbol("cuInit"));
  auto *const Ask = reinterpret_cast<int (*)(int *, int, int)>(
      DynamicLibrary::SearchForAddressOfSymbol("cuDeviceGetAttribute"));
  int Major = 0, Minor = 0;
  if (!Init || !Ask || Init(0) || Ask(&Major, MajorAttribute, 0) ||
      Ask(&Minor, MinorAttribute, 0))
    return "";
  return "sm_" + std::to_string(Major) + std::to_string(Minor);
}

// The driver starts threads, which a process with workers must not have.
std::string bankstripe::architectureOfGpu() {
  return Process(askDriver, Output::Together).wait().Answer;
}

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
