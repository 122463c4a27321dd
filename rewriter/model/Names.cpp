//===-- Names.cpp - the words for the model's values ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace bankstripe;
using llvm::StringRef;

// The word for V, of one for each value of its enumeration, in their order.
template <class Enum, size_t Count>
static StringRef wordFor(Enum V, const char *const (&Words)[Count]) {
  return llvm::ArrayRef(Words)[size_t(V)];
}

Residency bankstripe::residencyOf(const ReachedArray &A) {
  switch (A.Frame) {
  case FrameAnswer::NoFrame:
  case FrameAnswer::Without:
    return Residency::Registers;
  case FrameAnswer::Kept:
  case FrameAnswer::TooSmall:
    return Residency::Unknown;
  case FrameAnswer::NotAsked:
  case FrameAnswer::Holds:
    break;
  }
  return A.Evidence.Where;
}

std::string bankstripe::textDigest(StringRef Text) {
  std::string Kept;
  llvm::copy_if(Text, std::back_inserter(Kept),
                [](char C) { return !llvm::isSpace(C); });
  return llvm::utohexstr(uint32_t(llvm::xxh3_64bits(Kept)),
                         /*LowerCase=*/true, /*Width=*/8);
}

StringRef bankstripe::nameOf(Residency R) {
  return wordFor(R, {"unknown", "unknown", "registers", "local memory"});
}

StringRef bankstripe::nameOf(Uniformity U) {
  return wordFor(U, {"unknown", "uniform", "non-uniform"});
}

StringRef bankstripe::nameOf(StripeForm F) {
  return wordFor(F, {"plain", "padded", "one element per word", "unpacked",
                     "packed", "by element size", "one register",
                     "two registers"});
}

StringRef bankstripe::nameOf(BlockSizeSource S) {
  return wordFor(S, {"unknown", "launch-bounds", "launches", "option"});
}

StringRef bankstripe::nameOf(Layout L) {
  return wordFor(L, {"auto", "stripe", "slot", "split", "bits", "keep"});
}

StringRef bankstripe::nameOf(DecisionState S) {
  return wordFor(S, {"used", "stale", "unfulfilled", "skipped"});
}

StringRef bankstripe::nameOf(VerdictKind V) {
  return wordFor(V, {"stripe", "slot", "split", "bits", "constant", "registers",
                     "unchanged", "unsupported"});
}

std::string bankstripe::shortText(const Place &Where) {
  return (llvm::sys::path::filename(Where.File) + ":" + llvm::Twine(Where.Line))
      .str();
}

std::string bankstripe::textOf(const Carveout &C) {
  return C.How == Carveout::Rule::Fixed
             ? std::to_string(C.Percent)
             : wordFor(C.How, {"driver", "auto"}).str();
}

std::optional<Carveout> bankstripe::parseCarveout(StringRef Text) {
  if (Text == "driver")
    return Carveout{Carveout::Rule::Driver, 0};
  if (Text == "auto")
    return Carveout{Carveout::Rule::Auto, 0};
  unsigned Percent = 0;
  if (Text.getAsInteger(10, Percent) || Percent > 100)
    return std::nullopt;
  return Carveout{Carveout::Rule::Fixed, Percent};
}
