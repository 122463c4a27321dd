//===-- recordings.cpp - looks into recordings ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: recordings schedule|sum FILE
//
//   schedule  the schedule that repeats the recording's digests
//   sum       what was recorded, in a line
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingReader.h"
#include "recording/Schedule.h"
#include <iostream>

using namespace bankstripe::runtime;

static void printSum(const Recording &R) {
  size_t Digested = 0, BeforeFree = 0, AtEnd = 0, Made = 0;
  for (const Launch &L : R.Launches) {
    Digested += L.Digested;
    BeforeFree += L.DigestedBeforeFree;
    AtEnd += L.DigestedAtEnd;
  }
  for (const Allocation &A : R.Allocations)
    Made += A.Made.has_value();
  std::cout << R.Launches.size() << " launches, digested after " << Digested
            << ", before frees after " << BeforeFree << ", at an end after "
            << AtEnd << "; " << R.Allocations.size() << " allocations, " << Made
            << " with a call stack of " << R.Stacks.size() << "; "
            << (R.Complete ? "complete" : "incomplete");
  for (const auto &[Reason, Count] : R.Skipped)
    std::cout << "; " << Count << " left out by " << Reason;
  for (const auto &[Text, Count] : R.Notes)
    std::cout << "; " << Text << ": " << Count;
  std::cout << '\n';
}

int main(int Count, char **Arguments) {
  if (Count != 3)
    return 2;
  const std::string What = Arguments[1];
  auto Read = readRecordingFile(Arguments[2]);
  if (const auto *Error = std::get_if<ReadError>(&Read)) {
    std::cerr << Error->Message << '\n';
    return 1;
  }
  const auto &R = std::get<Recording>(Read);
  if (What == "schedule")
    std::cout << Schedule::of(R).text();
  else
    printSum(R);
  return R.Failure.empty() ? 0 : 1;
}
