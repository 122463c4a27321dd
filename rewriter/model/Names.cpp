//===-- Names.cpp - the words for the model's values ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Plan.h"
#include "llvm/Support/ErrorHandling.h"

using namespace bankstripe;
using llvm::StringRef;

StringRef bankstripe::nameOf(Residency R) {
  switch (R) {
  case Residency::Unknown:
  case Residency::NotEmitted:
    return "unknown";
  case Residency::Registers:
    return "registers";
  case Residency::LocalMemory:
    return "local memory";
  }
  llvm_unreachable("all residencies are listed");
}

StringRef bankstripe::nameOf(Uniformity U) {
  switch (U) {
  case Uniformity::Unknown:
    return "unknown";
  case Uniformity::Uniform:
    return "uniform";
  case Uniformity::NonUniform:
    return "non-uniform";
  }
  llvm_unreachable("all uniformities are listed");
}

StringRef bankstripe::nameOf(StripeForm F) {
  switch (F) {
  case StripeForm::Plain:
    return "plain";
  case StripeForm::Wide:
    return "one element per word";
  case StripeForm::Packed:
    return "packed";
  case StripeForm::Padded:
    return "padded";
  case StripeForm::Unpacked:
    return "unpacked";
  case StripeForm::Unit:
    return "by element size";
  case StripeForm::Bits:
    return "one register";
  case StripeForm::LongBits:
    return "two registers";
  }
  llvm_unreachable("all forms are listed");
}

StringRef bankstripe::nameOf(BlockSizeSource S) {
  switch (S) {
  case BlockSizeSource::Unknown:
    return "unknown";
  case BlockSizeSource::LaunchBounds:
    return "launch-bounds";
  case BlockSizeSource::Launches:
    return "launches";
  case BlockSizeSource::Option:
    return "option";
  }
  llvm_unreachable("all sources are listed");
}

StringRef bankstripe::nameOf(Layout L) {
  switch (L) {
  case Layout::Auto:
    return "auto";
  case Layout::Stripe:
    return "stripe";
  case Layout::Slot:
    return "slot";
  case Layout::Split:
    return "split";
  case Layout::Bits:
    return "bits";
  case Layout::Padded:
    return "padded";
  case Layout::Keep:
    return "keep";
  }
  llvm_unreachable("all layouts are listed");
}

std::string bankstripe::textOf(const Carveout &C) {
  switch (C.How) {
  case Carveout::Rule::Driver:
    return "driver";
  case Carveout::Rule::Auto:
    return "auto";
  case Carveout::Rule::Fixed:
    return std::to_string(C.Percent);
  }
  llvm_unreachable("all rules are listed");
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

StringRef bankstripe::nameOf(DecisionState S) {
  switch (S) {
  case DecisionState::Used:
    return "used";
  case DecisionState::Stale:
    return "stale";
  case DecisionState::Unfulfilled:
    return "unfulfilled";
  case DecisionState::Skipped:
    return "skipped";
  }
  llvm_unreachable("all states are listed");
}
