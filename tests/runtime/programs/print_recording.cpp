//===-- print_recording.cpp - a recording for scripts ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     print_recording FILE
//
// Prints JSON objects, a line each: the recording, its memory, its launches.
//
//===----------------------------------------------------------------------===//

#include "recording/Recording.h"
#include <iostream>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::ordered_json;

static void print(const Json &Line) {
  // Names may hold bytes that are no UTF-8.
  std::cout << Line.dump(-1, ' ', true, Json::error_handler_t::replace) << '\n';
}

static void print(const Allocation &A) {
  Json Line{{"type", A.IsVariable ? "variable" : "allocation"},
            {"id", A.Id},
            {"kind", A.Kind},
            {"name", A.Name},
            {"bytes", A.Bytes},
            {"madeBefore", A.MadeBefore}};
  if (A.FreedBefore)
    Line["freedBefore"] = *A.FreedBefore;
  print(Line);
}

static void print(const Launch &L, const char *Type) {
  Json Changes = Json::array();
  for (const DigestChange &Change : L.Changes)
    for (const ChunkRange &Run : Change.Ranges)
      Changes.push_back(
          {Change.IsVariable, Change.Allocation, Run.First, Run.Digests});
  print({{"type", Type},
         {"kernel", L.Kernel},
         {"error", L.Error},
         {"nanoseconds", L.Nanoseconds},
         {"digested", L.Digested},
         {"digestedBeforeFree", L.DigestedBeforeFree},
         {"digestedAtEnd", L.DigestedAtEnd},
         {"changes", std::move(Changes)}});
}

int main(int Count, char **Arguments) {
  const auto Read = readRecording(Count > 1 ? Arguments[1] : "");
  const auto *R = std::get_if<Recording>(&Read);
  if (!R) {
    std::cerr << std::get<ReadError>(Read).Message << '\n';
    return 1;
  }
  print(Json{{"type", "recording"}, {"failure", R->Failure}});
  for (const std::vector<Allocation> *Of : {&R->Allocations, &R->Variables})
    for (const Allocation &A : *Of)
      print(A);
  for (const std::deque<Launch> *Of : {&R->Launches, &R->Executions})
    for (const Launch &L : *Of)
      print(L, Of == &R->Launches ? "launch" : "execution");
}
