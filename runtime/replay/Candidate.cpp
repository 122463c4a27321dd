//===-- Candidate.cpp - what is launched beside the original --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Candidate.h"
#include "recorder/Modules.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;

std::string
bankstripe::runtime::kernelIn(const std::vector<std::string> &InModule,
                              const std::string &Symbol, bool MayBeVersion) {
  const std::string Name = kernelName(Symbol);
  std::string Found = Symbol;
  for (const std::string &Kernel : InModule) {
    if (kernelName(Kernel) != Name)
      continue;
    const bool IsVersion = canonicalName(Kernel) != Name;
    if (IsVersion && MayBeVersion)
      return Kernel;
    if (!IsVersion && std::ranges::find(InModule, Symbol) == InModule.end())
      Found = Kernel;
  }
  return Found;
}

std::string bankstripe::runtime::substitute(const Candidate &New, Capture &In) {
  if (New.Module.empty() && !New.SharedBytes)
    return "";
  if (!In.Rewritten)
    In.Rewritten = In.Original;
  CapturedKernel &K = *In.Rewritten;
  K.DynamicSharedBytes =
      New.SharedBytes.value_or(In.Original.DynamicSharedBytes);
  K.Carveout = New.Carveout.value_or(In.Original.Carveout);
  const unsigned Threads = K.Block.X * K.Block.Y * K.Block.Z;
  constexpr unsigned Mark = 41; // detail::mark
  if (New.WarpBytes)
    K.DynamicSharedBytes = (K.DynamicSharedBytes + 15) / 16 * 16 +
                           (Threads + 31) / 32 * New.WarpBytes + Mark;
  if (New.Module.empty())
    return "";
  std::optional<std::string> Image = readFile(New.Module);
  if (!Image || Image->empty())
    return "cannot read '" + New.Module + "'";
  K.Image = std::move(*Image);
  K.Symbol = kernelIn(symbolsOf(K.Image).Kernels, In.Original.Symbol,
                      !New.MostThreads || Threads <= New.MostThreads);
  return "";
}

std::string bankstripe::runtime::readCandidates(const std::string &Path,
                                                std::vector<Candidate> &Into) {
  // The library has no other way to say what is wrong.
  try {
    for (const auto &One : nlohmann::json::parse(readFile(Path).value_or(""))) {
      Candidate &C = Into.emplace_back();
      C.Module = One.at("module");
      C.WarpBytes = One.value("warp-bytes", 0U);
      C.MostThreads = One.value("most-threads", 0U);
      if (One.contains("carveout"))
        C.Carveout = One["carveout"] == "auto" ? CarveoutOfGrid
                                               : One["carveout"].get<int>();
    }
  } catch (const std::exception &Error) {
    return "'" + Path + "' is no list of candidates: " + Error.what();
  }
  return Into.empty() ? "'" + Path + "' lists no candidate" : "";
}
