//===-- Confirm.cpp - nvcc has the last word ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's optimiser foresees what ptxas will do, but only ptxas knows. Each
// file in which an array moves, or would if it paid, is compiled as it is: how
// many warps run, and so what the shared memory costs, depends on the
// registers. With them the arrays are chosen anew. Then the files that change
// are compiled as they would be, from a mirror in a temporary folder; a kernel
// whose stack frame does not shrink gets its arrays back.
//
// Sometimes nvcc makes far more code of the rewritten kernel, where it loaded
// several elements at once or knew what it no longer knows. How much more is
// taken for what the kernel will execute more, and all is chosen once again.
// The same where it makes far less, since it no longer unrolls.
//
// A frame that loses at most half of the arrays that leave it did not hold the
// others: nvcc had them in registers, and what they were predicted to gain is
// not there. Such a kernel gets its arrays back, too.
//
// Unrolled loops have to do more: the frame must lose all the arrays that were
// to leave it, and no kernel may spill more registers than before. Where they
// do not, all is planned again without them.
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"
#include "tool/Nvcc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

/// One confirmation of a run.
class Confirmation {
public:
  Confirmation(RunResult &Run, const ToolOptions &Options, std::string Nvcc)
      : Run(Run), Options(Options), Nvcc(std::move(Nvcc)) {}

  void askOriginals(std::vector<UnitRecord> &Units);
  bool askRewritten(const std::vector<UnitRecord> &Units, StringRef Root);
  bool withdrawUnconfirmed(const std::vector<UnitRecord> &Units,
                           const PlanOptions &Planning);
  /// Notes in \p Planning which changed kernels have far more code than before,
  /// or far less.
  /// \returns whether that was not known.
  bool noteGrowth(PlanOptions &Planning) const;
  /// Names in \p Planning the arrays that nvcc keeps in registers already.
  void skipUnrolled(const std::vector<UnitRecord> &Units,
                    PlanOptions &Planning) const;
  /// Names in \p Planning the arrays for which unrolling does not help.
  /// \returns whether there are any.
  bool refuseUnrolling(const std::vector<UnitRecord> &Units,
                       PlanOptions &Planning) const;

private:
  /// What the change of an array did to the stack frames of its kernels.
  enum class Effect { Unknown, Smaller, Kept, Rejected };

  bool isConcerned(const UnitResult &Unit, bool IfItPaid) const;
  uint64_t bytesThatLeave(unsigned Row) const;
  bool mayHaveOverlapped(unsigned Row) const;
  std::string whyNotUnrolled(const PlannedArray &A,
                             const UnitResult &Unit) const;
  Effect effectOn(const PlannedArray &A, const std::vector<UnitRecord> &Units,
                  bool IfItPaid, std::string &Detail) const;
  void warn(const CompileJob &Job, llvm::Error E, StringRef What) const;

  RunResult &Run;
  const ToolOptions &Options;
  std::string Nvcc;
  std::vector<std::string> Rejected; ///< Main files that no longer compile.
};

} // namespace

// Whether an array of Unit changes, or might if registers were known.
bool Confirmation::isConcerned(const UnitResult &Unit, bool IfItPaid) const {
  return llvm::any_of(Run.Decisions.Arrays, [&](const PlannedArray &A) {
    return (A.Decision.changesSource() ||
            (IfItPaid && A.Decision.Why == Reason::NotProfitable)) &&
           Unit.Facts.Contents.count(A.Array.Where.File);
  });
}

void Confirmation::warn(const CompileJob &Job, llvm::Error E,
                        StringRef What) const {
  std::string Message = toString(std::move(E));
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: " << Job.File << ": " << What
                 << (Options.Level == Detail::Verbose ? ": " + Message
                                                      : std::string())
                 << '\n';
}

void Confirmation::askOriginals(std::vector<UnitRecord> &Units) {
  auto IsConcerned = [&](const UnitResult &Unit) {
    return this->isConcerned(Unit, /*IfItPaid=*/true);
  };
  auto Failed = [&](const CompileJob &Job, llvm::Error E) {
    warn(Job, std::move(E),
         "nvcc does not compile it, so ptxas cannot confirm the rewrite");
  };
  bankstripe::askOriginals(Run, Units, Nvcc, IsConcerned, Failed, Options);
  for (const UnitRecord &Unit : Units)
    if (IsConcerned(Unit.Unit))
      for (const auto &[Id, R] : Unit.Unit.Resources)
        Run.Resources.Before.insert({Id, R});
}

