//===-- Reader.cpp - what the targets here have in common -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `TARGET --seeds=FOLDER` writes the seeds there. All else is libFuzzer's.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sanitizer/allocator_interface.h>

/// What a reader takes whatever the file holds.
static constexpr size_t MostBytesAnyway = size_t(1) << 20;

static bool IsReading;
static size_t Held, MostHeld;

static void noteMalloc(const volatile void *, size_t Bytes) {
  if (IsReading && (Held += Bytes) > MostHeld)
    MostHeld = Held;
}

static void noteFree(const volatile void *Block) {
  if (IsReading && Block)
    Held -= __sanitizer_get_allocated_size(Block);
}

extern "C" int LLVMFuzzerInitialize(int *Count, char ***Words) {
  __sanitizer_install_malloc_and_free_hooks(noteMalloc, noteFree);
  const std::string_view Flag = "--seeds=";
  for (int I = 1; I < *Count; ++I) {
    const std::string_view Word = (*Words)[I];
    if (!Word.starts_with(Flag))
      continue;
    unsigned Number = 0;
    for (const std::string &Seed : seeds())
      std::ofstream(std::string(Word.substr(Flag.size())) + "/" +
                        std::to_string(Number++),
                    std::ios::binary)
          << Seed;
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Bytes) {
  Held = MostHeld = 0;
  const std::string_view Input(reinterpret_cast<const char *>(Data), Bytes);
  IsReading = true;
  readInput(Input);
  IsReading = false;
  // What was there before and goes meanwhile counts below zero.
  if (MostHeld <= SIZE_MAX / 2 &&
      MostHeld > MostBytesAnyway + mostBytesFor(Input)) {
    std::fprintf(stderr, "the reader took %zu bytes for %zu\n", MostHeld,
                 Bytes);
    std::abort();
  }
  return 0;
}
