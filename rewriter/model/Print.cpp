//===-- Print.cpp - the model's values as text ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per value, for test failures and for debugging. What users read is
// made in report/.
//
//===----------------------------------------------------------------------===//

#include "model/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::raw_ostream;
using llvm::StringRef;

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Place &P) {
  if (!P.isValid())
    return OS << "<unknown place>";
  return OS << P.File << ':' << P.Line << ':' << P.Column;
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const TextRange &R) {
  if (!R.isValid())
    return OS << "<no text>";
  return OS << R.File << '[' << R.Offset << ",+" << R.Length << ']';
}

static StringRef nameOf(AccessKind A) {
  switch (A) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::ReadWrite:
    return "read-write";
  case AccessKind::Address:
    return "address";
  }
  llvm_unreachable("all accesses are listed");
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Use &U) {
  return OS << U.Where << ' ' << ::nameOf(U.Access)
            << (U.ConstantIndex ? " constant" : "") << " depth " << U.LoopDepth;
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Finding &F) {
  OS << F.Where << ' ' << F.Name << " (" << F.Type << ", " << F.BytesPerThread
     << " bytes) in " << F.Function << ", kernels [";
  llvm::interleaveComma(F.Kernels, OS);
  OS << "]\n";
  for (const Use &U : F.Uses)
    OS << "  use " << U << '\n';
  for (const Obstacle &O : F.Obstacles)
    OS << "  obstacle " << infoOf(O.Why).Id << " at " << O.Where
       << (O.Detail.empty() ? "" : ": ") << O.Detail << '\n';
  return OS;
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Launch &L) {
  OS << L.Where << " launches " << L.KernelId << " with ";
  if (L.Threads)
    OS << *L.Threads << " threads";
  else
    OS << "an unknown number of threads";
  return OS << " (" << L.Source << ')'
            << (L.Cooperative ? " cooperatively" : "");
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const UnitFacts &U) {
  OS << U.MainFile << '\n';
  for (const Finding &F : U.Findings)
    OS << F;
  for (const Launch &L : U.Launches)
    OS << L << '\n';
  return OS;
}

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

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const ArrayEvidence &E) {
  return OS << nameOf(E.Where) << ", index " << nameOf(E.Index) << " ("
            << E.UniformAccesses << " uniform, " << E.NonUniformAccesses
            << " non-uniform), " << E.ResidentBytes << " bytes";
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const KernelResources &R) {
  return OS << "stack frame " << R.StackFrame << ", spills " << R.SpillStores
            << '/' << R.SpillLoads << ", registers " << R.Registers
            << ", shared " << R.SharedBytes;
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

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Verdict &V) {
  OS << nameOf(V.Kind) << " [" << infoOf(V.Why).Id << ']';
  if (!V.Detail.empty())
    OS << ' ' << V.Detail;
  if (V.hasForm())
    OS << ' ' << nameOf(V.Form) << (V.usesShared() ? "," : "");
  if (V.usesShared())
    OS << ' ' << V.SharedBytes << " bytes per block";
  return OS;
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const KernelPlan &K) {
  return OS << K.Facts.Name << ": " << K.BlockThreads << " threads ("
            << nameOf(K.Source) << ": " << K.SourceText << "), shared "
            << K.SharedBefore << " > " << K.SharedAfter << " bytes, warps "
            << K.WarpsBefore << " > " << K.WarpsAfter;
}

raw_ostream &bankstripe::operator<<(raw_ostream &OS, const Plan &P) {
  for (const PlannedArray &A : P.Arrays)
    OS << A.Array.Where << ' ' << A.Array.Name << ": " << A.Verdict << '\n';
  for (const KernelPlan &K : P.Kernels)
    OS << K << '\n';
  return OS;
}