bool Confirmation::askRewritten(const std::vector<UnitRecord> &Units,
                                StringRef Root) {
  Run.Resources.After.clear();
  Rejected.clear();
  Mirror Copies(Run.Changes, Root);
  std::vector<NvccQuestion> Questions;
  for (const UnitRecord &Unit : Units) {
    if (Unit.Unit.Resources.empty() ||
        !isConcerned(Unit.Unit, /*IfItPaid=*/false))
      continue;
    Questions.push_back(
        {&Unit, Root.str() + Unit.Job.File, Copies.add(Unit.Job)});
  }
  auto Replies = askNvcc(Run, Questions, Nvcc, &Copies, Options);
  if (!Replies) {
    warn(Questions.front().Unit->Job, Replies.takeError(),
         "the rewrite could not be confirmed");
    return false;
  }
  for (size_t I = 0; I < Replies->size(); ++I) {
    const auto &[Job, Unit] = *Questions[I].Unit;
    auto &Reply = (*Replies)[I];
    if (!Reply) {
      warn(Job, Reply.takeError(), "nvcc does not accept the rewritten file");
      Rejected.push_back(Unit.Facts.MainFile);
      continue;
    }
    // Kernels of one name in several units: those of the same one are compared.
    for (const auto &[Id, R] : forKernels(*Reply, Unit.Facts.Kernels))
      if (Run.Resources.After.insert({Id, R}).second)
        if (auto Was = Unit.Resources.find(Id); Was != Unit.Resources.end())
          Run.Resources.Before[Id] = Was->second;
  }
  return true;
}

/// Of the code that finds a thread's storage, which runs once.
static constexpr unsigned PrologueBytes = 512;

// How many times as much code runs again and again.
static double growthOf(const KernelResources &Was, const KernelResources &Is) {
  const unsigned Added =
      Is.CodeBytes > Was.CodeBytes ? Is.CodeBytes - Was.CodeBytes : 0;
  return double(Is.CodeBytes - std::min(Added, PrologueBytes)) / Was.CodeBytes;
}

// Of the subsets of a kernel's arrays only the first is looked at; the others
// are taken to be like it. A kernel in which loops are unrolled or a table
// becomes constant has another reason to grow or to shrink.
bool Confirmation::noteGrowth(PlanOptions &Planning) const {
  std::set<unsigned> Otherwise;
  for (const PlannedArray &A : Run.Decisions.Arrays)
    if (A.Decision.changesSource() && !A.Decision.usesShared())
      Otherwise.insert(A.Kernels.begin(), A.Kernels.end());
  bool Any = false;
  for (const PlannedArray &A : Run.Decisions.Arrays) {
    if (!A.Decision.usesShared())
      continue;
    for (unsigned Row : A.Kernels) {
      if (Otherwise.count(Row))
        continue;
      const std::string &Id = Run.Decisions.Kernels[Row].Facts.Id;
      auto Before = Run.Resources.Before.find(Id);
      auto After = Run.Resources.After.find(Id);
      if (Before == Run.Resources.Before.end() ||
          After == Run.Resources.After.end() || Before->second.CodeBytes == 0 ||
          After->second.CodeBytes == 0)
        continue;
      const double Growth = growthOf(Before->second, After->second);
      if (Growth > 1 || Growth <= NotableShrinkage)
        Any |= Planning.CodeGrowth.try_emplace(Id, Growth).second;
    }
  }
  return Any;
}

/// Stack frames are rounded up to a multiple of this.
static constexpr unsigned FrameUnit = 16;

static unsigned frameOf(const KernelResources &R) {
  return R.StackFrame + R.CalleeFrames;
}

// Of all arrays that change in kernel Row.
uint64_t Confirmation::bytesThatLeave(unsigned Row) const {
  uint64_t Leaving = 0;
  for (const PlannedArray &A : Run.Decisions.Arrays)
    if (A.Decision.changesSource() && llvm::is_contained(A.Kernels, Row))
      Leaving += A.Evidence.ResidentBytes;
  return Leaving;
}

// Whether A and B are never alive at once: blocks of one function of which
// neither is inside the other. Of two functions that a kernel calls, one has
// mostly returned before the other begins.
static bool areApart(const Finding &A, const Finding &B) {
  if (A.FunctionId != B.FunctionId)
    return !A.InKernel && !B.InKernel;
  return A.Scope.isValid() && B.Scope.isValid() &&
         A.Scope.File == B.Scope.File &&
         (A.Scope.end() <= B.Scope.Offset || B.Scope.end() <= A.Scope.Offset);
}

