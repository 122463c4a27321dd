//===-- Parameters.cpp - what a kernel is called with again ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Parameters.h"
#include <algorithm>
#include <cstring>

using namespace bankstripe::runtime;

bool bankstripe::runtime::haveSameLayout(const CapturedKernel &A,
                                         const CapturedKernel &B) {
  return std::ranges::equal(
      A.Parameters, B.Parameters,
      [](const CapturedParameter &X, const CapturedParameter &Y) {
        return X.Offset == Y.Offset && X.Bytes.size() == Y.Bytes.size();
      });
}

static void movePointers(std::string &Bytes,
                         const std::vector<MovedVariable> &Moved) {
  uint64_t Word = 0;
  for (size_t At = 0; At + sizeof Word <= Bytes.size(); At += sizeof Word) {
    std::memcpy(&Word, Bytes.data() + At, sizeof Word);
    for (const MovedVariable &V : Moved)
      if (Word >= V.Was.Address && Word < V.Was.end()) {
        Word += V.IsAt - V.Was.Address;
        std::memcpy(Bytes.data() + At, &Word, sizeof Word);
        break;
      }
  }
}

std::string bankstripe::runtime::parameterBuffer(
    const std::vector<CapturedParameter> &Parameters,
    const std::vector<MovedVariable> &Moved) {
  // Far above what any GPU takes; an offset beyond is a fault of the file.
  constexpr uint64_t MostBytes = 1 << 20;
  std::string Buffer;
  for (const CapturedParameter &P : Parameters) {
    if (P.Offset > MostBytes || P.Bytes.size() > MostBytes)
      continue;
    std::string Bytes = P.Bytes;
    movePointers(Bytes, Moved);
    Buffer.resize(std::max<size_t>(Buffer.size(), P.Offset + Bytes.size()));
    std::memcpy(Buffer.data() + P.Offset, Bytes.data(), Bytes.size());
  }
  return Buffer;
}
