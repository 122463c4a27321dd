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

#include "plan/Merge.h"
#include "plan/CrossCalls.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

static bool sameFinding(const Finding &A, const Finding &B) {
  return A.Name == B.Name && A.Init == B.Init &&
         A.HasPointers == B.HasPointers && A.HostDevice == B.HostDevice &&
         A.StorageSuffix == B.StorageSuffix &&
         A.Text.Statement == B.Text.Statement &&
         std::ranges::equal(A.Uses, B.Uses, {}, &Use::Where, &Use::Where);
}

// A template may have other instantiations in another unit; whatever is no
// template must look the same to all.
static bool sameInstances(const Finding &A, const Finding &B) {
  return A.FunctionId != B.FunctionId ||
         (A.Type == B.Type && A.Extents == B.Extents &&
          A.ElementBytes == B.ElementBytes);
}

static void mergeEvidence(ArrayEvidence &Into, const ArrayEvidence &From) {
  // Where one unit has no IR, nobody knows which kernels reach the array.
  Into.Where =
      Into.Where == Residency::Unknown || From.Where == Residency::Unknown
          ? Residency::Unknown
          : std::max(Into.Where, From.Where);
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

namespace {

class Merger {
public:
  explicit Merger(const std::vector<UnitResult> &Units);

  void addKernels(const UnitResult &Unit);
  void addLaunches(const UnitResult &Unit);
  void addArrays(UnitResult &Unit);
  void addWork(const UnitResult &Unit);
  MergedRun take() { return std::move(Run); }

private:
  using WorkTable = std::map<std::string, KernelWork>;

  unsigned rowOf(const Kernel &K) const { return Rows.at({K.Where, K.Id}); }
  std::vector<unsigned> rowsOf(const std::vector<std::string> &Ids,
                               const UnitResult &Unit) const;
  std::vector<unsigned> namedRows(const std::string &Id,
                                  const UnitResult &Unit) const;
  void addFinding(const Finding &F, const ArrayEvidence &Evidence,
                  const UnitResult &Unit);
  void addInstances(ReachedArray &Into, const Finding &F,
                    const UnitResult &Unit) const;
  void addWork(const UnitResult &Unit, const Kernel &K, const WorkTable &Table,
               std::optional<KernelWork> &Into) const;

  MergedRun Run;
  std::map<std::pair<Place, std::string>, unsigned> Rows; ///< Of kernels.
  std::map<std::string, std::vector<unsigned>> RowsOfName;
  /// The same of single units.
  std::map<std::pair<const UnitResult *, std::string>, std::vector<unsigned>>
      RowsInUnit;
  std::map<Place, unsigned> ArrayIndex;
  std::map<std::string, unsigned> Readers; ///< Units, of each source.
};

} // namespace

// Numbers kernels and arrays in the order in which people read them.
Merger::Merger(const std::vector<UnitResult> &Units) {
  for (const UnitResult &Unit : Units) {
    for (const Kernel &K : Unit.Facts.Kernels)
      Rows[{K.Where, K.Id}];
    for (const Finding &F : Unit.Facts.Findings)
      ArrayIndex[F.Where];
    for (const SourceFile &Source : Unit.Facts.Sources)
      ++Readers[Source.Path];
  }
  for (auto &[Key, Row] : Rows) {
    Row = Run.Kernels.size();
    Run.Kernels.emplace_back();
    RowsOfName[Key.second].push_back(Row);
  }
  for (const UnitResult &Unit : Units)
    for (const Kernel &K : Unit.Facts.Kernels)
      RowsInUnit[{&Unit, K.Id}].push_back(rowOf(K));
  for (auto &[Where, Index] : ArrayIndex) {
    Index = Run.Arrays.size();
    Run.Arrays.emplace_back();
  }
}

void Merger::addKernels(const UnitResult &Unit) {
  for (const Kernel &K : Unit.Facts.Kernels) {
    MergedKernel &Into = Run.Kernels[rowOf(K)];
    Kernel &Facts = Into.Facts;
    if (Facts.Id.empty())
      Facts = K;
    Facts.StaticSharedBytes =
        std::max(Facts.StaticSharedBytes, K.StaticSharedBytes);
    Facts.UsesDynamicShared |= K.UsesDynamicShared;
    Facts.Asks = std::max(Facts.Asks, K.Asks);
    Facts.MayEdit &= K.MayEdit;
    mergeBounds(Facts, K);
    if (K.AddressTaken) {
      Facts.AddressTaken = true;
      Facts.AddressTakenAt = K.AddressTakenAt;
    }
    Into.WaitsForBlocks |= Unit.Evidence.Waiting.count(K.Id) != 0;
    if (auto Found = Unit.Resources.find(K.Id); Found != Unit.Resources.end())
      Into.Registers = std::max(Into.Registers, Found->second.Registers);
  }
}

std::vector<unsigned> Merger::namedRows(const std::string &Id,
                                        const UnitResult &Unit) const {
  std::vector<unsigned> Own = rowsOf({Id}, Unit);
  if (!Own.empty())
    return Own;
  auto Others = RowsOfName.find(Id);
  return Others == RowsOfName.end() ? Own : Others->second;
}

void Merger::addLaunches(const UnitResult &Unit) {
  for (const Launch &L : Unit.Facts.Launches)
    for (unsigned Row : namedRows(L.KernelId, Unit))
      Run.Kernels[Row].Launches.push_back(L);
  for (const OccupancyQuery &Q : Unit.Facts.Queries)
    for (unsigned Row : namedRows(Q.KernelId, Unit)) {
      Run.Kernels[Row].Queries.push_back(Q);
      Run.Kernels[Row].Facts.AskedAboutAt = Q.Where;
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
  std::vector<unsigned> Result;
  for (const std::string &Id : Ids)
    if (auto Own = RowsInUnit.find({&Unit, Id}); Own != RowsInUnit.end())
      llvm::append_range(Result, Own->second);
  llvm::sort(Result);
  return Result;
}

void Merger::addInstances(ReachedArray &Into, const Finding &F,
                          const UnitResult &Unit) const {
  std::vector<ArrayInstance> &Known = Into.Array.Instances;
  Into.InstanceKernels.resize(Known.size());
  for (const ArrayInstance &I : F.Instances) {
    auto At =
        std::ranges::find(Known, I.FunctionId, &ArrayInstance::FunctionId);
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

// What another unit knows of the same array.
static void mergeFinding(Finding &Into, const Finding &From,
                         const std::string &MainFile) {
  if (!sameFinding(Into, From) || !sameInstances(Into, From))
    Into.Obstacles.push_back(
        {Reason::TranslationUnitsDiffer, From.Where, MainFile});
  Into.merge(From);
}

void Merger::addFinding(const Finding &F, const ArrayEvidence &Evidence,
                        const UnitResult &Unit) {
  ReachedArray &Into = Run.Arrays[ArrayIndex.at(F.Where)];
  const bool New = !Into.Array.Where.isValid();
  if (!New && F.Instances.empty())
    return; // A template that only other units instantiate.
  if (New || Into.Array.Instances.empty()) {
    Into = {F, Evidence, {}, {}};
  } else {
    mergeFinding(Into.Array, F, Unit.Facts.MainFile);
    mergeEvidence(Into.Evidence, Evidence);
  }
  unite(Into.Kernels, rowsOf(F.Kernels, Unit));
  addInstances(Into, F, Unit);
}

void Merger::addArrays(UnitResult &Unit) {
  for (auto [I, F] : llvm::enumerate(Unit.Facts.Findings))
    addFinding(F,
               I < Unit.Evidence.Arrays.size() ? Unit.Evidence.Arrays[I]
                                               : ArrayEvidence(),
               Unit);
  for (const Callee &C : Unit.Facts.Callees) {
    auto [It, New] = Run.Callees.try_emplace(C.Where, C);
    if (!New)
      It->second.Parameters.insert(C.Parameters.begin(), C.Parameters.end());
    // The calls of one unit were seen, not those of others.
    if (Readers[C.Where.File] > 1)
      It->second.keepType();
  }
  Run.Contents.merge(Unit.Facts.Contents);
  Run.NumberedFiles.merge(Unit.Facts.NumberedFiles);
}

// Of several units that hold a kernel, the first tells what it does.
void Merger::addWork(const UnitResult &Unit) {
  for (const Kernel &K : Unit.Facts.Kernels) {
    MergedKernel &Into = Run.Kernels[rowOf(K)];
    addWork(Unit, K, Unit.Evidence.Work, Into.Work);
    addWork(Unit, K, Unit.Evidence.ShortWork, Into.ShortWork);
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
  Merger M(Units);
  for (const UnitResult &Unit : Units)
    M.addKernels(Unit);
  for (const UnitResult &Unit : Units)
    M.addLaunches(Unit);
  for (UnitResult &Unit : Units) {
    M.addArrays(Unit);
    M.addWork(Unit);
  }
  MergedRun Run = M.take();
  for (UnitResult &Unit : Units)
    for (SharedArray &A : Unit.Facts.SharedArrays)
      Run.SharedArrays[A.Where].push_back(std::move(A));
  followCalls(Run, Units);
  return Run;
}