// Whether an array that changes in kernel Row is never alive at once with
// another one there, so that they could have had the same bytes of its frame:
// if both leave it they leave fewer than they have, and if one stays, none.
bool Confirmation::mayHaveOverlapped(unsigned Row) const {
  std::vector<const PlannedArray *> Resident;
  for (const PlannedArray &A : Run.Decisions.Arrays)
    if (A.Evidence.ResidentBytes > 0 && llvm::is_contained(A.Kernels, Row))
      Resident.push_back(&A);
  return llvm::any_of(Resident, [&](const PlannedArray *A) {
    return A->Decision.changesSource() &&
           llvm::any_of(Resident, [&](const PlannedArray *B) {
             return areApart(A->Array, B->Array);
           });
  });
}

// What ptxas makes of array A in the files that it stands in. If it moves since
// that pays, its kernel's frame has to lose most of what leaves it.
Confirmation::Effect
Confirmation::effectOn(const PlannedArray &A,
                       const std::vector<UnitRecord> &Units, bool IfItPaid,
                       std::string &Detail) const {
  Effect Result = Effect::Unknown;
  for (const auto &[Job, Unit] : Units) {
    if (!Unit.Facts.Contents.count(A.Array.Where.File))
      continue;
    if (llvm::is_contained(Rejected, Unit.Facts.MainFile))
      return Effect::Rejected;
    for (unsigned Row : A.Kernels) {
      const std::string &Id = Run.Decisions.Kernels[Row].Facts.Id;
      auto Before = Unit.Resources.find(Id);
      auto After = Run.Resources.After.find(Id);
      if (Before == Unit.Resources.end() || After == Run.Resources.After.end())
        continue;
      const KernelResources &Was = Before->second, &Is = After->second;
      const unsigned BytesBefore = frameOf(Was), BytesAfter = frameOf(Is);
      Detail = llvm::formatv("{0} > {1} bytes", BytesBefore, BytesAfter);
      Result = Effect::Kept;
      if (BytesAfter >= BytesBefore)
        continue;
      const uint64_t Leaving = bytesThatLeave(Row);
      if (!IfItPaid || BytesAfter == 0 ||
          2 * (BytesBefore - BytesAfter) > Leaving || mayHaveOverlapped(Row))
        return Effect::Smaller;
      Detail += llvm::formatv(", but {0} leave it", Leaving);
    }
  }
  return Result;
}

// Whether something was withdrawn.
bool Confirmation::withdrawUnconfirmed(const std::vector<UnitRecord> &Units,
                                       const PlanOptions &Planning) {
  Plan &P = Run.Decisions;
  std::vector<Effect> Effects(P.Arrays.size(), Effect::Unknown);
  std::vector<std::string> Details(P.Arrays.size());
  for (unsigned I = 0; I < P.Arrays.size(); ++I) {
    const Verdict &V = P.Arrays[I].Decision;
    if (V.changesSource() && !V.unrolls())
      Effects[I] = effectOn(P.Arrays[I], Units,
                            /*IfItPaid=*/Planning.MinSpeedup > 0 &&
                                V.usesShared() && !V.Asked,
                            Details[I]);
  }
  bool Any = false;
  for (unsigned I = 0; I < P.Arrays.size(); ++I) {
    if (Effects[I] == Effect::Rejected)
      withdraw(P, I, Reason::CompileFailed, "", Planning);
    else if (Effects[I] == Effect::Kept)
      withdraw(P, I, Reason::StackFrameKept, Details[I], Planning);
    else
      continue;
    Any = true;
  }
  return Any;
}

// A frame that is smaller than the array has other uses, such as the slow path
// of sinf.
void Confirmation::skipUnrolled(const std::vector<UnitRecord> &Units,
                                PlanOptions &Planning) const {
  for (const PlannedArray &A : Run.Decisions.Arrays) {
    bool Known = false, IsResident = false;
    for (const auto &[Job, Unit] : Units)
      for (unsigned Row : A.Kernels)
        if (auto It = Unit.Resources.find(Run.Decisions.Kernels[Row].Facts.Id);
            It != Unit.Resources.end()) {
          Known = true;
          IsResident |= frameOf(It->second) >=
                        std::max<uint64_t>(A.Evidence.ResidentBytes, 1);
        }
    if (Known && !IsResident)
      Planning.NotUnrolled.insert(A.Array.Where);
  }
}

