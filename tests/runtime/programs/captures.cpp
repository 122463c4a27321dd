//===-- captures.cpp - looks into a capture -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: captures FILE
//
// Prints what is in it, of memory how many pages there are and were changed,
// and the first and the last 32-bit word before and after the launch.
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include <cstring>
#include <iostream>

using namespace bankstripe;
using namespace bankstripe::runtime;

static void printKernel(const char *Which, const CapturedKernel &K) {
  std::cout << Which << ' ' << canonicalName(K.Symbol) << ", image of "
            << K.Image.size() << " bytes, grid " << K.Grid.X << " block "
            << K.Block.X << " shared " << K.DynamicSharedBytes << " of "
            << K.MostDynamicSharedBytes << " cluster " << K.Cluster.X
            << " carveout " << K.Carveout << " stack " << K.StackBytes
            << " heap " << K.HeapBytes << " printf " << K.PrintBytes
            << (K.IsCooperative ? " cooperative" : "") << '\n';
  for (const CapturedParameter &P : K.Parameters)
    std::cout << Which << " parameter of " << P.Bytes.size() << " bytes at "
              << P.Offset << '\n';
}

static uint32_t wordAt(const CapturedPage &Page, uint64_t Bytes,
                       uint64_t Offset) {
  uint32_t Word = 0;
  const std::string All = pageBytes(Page, Bytes);
  if (Offset + sizeof Word <= All.size())
    std::memcpy(&Word, All.data() + Offset, sizeof Word);
  return Word;
}

static void printMemory(const CapturedMemory &M) {
  const uint64_t Pages = M.Before.size();
  const uint64_t LastBytes = M.Bytes - (Pages - 1) * CapturePageBytes;
  const uint64_t FirstBytes = Pages == 1 ? LastBytes : CapturePageBytes;
  const auto After = [&](uint64_t I) {
    return M.After.size() > I && M.After[I].IsThere ? M.After[I] : M.Before[I];
  };
  uint64_t Changed = 0;
  for (const CapturedPage &Page : M.After)
    Changed += Page.IsThere;
  const uint64_t LastWord = LastBytes < 4 ? 0 : LastBytes - 4;
  std::cout << M.Kind << ' '
            << (M.isVariable() ? canonicalName(M.Symbol)
                               : std::to_string(M.Number))
            << ": " << M.Bytes << " bytes, " << Changed << " of " << Pages
            << " pages changed, " << wordAt(M.Before.front(), FirstBytes, 0)
            << " ... " << wordAt(M.Before.back(), LastBytes, LastWord)
            << " became " << wordAt(After(0), FirstBytes, 0) << " ... "
            << wordAt(After(Pages - 1), LastBytes, LastWord) << '\n';
}

int main(int Count, char **Arguments) {
  if (Count != 2)
    return 2;
  const auto Read = readCapture(Arguments[1]);
  if (const auto *Error = std::get_if<ReadError>(&Read)) {
    std::cerr << Error->Message << '\n';
    return 1;
  }
  const auto &C = std::get<Capture>(Read);
  std::cout << "launch " << C.Program.Launch << " on " << C.Program.Device
            << ", " << C.Program.Capability << '\n';
  printKernel("original", C.Original);
  for (const CapturedMemory &M : C.Memory)
    printMemory(M);
  for (const std::string &Note : C.Notes)
    std::cout << "lacks " << Note << '\n';
  return 0;
}
