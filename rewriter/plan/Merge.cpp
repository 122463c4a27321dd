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
// With relocatable device code, arrays are reached by kernels that their own
// unit does not know, and may be reached by themselves by a detour.
//
//===----------------------------------------------------------------------===//

#include "plan/Merge.h"
#include "arch/ArchInfo.h"
#include "contract/Symbols.h"
#include "plan/Decide.h"
#include "plan/Outside.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <functional>

using namespace bankstripe;

static bool sameFinding(const Finding &A, const Finding &B) {
  return A.Name == B.Name && A.Init == B.Init && A.IsObject == B.IsObject &&
         A.HasConst == B.HasConst &&
         A.Trail.has_value() == B.Trail.has_value() &&
         A.Function.HostDevice == B.Function.HostDevice &&
         A.StorageSuffix == B.StorageSuffix &&
         A.Text.Statement == B.Text.Statement &&
         std::ranges::equal(A.Uses, B.Uses, {}, &Use::Where, &Use::Where);
}

// A template may have other instantiations in another unit; whatever is no
// template must look the same to all.
static bool sameInstances(const Finding &A, const Finding &B) {
  return A.Function.Id != B.Function.Id || A.Shape == B.Shape;
}

// Parameters are arrays only where a copy is in memory: the optimiser leaves
// one, or, of one that is only read, ptxas has room for it in the frame. Grid
// constants came with sm_70, the first architecture that is known.
static bool isListed(const UnitResult &Unit, size_t Index,
                     const PlanOptions &Options) {
  const Finding &F = Unit.Facts.Findings[Index];
  if (F.isOnlyRead())
    return llvm::all_of(Options.AllGpuArchs, archInfo) &&
           llvm::any_of(F.Instances, [&](const ArrayInstance &I) {
             auto Of = Unit.Resources.find(I.FunctionId);
             return Of != Unit.Resources.end() &&
                    Of->second.StackFrame >= I.Shape.BytesPerThread;
           });
  return !F.isParameter() ||
         (Index < Unit.Evidence.Arrays.size() &&
          Unit.Evidence.Arrays[Index].Where == Residency::LocalMemory);
}

