//===-- Captures.cpp - reads what may be a capture ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "Records.h"
#include "recording/Capture.h"

using namespace bankstripe::runtime;

// Of each page, whose record has ten bytes at least, two descriptions of 32.
size_t mostBytesFor(std::string_view Input) { return 16 * Input.size(); }

static const Scratch Files;

static std::string capture(PageStore *Store) {
  const std::string Path = Files.path("seed");
  std::filesystem::remove(Path);
  CaptureWriter To(Path, Store);
  To.program({"Some GPU", "9.0", 41});
  CapturedKernel K;
  K.Symbol = "_ZN12_GLOBAL__N_13addEPfi";
  K.Image = std::string("\177ELF\0\1", 6);
  K.Grid = {7, 2, 1};
  K.Parameters = {{0, std::string("\0\0\0\2\3\0\0\0", 8)}, {8, "abcd"}};
  To.kernel(K);
  CapturedMemory M;
  M.Address = 0x302000000;
  M.Kind = "device";
  M.Symbol = "_ZN34_INTERNAL_5b2313b8_4_a_cu_6hiddenE";
  std::string Bytes(300, 'a');
  for (const uint64_t More : {0U, 100U}) {
    M.Bytes = Bytes.size() + More;
    M.Address += 512;
    const unsigned Number = To.memory(M);
    std::string Now = Bytes + std::string(More, '\0');
    Now[9] = 'b';
    To.pages(Number, CaptureMoment::Before, 0, Now);
    Now[10] = 'c';
    To.pages(Number, CaptureMoment::After, 0, Now);
  }
  To.note("textures");
  To.end();
  return readFile(Path).value_or("");
}

std::vector<std::string> seeds() {
  PageStore Store(Files.path("store"), 1 << 20);
  const std::string Alone = capture(nullptr), Shared = capture(&Store);
  return {Alone, inputFor(Alone, CaptureFile), inputFor(Shared, CaptureFile)};
}

void readInput(std::string_view Input) {
  static const std::string Store =
      Files.write("store", std::string(4 * CapturePageBytes, 's'));
  const auto Read =
      readCapture(Files.write("a.capture", fileFrom(Input, CaptureFile)));
  const auto *C = std::get_if<Capture>(&Read);
  if (!C)
    return;
  // Each page is looked at, wherever it lies.
  uint64_t Sum = digestOf(*C);
  for (const CapturedMemory &M : C->Memory)
    for (uint64_t Page = 0; Page < M.After.size(); ++Page)
      for (const char Byte : pageBytes(
               M.After[Page],
               std::min(CapturePageBytes, M.Bytes - Page * CapturePageBytes)))
        Sum += Byte;
  static volatile uint64_t Kept;
  Kept = Kept + Sum;
}
