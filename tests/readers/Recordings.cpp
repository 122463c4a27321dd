//===-- Recordings.cpp - reads what may be a recording --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "Records.h"
#include "recording/Recording.h"

using namespace bankstripe;
using namespace bankstripe::runtime;

// A launch has seven bytes where it is like another one, which it refers to.
size_t mostBytesFor(std::string_view Input) {
  return (sizeof(Launch) / 7 + 32) * Input.size();
}

static const Scratch Files;

std::vector<std::string> seeds() {
  const std::string Path = Files.path("seed");
  {
    RecordingWriter To;
    To.open(Path);
    To.device("Some GPU", "9.0");
    Allocation A;
    A.Kind = "device";
    A.Bytes = 512;
    A.ChunkBytes = 64;
    To.allocation(A);
    A.IsVariable = true;
    A.Name = "_ZN34_INTERNAL_5b2313b8_4_a_cu_6hiddenE";
    To.allocation(A);
    Launch L;
    L.Kernel = "_Z12step_stripedIiEvPi";
    To.launch(L);
    L.Digested = true;
    L.Changes = {{0, false, {{1, {2, 3}}}}, {0, true, {{0, {9}}}}};
    To.launch(L);
    To.late(true, L.Changes);
    To.execution(L, 0, 5, 9);
    To.note("textures");
    To.skipped("rule");
    To.free(0);
    To.failure("none");
    To.end();
  }
  const std::string File = readFile(Path).value_or("");
  return {File, inputFor(File, RecordingFile)};
}

void readInput(std::string_view Input) {
  const auto Read =
      readRecording(Files.write("recording", fileFrom(Input, RecordingFile)));
  if (const auto *R = std::get_if<Recording>(&Read))
    for (const Launch &L : R->Launches)
      mayBeOfOneFile(L.Kernel, R->Device);
}
