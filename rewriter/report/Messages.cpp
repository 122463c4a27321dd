//===-- Messages.cpp - what is said of an array ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences that the text, the JSON and the SARIF form share.
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include "report/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;

std::string bankstripe::countOf(uint64_t Count, llvm::StringRef Name) {
  return llvm::formatv("{0} {1}{2}", Count, Name, Count == 1 ? "" : "s");
}

static std::string bytesText(uint64_t Bytes) { return countOf(Bytes, "byte"); }

llvm::StringRef bankstripe::outcomeOf(Reason R) {
  switch (infoOf(R).Verdict) {
  case VerdictKind::Stripe:
    return "moves to a stripe in shared memory";
  case VerdictKind::Slot:
    return "moves to a slot in shared memory";
  case VerdictKind::Split:
    return "moves in part to a stripe in shared memory";
  case VerdictKind::Bits:
    return "moves to registers";
  case VerdictKind::Constant:
    return R == Reason::ReadOnlyParameter ? "becomes a grid constant"
                                          : "becomes a static const table";
  case VerdictKind::Registers:
    return "is left alone";
  case VerdictKind::Unchanged:
  case VerdictKind::Unsupported:
    return infoOf(R).Memory == ArrayMemory::Local ? "stays in local memory"
                                                  : "is left alone";
  }
  llvm_unreachable("all verdicts are listed");
}

// Whether no kernel reaches A. One of a system header is known by the obstacle.
static bool isUnreached(const PlannedArray &A) {
  return A.Kernels.empty() && A.Evidence.Where != Residency::Unknown &&
         llvm::none_of(A.Array.Obstacles, [](const Obstacle &O) {
           return O.Why == Reason::BlockSizeUnknown;
         });
}

bool bankstripe::isWarning(const PlannedArray &A) {
  return needsAction(A.Verdict.Why) && !isUnreached(A);
}

// Without ptxas' word the optimiser's is a guess.
static std::string outcomeFor(const PlannedArray &A) {
  const llvm::StringRef Outcome = outcomeOf(A.Verdict.Why);
  if (!staysAsItIs(A.Verdict.Kind) ||
      infoOf(A.Verdict.Why).Memory != ArrayMemory::Local)
    return Outcome.str();
  if (residencyOf(A) != Residency::LocalMemory || isUnreached(A))
    return "is left alone";
  return (A.Frame == FrameAnswer::NotAsked ? "probably " : "") + Outcome.str();
}

std::string bankstripe::headline(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  const ReasonInfo &Info = infoOf(V.Why);
  // A template that nobody instantiates has no size.
  const ArrayShape &Shape = A.Array.Shape;
  const std::string Size =
      Shape.BytesPerThread
          ? ", " + bytesText(Shape.BytesPerThread) + " per thread"
          : "";
  std::string Text =
      llvm::formatv("per-thread array '{0}' ({1}{2}) {3}: {4}", A.Array.Name,
                    Shape.Type, Size, outcomeFor(A), Info.Summary);
  if (!V.Detail.empty())
    Text += " (" + V.Detail + ")";
  return Text;
}

std::string bankstripe::failureText(const KernelPlan &K, unsigned Threads) {
  return llvm::formatv("launch with {0} threads fails: the launch bounds of "
                       "kernel '{1}' allow {2}",
                       Threads, K.Facts.Name, K.Facts.Bounds->Threads);
}

std::string bankstripe::cost(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  if (V.Kind == VerdictKind::Bits)
    return llvm::formatv("it takes {0}; index {1}", nameOf(V.Form),
                         nameOf(A.Evidence.Index));
  std::string Text =
      V.Storage.Dynamic
          ? llvm::formatv("it takes {0} of shared memory per warp, which "
                          "launches bring",
                          bytesText(V.Storage.BytesPerWarp))
          : llvm::formatv("it takes {0} of shared memory per block",
                          bytesText(V.SharedBytes));
  if (V.Kind == VerdictKind::Split)
    Text += llvm::formatv(" for the first {0} elements", V.First);
  if (V.hasForm() && V.Form != StripeForm::Plain)
    Text += llvm::formatv(", {0}", nameOf(V.Form));
  return Text + llvm::formatv("; index {0}", nameOf(A.Evidence.Index)).str();
}

std::string bankstripe::predictionText(const KernelPlan &K) {
  const Prediction &P = *K.Predicted;
  return llvm::formatv("{0:F2} ({1:F2} to {2:F2}){3}", P.Speedup, P.Low, P.High,
                       K.WhereResident
                           ? " where all blocks of a grid are resident at once"
                           : "");
}

std::string bankstripe::otherFittedGpu(const Plan &P) {
  const ArchInfo *Arch = archInfo(P.GpuArch);
  if (!Arch || Arch == archInfo(FittedArch))
    return "";
  return llvm::formatv("{0} ({1})", FittedGpu, FittedArch);
}

// The file that standard input was put into.
static std::string StandardInput;

void bankstripe::showAsStandardInput(std::string File) {
  StandardInput = std::move(File);
}

std::string bankstripe::withDisplayNames(llvm::StringRef Text) {
  std::string Result = Text.str();
  if (!StandardInput.empty())
    for (size_t At = 0;
         (At = Result.find(StandardInput, At)) != std::string::npos;)
      Result.replace(At, StandardInput.size(), displayName(StandardInput));
  return Result;
}

std::string bankstripe::displayName(llvm::StringRef File) {
  if (!StandardInput.empty() && File == StandardInput)
    return "<stdin>";
  llvm::SmallString<256> Here;
  llvm::StringRef Name = File;
  if (!llvm::sys::fs::real_path(".", Here) && Name.consume_front(Here) &&
      Name.consume_front("/"))
    return Name.str();
  return File.str();
}

std::string bankstripe::namesOf(llvm::ArrayRef<std::string> Files) {
  const size_t Others = Files.size() - 1;
  return "'" + displayName(Files.front()) + "'" +
         (Others ? " (and " + countOf(Others, "other file") + ")" : "");
}

bool bankstripe::needsAction(Reason R) {
  const ReasonInfo &Info = infoOf(R);
  return staysAsItIs(Info.Verdict) && !Info.Advice.empty() &&
         !llvm::is_contained({Reason::Nolint, Reason::DecidedKeep,
                              Reason::NotProfitable, Reason::OutsidePaths,
                              Reason::NoKernel, Reason::NotInstantiated},
                             R);
}
