//===-- Merge.cpp - several translation units as one run ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header's array is one finding however many units include it, and it must
// look the same to all of them. A kernel is told apart by its mangled name and
// the place of its definition, because a tree can hold many programs that each
// have a `kernel(int *)`. A launch belongs to the kernel of that name in its
// own unit, and to all of that name elsewhere when its unit only declares it.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

static bool sameUses(const Finding &A, const Finding &B) {
  return std::equal(A.Uses.begin(), A.Uses.end(), B.Uses.begin(), B.Uses.end(),
                    [](const Use &X, const Use &Y) {
                      return X.Whole == Y.Whole && X.Brackets == Y.Brackets;
                    });
}

static bool sameFinding(const Finding &A, const Finding &B) {
  return A.Name == B.Name && A.Init == B.Init &&
         A.NeedsAccessor == B.NeedsAccessor && A.HostDevice == B.HostDevice &&
         A.Text.Statement == B.Text.Statement && sameUses(A, B);
}

// A template may have other instantiations in another unit; whatever is no
// template must look the same to all.
static bool sameInstances(const Finding &A, const Finding &B) {
  return A.FunctionId != B.FunctionId ||
         (A.Type == B.Type && A.Extents == B.Extents &&
          A.ElementBytes == B.ElementBytes);
}

static void mergeEvidence(ArrayEvidence &Into, const ArrayEvidence &From) {
  Into.Where = std::max(Into.Where, From.Where);
  Into.Index = std::max(Into.Index, From.Index);
  Into.ResidentBytes = std::max(Into.ResidentBytes, From.ResidentBytes);
  Into.UniformAccesses += From.UniformAccesses;
  Into.NonUniformAccesses += From.NonUniformAccesses;
}

static void mergeBounds(Kernel &Into, const Kernel &From) {
  // What is added for one unit must be right for the others too: where some of
  // them see bounds, or see the place differently, nothing can be added.
  if (!(Into.BoundsInsertion == From.BoundsInsertion) ||
      Into.Bounds.has_value() != From.Bounds.has_value()) {
    Into.BoundsInsertion = TextRange();
    Into.Bounds.reset();
  }
  // The text of a bound is only good when every unit reads it the same.
  if (Into.Bounds && Into.Bounds->Threads != From.Bounds->Threads) {
    Into.Bounds->Threads = std::max(Into.Bounds->Threads, From.Bounds->Threads);
    Into.Bounds->Text.clear();
  }
}

static PlannedArray newArray(const Finding &F, const ArrayEvidence &Evidence) {
  PlannedArray A;
  A.Array = F;
  A.Evidence = Evidence;
  return A;
}

namespace {

class Merger {
public:
  void addKernels(const UnitResult &Unit);
  void addLaunches(const UnitResult &Unit);
  void addArrays(UnitResult &Unit);
  using WorkTable = std::map<std::string, KernelWork>;
  void addWork(const UnitResult &Unit);
  void addWork(const UnitResult &Unit, const Kernel &K, const WorkTable &Table,
               std::optional<KernelWork> &Into) const;
  MergedRun take() { return std::move(Run); }

private:
  using KernelKey = std::pair<std::string, Place>;
  MergedRun Run;
  std::vector<unsigned> rowsOf(const std::vector<std::string> &Ids,
                               const UnitResult &Unit) const;
  std::vector<unsigned> namedRows(const std::string &Id,
                                  const UnitResult &Unit) const;
  void addInstances(PlannedArray &Into, const Finding &F,
                    const UnitResult &Unit) const;

  std::map<KernelKey, unsigned> KernelIndex;
  std::map<Place, unsigned> ArrayIndex;
};

} // namespace

void Merger::addKernels(const UnitResult &Unit) {
  for (const Kernel &K : Unit.Facts.Kernels) {
    auto [It, New] =
        KernelIndex.try_emplace({K.Id, K.Where}, Run.Kernels.size());
    if (New) {
      Run.Kernels.emplace_back();
      Run.Kernels.back().Plan.Facts = K;
    }
    KernelPlan &Into = Run.Kernels[It->second].Plan;
    Into.Facts.StaticSharedBytes =
        std::max(Into.Facts.StaticSharedBytes, K.StaticSharedBytes);
    Into.Facts.UsesDynamicShared |= K.UsesDynamicShared;
    Into.Facts.MayEdit &= K.MayEdit;
    mergeBounds(Into.Facts, K);
    if (K.AddressTaken) {
      Into.Facts.AddressTaken = true;
      Into.Facts.AddressTakenAt = K.AddressTakenAt;
    }
    if (auto Found = Unit.Resources.find(K.Id); Found != Unit.Resources.end())
      Into.Registers = std::max(Into.Registers, Found->second.Registers);
  }
}

std::vector<unsigned> Merger::namedRows(const std::string &Id,
                                        const UnitResult &Unit) const {
  std::vector<unsigned> Own = rowsOf({Id}, Unit);
  if (!Own.empty())
    return Own;
  for (auto It = KernelIndex.lower_bound({Id, Place()});
       It != KernelIndex.end() && It->first.first == Id; ++It)
    Own.push_back(It->second);
  return Own;
}

void Merger::addLaunches(const UnitResult &Unit) {
  for (const Launch &L : Unit.Facts.Launches)
    for (unsigned Row : namedRows(L.KernelId, Unit))
      Run.Kernels[Row].Launches.push_back(L);
  for (const OccupancyQuery &Q : Unit.Facts.Queries)
    for (unsigned Row : namedRows(Q.KernelId, Unit)) {
      Run.Kernels[Row].Queries.push_back(Q);
      Run.Kernels[Row].Plan.Facts.AskedAboutAt = Q.Where;
    }
}

