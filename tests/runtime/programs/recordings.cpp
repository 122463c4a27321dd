//===-- recordings.cpp - looks into a recording ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what was recorded in a line. Usage: recordings FILE
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingReader.h"
#include <iostream>

using namespace bankstripe::runtime;

int main(int Count, char **Arguments) {
  if (Count != 2)
    return 2;
  auto Read = readRecording(Arguments[1]);
  if (const auto *Error = std::get_if<ReadError>(&Read)) {
    std::cerr << Error->Message << '\n';
    return 1;
  }
  const auto &R = std::get<Recording>(Read);
  size_t Digested = 0, BeforeFree = 0, AtEnd = 0;
  for (const Launch &L : R.Launches) {
    Digested += L.Digested;
    BeforeFree += L.DigestedBeforeFree;
    AtEnd += L.DigestedAtEnd;
  }
  std::cout << R.Launches.size() << " launches, digested after " << Digested
            << ", before frees after " << BeforeFree << ", at an end after "
            << AtEnd << "; " << R.Allocations.size() << " allocations; "
            << (R.Complete ? "complete" : "incomplete");
  for (const auto &[Reason, Number] : R.Skipped)
    std::cout << "; " << Number << " left out by " << Reason;
  for (const auto &[Text, Number] : R.Notes)
    std::cout << "; " << Text << ": " << Number;
  std::cout << '\n';
  return R.Failure.empty() ? 0 : 1;
}