// What ptxas has against the unrolling for A in Unit; empty when nothing.
std::string Confirmation::whyNotUnrolled(const PlannedArray &A,
                                         const UnitResult &Unit) const {
  if (llvm::is_contained(Rejected, Unit.Facts.MainFile))
    return "nvcc does not accept the file";
  const Plan &P = Run.Decisions;
  for (unsigned Row = 0; Row < P.Kernels.size(); ++Row) {
    const std::string &Id = P.Kernels[Row].Facts.Id;
    auto Before = Unit.Resources.find(Id);
    auto After = Run.Resources.After.find(Id);
    if (Before == Unit.Resources.end() || After == Run.Resources.After.end())
      continue;
    const KernelResources &Was = Before->second, &Is = After->second;
    const uint64_t Leaving = bytesThatLeave(Row);
    const bool Reached = llvm::is_contained(A.Kernels, Row);
    const bool Shrinks = frameOf(Is) < frameOf(Was) &&
                         frameOf(Is) + Leaving < frameOf(Was) + FrameUnit;
    if (Reached && frameOf(Is) != 0 && !Shrinks)
      return llvm::formatv("the stack frame of '{0}' is {1} > {2} bytes",
                           P.Kernels[Row].Facts.Name, frameOf(Was),
                           frameOf(Is));
    // A kernel in which nothing changes may share the loop.
    if ((Reached || Leaving == 0) && Is.SpillStores > Was.SpillStores)
      return llvm::formatv("'{0}' spills {1} > {2} bytes of registers",
                           P.Kernels[Row].Facts.Name, Was.SpillStores,
                           Is.SpillStores);
  }
  return "";
}

bool Confirmation::refuseUnrolling(const std::vector<UnitRecord> &Units,
                                   PlanOptions &Planning) const {
  bool Any = false;
  for (const PlannedArray &A : Run.Decisions.Arrays) {
    if (!A.Decision.unrolls())
      continue;
    std::string Why;
    for (const auto &[Job, Unit] : Units)
      if (Why.empty() && Unit.Facts.Contents.count(A.Array.Where.File))
        Why = whyNotUnrolled(A, Unit);
    if (Why.empty())
      continue;
    Any = true;
    Planning.NotUnrolled.insert(A.Array.Where);
    if (Options.Level != Detail::Quiet)
      llvm::errs() << "bankstripe: " << displayName(A.Array.Where.File) << ':'
                   << A.Array.Where.Line << ": no loop is unrolled for '"
                   << A.Array.Name << "': " << Why << '\n';
  }
  return Any;
}

static bool sameTexts(llvm::ArrayRef<ChangedFile> Left,
                      llvm::ArrayRef<ChangedFile> Right) {
  return llvm::equal(Left, Right,
                     [](const ChangedFile &L, const ChangedFile &R) {
                       return L.Path == R.Path && L.After == R.After;
                     });
}

static llvm::Error carryOutPlan(RunResult &Run, const ToolOptions &Options) {
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  return llvm::Error::success();
}

llvm::Error bankstripe::confirmWithPtxas(RunResult &Run,
                                         std::vector<UnitRecord> &Units,
                                         PlanOptions &Planning,
                                         const ToolOptions &Options) {
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit) {
    llvm::consumeError(Kit.takeError()); // The front end has said so.
    return llvm::Error::success();
  }
  if (Kit->Nvcc.empty())
    return llvm::Error::success();
  Confirmation C(Run, Options, Kit->Nvcc);
  C.askOriginals(Units);
  if (Run.Resources.Before.empty())
    return llvm::Error::success();
  C.skipUnrolled(Units, Planning);
  // Each round but the last learns of an array or a kernel what no later one
  // learns again.
  std::vector<ChangedFile> Known; // What nvcc was asked about last.
  for (bool Again = true; Again;) {
    auto Folder = TemporaryFolder::create();
    if (!Folder)
      return Folder.takeError();
    // Registers are known now, and with them occupancy, and what follows.
    // Facts from a file come without texts.
    auto Contents = std::move(Run.Decisions.Contents);
    Run.Decisions = planUnits(Units, Planning);
    Run.Decisions.Contents = std::move(Contents);
    if (llvm::Error E = carryOutPlan(Run, Options))
      return E;
    if (!Known.empty() && sameTexts(Known, Run.Changes))
      break;
    Run.Resources.After.clear();
    if (Run.Changes.empty() || !C.askRewritten(Units, Folder->path()))
      return llvm::Error::success();
    Known = Run.Changes;
    Again = C.refuseUnrolling(Units, Planning);
    Again |= C.noteGrowth(Planning);
  }
  if (C.withdrawUnconfirmed(Units, Planning))
    return carryOutPlan(Run, Options);
  return llvm::Error::success();
}