static void mergeEvidence(ArrayEvidence &Into, const ArrayEvidence &From) {
  // Where one unit has no IR, nobody knows which kernels reach the array.
  Into.Where =
      Into.Where == Residency::Unknown || From.Where == Residency::Unknown
          ? Residency::Unknown
          : std::max(Into.Where, From.Where);
  Into.Index = std::max(Into.Index, From.Index);
  Into.IsHandedOn |= From.IsHandedOn;
  Into.Functions.insert(From.Functions.begin(), From.Functions.end());
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

// Of several units that hold a kernel, the largest numbers count.
static void mergeResources(std::optional<KernelResources> &Into,
                           const KernelResources &From) {
  if (!Into)
    Into = From;
  Into->Registers = std::max(Into->Registers, From.Registers);
  Into->StackFrame = std::max(Into->StackFrame, From.StackFrame);
  Into->SpillStores = std::max(Into->SpillStores, From.SpillStores);
  Into->SpillLoads = std::max(Into->SpillLoads, From.SpillLoads);
  for (const auto &[Name, Other] : From.Callees) {
    CalleeFrame &Frame = Into->Callees[Name];
    Frame.Bytes = std::max(Frame.Bytes, Other.Bytes);
    Frame.SpillStores = std::max(Frame.SpillStores, Other.SpillStores);
  }
}

namespace {

class Merger {
public:
  Merger(const std::vector<UnitResult> &Units, const PlanOptions &Options);
  MergedRun merge();

private:
  using WorkTable = std::map<std::string, KernelWork>;

  void addKernels(const UnitResult &Unit);
  void addLaunches(const UnitResult &Unit);
  void addMentions();
  void addArrays(const UnitResult &Unit);
  void addCallees(const UnitResult &Unit);
  void addFunctions(const UnitResult &Unit);
  void linkFunctions();
  void addWork(const UnitResult &Unit);
  std::string unseenAmong(const std::set<std::string> &Callees,
                          const LinkedCalls &Calls) const;
  void followCalls();
  void keepWhatUnreadUnitsReach();
  void keepBesideUnseen();
  unsigned rowOf(const Kernel &K) const { return Rows.at({K.Where, K.Id}); }
  std::vector<unsigned> namedRows(const std::string &Id,
                                  const UnitResult &Unit) const;
  void addFinding(const Finding &F, const ArrayEvidence &Evidence,
                  const UnitResult &Unit);
  void addInstances(ReachedArray &Into, const Finding &F,
                    const ArrayEvidence &Evidence,
                    const UnitResult &Unit) const;
  void addWork(const UnitResult &Unit, const Kernel &K, const WorkTable &Table,
               std::optional<KernelWork> &Into) const;

  const std::vector<UnitResult> &Units;
  const PlanOptions &Options;
  MergedRun Run;
  std::map<std::pair<Place, std::string>, unsigned> Rows; ///< Of kernels.
  std::map<std::string, std::vector<unsigned>> RowsOfName;
  /// The same of single units.
  std::map<std::pair<const UnitResult *, std::string>, std::vector<unsigned>>
      RowsInUnit;
  std::map<Place, unsigned> ArrayIndex;
  std::set<Place> NoArrays;                ///< Of all units.
  std::map<std::string, unsigned> Readers; ///< Units, of each source.
};

} // namespace

// --- Kernels -----------------------------------------------------------------

std::vector<Kernel> bankstripe::kernelsOf(const UnitResult &Unit) {
  std::vector<Kernel> Kernels = Unit.Facts.Kernels;
  for (const auto &[Id, Found] : Unit.Evidence.SystemKernels) {
    Kernel &K = Kernels.emplace_back();
    K.Id = Id;
    K.Name = llvm::demangle(Id);
    K.Where = Found.Where;
    K.Bounds = {Found.Threads, "", /*IsFixed=*/true, /*Dependent=*/false};
    K.MayEdit = false;
    K.Text.Problem = "it stands in a system header";
  }
  return Kernels;
}

// The rows stay sorted and unique.
static void insertSorted(std::vector<unsigned> &Rows, unsigned Row) {
  auto At = llvm::lower_bound(Rows, Row);
  if (At == Rows.end() || *At != Row)
    Rows.insert(At, Row);
}

// Numbers kernels and arrays in the order in which people read them.
Merger::Merger(const std::vector<UnitResult> &Units, const PlanOptions &Options)
    : Units(Units), Options(Options) {
  for (const UnitResult &Unit : Units) {
    for (const Kernel &K : kernelsOf(Unit))
      Rows[{K.Where, K.Id}];
    for (auto [I, F] : llvm::enumerate(Unit.Facts.Findings))
      if (isListed(Unit, I, Options))
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
    for (const Kernel &K : kernelsOf(Unit))
      RowsInUnit[{&Unit, K.Id}].push_back(rowOf(K));
  for (auto &[Where, Index] : ArrayIndex) {
    Index = Run.Arrays.size();
    Run.Arrays.emplace_back();
  }
}

void Merger::addKernels(const UnitResult &Unit) {
  for (const Kernel &K : kernelsOf(Unit)) {
    MergedKernel &Into = Run.Kernels[rowOf(K)];
    Kernel &Facts = Into.Facts;
    if (Facts.Id.empty())
      Facts = K;
    if (auto Shared = Unit.Evidence.Kernels.find(K.Id);
        Shared != Unit.Evidence.Kernels.end())
      Into.Shared.merge(Shared->second);
    Facts.MayEdit &= K.MayEdit;
    mergeBounds(Facts, K);
    Into.WaitsForBlocks |= Unit.Evidence.Waiting.count(K.Id) != 0;
    if (auto Found = Unit.Resources.find(K.Id); Found != Unit.Resources.end())
      mergeResources(Into.Original, Found->second);
  }
}

std::vector<unsigned> Merger::namedRows(const std::string &Id,
                                        const UnitResult &Unit) const {
  if (auto Own = RowsInUnit.find({&Unit, Id}); Own != RowsInUnit.end())
    return Own->second;
  auto Others = RowsOfName.find(Id);
  return Others == RowsOfName.end() ? std::vector<unsigned>() : Others->second;
}

// Whether the namespaces of its arguments can lead to a kernel, as those of
// `lib::k(lib::S)` do.
static bool isFoundByArguments(const Kernel &K) {
  const llvm::StringRef Name(withoutTemplateArguments(K.Name));
  const auto [Scope, Last] = Name.rsplit("::");
  const std::string Whole = llvm::demangle(K.Id);
  return !Last.empty() && llvm::StringRef(Whole).split('(').second.contains(
                              (Scope + "::").str());
}

// Clang and nvcc may find different kernels of one name by the namespaces of
// arguments, so a launch counts for all in its unit that can be found so.
void Merger::addLaunches(const UnitResult &Unit) {
  std::map<std::string_view, std::set<unsigned>> OfName;
  for (const Kernel &K : Unit.Facts.Kernels)
    if (isFoundByArguments(K))
      OfName[lastName(K.Name)].insert(rowOf(K));
  for (const Launch &L : Unit.Facts.Launches) {
    std::set<unsigned> Reached;
    for (unsigned Row : namedRows(L.KernelId, Unit)) {
      const Kernel &K = Run.Kernels[Row].Facts;
      Reached.insert(Row);
      for (unsigned Other : OfName[lastName(K.Name)])
        if (Run.Kernels[Other].Facts.Where != K.Where)
          Reached.insert(Other);
    }
    for (unsigned Row : Reached)
      Run.Kernels[Row].Launches.push_back(L);
  }
}

// What the text says of kernels, and no tree: who else launches them, and what
// conditions and templates that nobody uses leave out.
void Merger::addMentions() {
  std::set<Place> Known;
  for (const UnitResult &Unit : Units)
    for (const Launch &L : Unit.Facts.Launches)
      Known.insert(L.Where);
  for (MergedKernel &K : Run.Kernels) {
    K.WhyUnseen = whyUnseen(K.Facts, Options);
    const auto Found = Options.Mentions.ByName.find(lastName(K.Facts.Name));
    if (Found == Options.Mentions.ByName.end())
      continue;
    for (const Place &Where : Found->second.Launches)
      if (!Known.count(Where)) {
        Launch &L = K.Launches.emplace_back();
        L.KernelId = K.Facts.Id;
        L.Where = Where;
        L.Source = "a condition, a macro or an unused template leaves it out";
      }
  }
}

// --- Arrays ------------------------------------------------------------------

static void connect(ReachedArray &A, size_t Instance, unsigned Row) {
  insertSorted(A.Kernels, Row);
  insertSorted(A.InstanceKernels[Instance], Row);
}

void Merger::addInstances(ReachedArray &Into, const Finding &F,
                          const ArrayEvidence &Evidence,
                          const UnitResult &Unit) const {
  std::vector<ArrayInstance> &Known = Into.Array.Instances;
  Into.InstanceKernels.resize(Known.size());
  for (auto [Number, I] : llvm::enumerate(F.Instances)) {
    auto At =
        std::ranges::find(Known, I.FunctionId, &ArrayInstance::FunctionId);
    const size_t Index = At - Known.begin();
    if (At == Known.end()) {
      Known.push_back(I);
      Into.InstanceKernels.emplace_back();
    }
    ArrayInstance &Instance = Known[Index];
    Instance.SlotAlignment = std::max(Instance.SlotAlignment, I.SlotAlignment);
    if (Number >= Evidence.Kernels.size())
      continue; // There is no IR.
    for (const std::string &Id : Evidence.Kernels[Number])
      if (auto Own = RowsInUnit.find({&Unit, Id}); Own != RowsInUnit.end())
        for (unsigned Row : Own->second)
          connect(Into, Index, Row);
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
    Into = {};
    Into.Array = F;
    Into.Evidence = Evidence;
  } else {
    mergeFinding(Into.Array, F, Unit.Facts.MainFile);
    mergeEvidence(Into.Evidence, Evidence);
  }
  addInstances(Into, F, Evidence, Unit);
}

void Merger::addArrays(const UnitResult &Unit) {
  const bool MayBeLinked =
      Options.Others != Outside::Nobody && !Unit.Evidence.Functions.empty();
  const LinkedCalls Calls(MayBeLinked ? llvm::ArrayRef(Unit)
                                      : llvm::ArrayRef<UnitResult>());
  const std::set<std::string> Called =
      MayBeLinked ? calledByOthers(Unit, Calls) : std::set<std::string>();
  static const ArrayEvidence None;
  for (auto [I, Found] : llvm::enumerate(Unit.Facts.Findings)) {
    if (!ArrayIndex.count(Found.Where))
      continue;
    const ArrayEvidence &Evidence =
        I < Unit.Evidence.Arrays.size() ? Unit.Evidence.Arrays[I] : None;
    Finding F = Found;
    llvm::append_range(F.Obstacles, Evidence.Obstacles);
    if (NoArrays.contains(F.Where))
      F.Obstacles.push_back({Reason::TranslationUnitsDiffer, F.Where,
                             "instantiations of " + F.Function.Name});
    F.sortObstacles();
    addFinding(F, Evidence, Unit);
    if (auto Why = MayBeLinked ? whyOthersCall(F, Called) : std::nullopt)
      Run.Arrays[ArrayIndex.at(F.Where)].OnlyInCopy = std::move(Why);
  }
}

// Units that read a function with other macros may have other calls in it.
void Merger::addFunctions(const UnitResult &Unit) {
  for (const FunctionText &F : Unit.Facts.Functions) {
    auto Known =
        std::ranges::find(Run.Functions, F.Where, &FunctionText::Where);
    if (Known == Run.Functions.end()) {
      Run.Functions.push_back(F);
      continue;
    }
    llvm::append_range(Known->Calls, F.Calls);
    if (Known->Problem.empty())
      Known->Problem = F.Problem;
  }
}

// What one unit declares and another one defines is known by its symbol. One
// that several units define, as programs side by side do, stays as it is, as
// does one that none defines: no function is at an invalid place.
void Merger::linkFunctions() {
  std::map<std::string, std::set<Place>> Definitions;
  for (const FunctionText &F : Run.Functions)
    if (!F.Symbol.empty())
      Definitions[F.Symbol].insert(F.Where);
  for (FunctionText &F : Run.Functions)
    for (NamedCall &C : F.Calls)
      for (const std::string &Symbol : C.Elsewhere) {
        const std::set<Place> &Found = Definitions[Symbol];
        C.Callees.push_back(Found.size() == 1 ? *Found.begin() : Place());
      }
}

void Merger::addCallees(const UnitResult &Unit) {
  for (const Callee &C : Unit.Facts.Callees) {
    auto [It, New] = Run.Callees.try_emplace(C.Where, C);
    if (!New)
      It->second.Parameters.insert(C.Parameters.begin(), C.Parameters.end());
    // The calls of one unit were seen, not those of others that may include it.
    if (Readers[C.Where.File] > 1 || (Options.Others != Outside::Nobody &&
                                      C.Where.File != Unit.Facts.MainFile))
      It->second.keepType();
  }
}

// Of several units that hold a kernel, the first tells what it does.
void Merger::addWork(const UnitResult &Unit) {
  for (const Kernel &K : kernelsOf(Unit)) {
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
    if (auto At = ArrayIndex.find(Unit.Facts.Findings[Index].Where);
        At != ArrayIndex.end())
      Into->Arrays[At->second] = Work;
}

// --- Calls between units -----------------------------------------------------

static bool areAllRead(llvm::ArrayRef<UnitResult> Units) {
  return llvm::all_of(Units, [](const UnitResult &Unit) {
    return Unit.Evidence.Problem.empty();
  });
}

// What the calls of its function have against its move.
static void addObstacles(ReachedArray &A, const LinkedCalls &Calls) {
  Finding &F = A.Array;
  for (const ArrayInstance &I : F.Instances) {
    const std::set<std::string> Below = Calls.below(I.FunctionId);
    if (!F.Function.IsKernel && Below.count(I.FunctionId))
      F.Obstacles.push_back(
          {Reason::RecursiveFunction, F.Where,
           "it calls itself through another translation unit"});
    if (A.Evidence.IsHandedOn && Calls.anyNamesLocalMemory(Below))
      F.Obstacles.push_back(
          {Reason::InlineAssembly, F.Where, NamedLocalMemory.str()});
  }
}

// A function among \p Callees of which nobody knows what it does; empty: none.
std::string Merger::unseenAmong(const std::set<std::string> &Callees,
                                const LinkedCalls &Calls) const {
  if (Options.Others != Outside::Nobody &&
      Callees.count(std::string(CalledByPointer)))
    return "one that a pointer leads to";
  // A unit without IR may define it; keepWhatUnreadUnitsReach sees to that.
  return areAllRead(Units) ? llvm::demangle(Calls.missingAmong(Callees)) : "";
}

void Merger::followCalls() {
  const LinkedCalls Calls(Units);
  ResourceTable Frames;
  for (const UnitResult &Unit : Units)
    Frames.insert(Unit.Resources.begin(), Unit.Resources.end());
  Calls.addFrames(Frames);
  std::map<unsigned, std::string> Recursions; // By row.
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    if (!Calls.knows(K.Facts.Id))
      continue;
    if (K.Original)
      K.Original->Callees = Frames[K.Facts.Id].Callees;
    const std::set<std::string> Below = Calls.below(K.Facts.Id);
    K.CallsOtherUnits = Calls.leavesUnit(K.Facts.Id, Below);
    K.Shared.merge(Calls.sharedMemoryOf(K.Facts.Id, Below));
    K.WaitsForBlocks |= Calls.waits(K.Facts.Id, Below);
    K.UnseenCallee = unseenAmong(Below, Calls);
    // Storage lies behind what that may have of the memory of launches.
    K.Shared.UsesDynamic |= !K.UnseenCallee.empty();
    if (const std::string Again = Calls.reenteredAmong(Below); !Again.empty())
      Recursions[Row] = "kernel '" + K.Facts.Name + "' calls " + Again +
                        ", and it calls itself";
    for (ReachedArray &A : Run.Arrays) {
      const bool IsOwn = llvm::is_contained(A.Kernels, Row);
      for (auto [I, Instance] : llvm::enumerate(A.Array.Instances))
        if (Below.count(Instance.FunctionId))
          connect(A, I, Row);
      if (!IsOwn && llvm::is_contained(A.Kernels, Row))
        A.KernelsApart.insert(Row);
    }
  }
  for (ReachedArray &A : Run.Arrays) {
    addObstacles(A, Calls);
    for (unsigned Row : A.Kernels)
      if (auto Found = Recursions.find(Row); Found != Recursions.end())
        A.Array.Obstacles.push_back(
            {Reason::RecursiveFunction, A.Array.Where, Found->second});
  }
}

// What nobody sees may call itself, and nvcc is wrong about that. So only what
// a decision asks for moves, as `tune` has compared that in the program, and
// nothing that the callee may take for local memory.
void Merger::keepBesideUnseen() {
  for (auto [A, W] : llvm::zip(Run.Arrays, Run.Wishes))
    for (unsigned Row : A.Kernels)
      if (const std::string &Callee = Run.Kernels[Row].UnseenCallee;
          !Callee.empty() && (A.Evidence.IsHandedOn || !W.Decision))
        A.Array.Obstacles.push_back(
            {Reason::UnseenCallee, A.Array.Where, Callee});
}

// Which kernels of a unit without IR reach a function of another one, and how
// long its functions wait, nobody knows.
void Merger::keepWhatUnreadUnitsReach() {
  if (areAllRead(Units))
    return;
  const LinkedCalls Calls(Units);
  for (ReachedArray &A : Run.Arrays) {
    const bool IsCalled =
        !A.Array.Function.IsKernel &&
        llvm::any_of(A.Array.Instances, [&](const ArrayInstance &I) {
          return Calls.knows(I.FunctionId);
        });
    const bool CallsOthers = llvm::any_of(A.Kernels, [&](unsigned Row) {
      return Run.Kernels[Row].CallsOtherUnits;
    });
    if ((IsCalled || CallsOthers) && A.Evidence.Where == Residency::LocalMemory)
      A.Evidence.Where = Residency::Unknown;
  }
}

MergedRun Merger::merge() {
  for (const UnitResult &Unit : Units) {
    addKernels(Unit);
    NoArrays.insert(Unit.Facts.NoArrays.begin(), Unit.Facts.NoArrays.end());
  }
  for (const UnitResult &Unit : Units) {
    addLaunches(Unit);
    addArrays(Unit);
    addCallees(Unit);
    addFunctions(Unit);
    addWork(Unit);
    Run.Contents.insert(Unit.Facts.Contents.begin(), Unit.Facts.Contents.end());
    if (!Unit.Facts.Expanded.empty())
      Run.Expanded[Unit.Facts.MainFile] = Unit.Facts.Expanded;
    Run.NumberedFiles.insert(Unit.Facts.NumberedFiles.begin(),
                             Unit.Facts.NumberedFiles.end());
  }
  linkFunctions();
  addMentions();
  followCalls();
  keepWhatUnreadUnitsReach();
  Run.Wishes = findWishes(Run, Options, Run.Outcomes);
  keepBesideUnseen();
  for (auto [A, W] : llvm::zip(Run.Arrays, Run.Wishes))
    A.First = firstAsked(A, W);
  return std::move(Run);
}

MergedRun bankstripe::mergeUnits(const std::vector<UnitResult> &Units,
                                 const PlanOptions &Options) {
  return Merger(Units, Options).merge();
}