void bankstripe::insertSorted(std::vector<unsigned> &Rows, unsigned Row) {
  auto At = llvm::lower_bound(Rows, Row);
  if (At == Rows.end() || *At != Row)
    Rows.insert(At, Row);
}

static void unite(std::vector<unsigned> &Into, llvm::ArrayRef<unsigned> From) {
  for (unsigned Row : From)
    insertSorted(Into, Row);
}

std::vector<unsigned> Merger::rowsOf(const std::vector<std::string> &Ids,
                                     const UnitResult &Unit) const {
  std::vector<unsigned> Rows;
  for (const std::string &Id : Ids)
    for (const Kernel &K : Unit.Facts.Kernels)
      if (K.Id == Id)
        Rows.push_back(KernelIndex.at({Id, K.Where}));
  llvm::sort(Rows);
  return Rows;
}

void Merger::addInstances(PlannedArray &Into, const Finding &F,
                          const UnitResult &Unit) const {
  std::vector<ArrayInstance> &Known = Into.Array.Instances;
  Into.InstanceKernels.resize(Known.size());
  for (const ArrayInstance &I : F.Instances) {
    auto At = llvm::find_if(Known, [&](const ArrayInstance &K) {
      return K.FunctionId == I.FunctionId;
    });
    const size_t Index = At - Known.begin();
    if (At == Known.end()) {
      Known.push_back(I);
      Into.InstanceKernels.emplace_back();
    }
    ArrayInstance &Instance = Known[Index];
    Instance.SlotAlignment = std::max(Instance.SlotAlignment, I.SlotAlignment);
    unite(Into.InstanceKernels[Index], rowsOf(I.Kernels, Unit));
  }
  Into.Array.shareClaimedAlignment();
}

void Merger::addArrays(UnitResult &Unit) {
  for (unsigned I = 0; I < Unit.Facts.Findings.size(); ++I) {
    const Finding &F = Unit.Facts.Findings[I];
    ArrayEvidence Evidence = I < Unit.Evidence.Arrays.size()
                                 ? Unit.Evidence.Arrays[I]
                                 : ArrayEvidence();
    auto [It, New] = ArrayIndex.try_emplace(F.Where, Run.Arrays.size());
    if (New) {
      Run.Arrays.push_back(newArray(F, Evidence));
    } else if (F.Instances.empty()) {
      continue; // A template that only other units instantiate.
    } else if (Run.Arrays[It->second].Array.Instances.empty()) {
      Run.Arrays[It->second] = newArray(F, Evidence);
    } else {
      PlannedArray &Into = Run.Arrays[It->second];
      if (!sameFinding(Into.Array, F) || !sameInstances(Into.Array, F))
        Into.Array.Obstacles.push_back(
            {Reason::TranslationUnitsDiffer, F.Where, Unit.Facts.MainFile});
      llvm::append_range(Into.Array.Obstacles, F.Obstacles);
      Into.Array.NeverWritten &= F.NeverWritten;
      Into.Array.InKernel &= F.InKernel;
      Into.Array.mergeLoops(F);
      if (!(Into.Array.Scope == F.Scope))
        Into.Array.Scope = TextRange();
      for (const std::string &File : F.FunctionFiles)
        if (!llvm::is_contained(Into.Array.FunctionFiles, File))
          Into.Array.FunctionFiles.push_back(File);
      llvm::append_range(Into.Array.Trail.Locals, F.Trail.Locals);
      llvm::append_range(Into.Array.Trail.Arguments, F.Trail.Arguments);
      mergeEvidence(Into.Evidence, Evidence);
    }
    PlannedArray &Into = Run.Arrays[It->second];
    unite(Into.Kernels, rowsOf(F.Kernels, Unit));
    addInstances(Into, F, Unit);
  }
  for (const Callee &C : Unit.Facts.Callees) {
    auto [It, New] = Run.Callees.try_emplace(C.Where, C);
    if (!New)
      It->second.Parameters.insert(C.Parameters.begin(), C.Parameters.end());
  }
  Run.Contents.merge(Unit.Facts.Contents);
}

// Of several units that hold a kernel, the first tells what it does.
void Merger::addWork(const UnitResult &Unit) {
  for (const Kernel &K : Unit.Facts.Kernels) {
    KernelRow &Row = Run.Kernels[KernelIndex.at({K.Id, K.Where})];
    addWork(Unit, K, Unit.Evidence.Work, Row.Plan.Work);
    addWork(Unit, K, Unit.Evidence.ShortWork, Row.ShortWork);
  }
}

void Merger::addWork(const UnitResult &Unit, const Kernel &K,
                     const WorkTable &Table,
                     std::optional<KernelWork> &Into) const {
  auto Found = Table.find(K.Id);
  if (Found == Table.end() || Into)
    return;
  Into = Found->second;
  Into->Arrays.clear();
  for (const auto &[Index, Work] : Found->second.Arrays)
    Into->Arrays[ArrayIndex.at(Unit.Facts.Findings[Index].Where)] = Work;
}

MergedRun bankstripe::mergeUnits(std::vector<UnitResult> Units) {
  Merger M;
  for (const UnitResult &Unit : Units)
    M.addKernels(Unit);
  for (const UnitResult &Unit : Units)
    M.addLaunches(Unit);
  for (UnitResult &Unit : Units) {
    M.addArrays(Unit);
    M.addWork(Unit);
  }
  MergedRun Run = M.take();
  followCalls(Run, Units);
  return Run;
}
