//===-- ParameterEdits.cpp - parameters by value --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     __device__ float f(Setup s, int i) {
//
// becomes
//
//     __device__ float f(Setup s_value, int i) {
//       __shared__ ::bankstripe::slots<Setup, 128> s_slots;
//       Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);
//
//===----------------------------------------------------------------------===//

#include "edit/Storage.h"

using namespace bankstripe;
using llvm::StringRef;

// The end of a line, and the indentation of the code behind Begin.
static std::string newLine(StringRef Code, unsigned Begin) {
  const unsigned Next =
      std::min(Code.find_first_not_of(" \t\r\n", Begin), Code.size());
  return (lineEndingOf(Code) + indentationAt(Code, Next)).str();
}

TextEdit bankstripe::firstInBody(StringRef Code, unsigned Begin,
                                 const std::string &Statement) {
  const StringRef Line = Code.drop_front(Begin).take_until(
      [](char C) { return C == '\n' || C == '\r'; });
  if (!Line.trim().empty())
    return {Begin, 0, " " + Statement};
  return {Begin + unsigned(Line.size()), 0, newLine(Code, Begin) + Statement};
}

EditList bankstripe::editsOfParameter(StringRef Code, const PlannedArray &A) {
  const Finding &F = A.Array;
  const unsigned Begin = F.Text.BodyBegin.Offset;
  const std::string NewLine = newLine(Code, Begin);
  const std::string Copy = StorageWriter(Code, NewLine).copyOfParameter(A);
  return {firstInBody(Code, Begin, Copy),
          {F.Text.Name.Offset, F.Text.Name.Length, valueName(F)}};
}
