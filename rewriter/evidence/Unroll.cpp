//===-- Unroll.cpp - would unrolling help ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array stays in local memory when one index is no constant after all
// optimisations. Often that index is the counter of a loop with a constant
// number of turns which the optimiser thought too long to unroll. Then a pragma
// is all that is needed, and registers are faster than anything else.
//
// No rule tells for sure, so the optimiser is asked:
//
//   optimised IR => the loops in which the addresses of an array's accesses
//                   vary. All must be known from the source and count from a
//                   constant to a constant; an address that varies for another
//                   reason ends the matter
//   plain IR     => of those loops that the optimiser made disappear, the ones
//                   that count through the array as well: the compiler of the
//                   program need not have unrolled them, or may have made a
//                   memset of one
//   plain IR, with all of these marked `llvm.loop.unroll.full`
//                => optimised once more. If no alloca of the array survives,
//                   unrolling these loops is what brings it into registers
//
// What its author marked is not marked again: such loops are none of
// UnitFacts::Loops. In the optimised IR LLVM has marks of its own, so that is
// asked of the plain one.
//
// Limits
// ------
// A thread has at most 255 registers, and the fewer the threads of a
// multiprocessor need, the more of them run. An array of 64 words leaves the
// kernel with about a hundred registers, 16 to 20 warps of 64, which registers
// make good; a larger one would be spilled, to local memory again. nvcc unrolls
// without being told up to some 2,500 instructions (seen on loops of 32 to 64
// turns), so a smaller limit would advise what it does anyway. 6,144 more
// instructions of 16 bytes are 96 KB, three quarters of the instruction cache
// of a multiprocessor (128 KB since 7.0); beyond, fetching them can cost more
// than local memory does. The growth is what was counted after the second
// optimisation: the number of turns times what is left of the body.
//
//===----------------------------------------------------------------------===//

#include "evidence/Unroll.h"

#include "evidence/Uniformity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <optional>

using namespace llvm;

namespace bankstripe {
namespace {

/// Loops by where they begin. Nothing: no array is to be helped that way.
using LoopSet = std::set<Place>;
using Candidates = std::map<unsigned, LoopSet>; ///< By the finding's number.

/// Leads from the loops of the IR to those of the source.
class SourceLoops {
public:
  explicit SourceLoops(const std::map<Place, CountedLoop> &Loops) {
    for (const auto &[Where, L] : Loops)
      if (L.MostTrips > 0)
        ByPosition[keyOf(Where.File, Where.Line, Where.Column)].push_back(
            Where);
  }

  /// The loop that \p LoopId, the metadata of a loop, belongs to.
  std::optional<Place> find(const MDNode *LoopId) const;
  /// The loop that \p L comes from.
  std::optional<Place> find(const Loop &L) const;

private:
  std::optional<Place> at(const DILocation &Start) const;

  using Key = std::tuple<std::string, unsigned, unsigned>;
  static Key keyOf(StringRef File, unsigned Line, unsigned Column) {
    return {sys::path::filename(File).str(), Line, Column};
  }
  std::map<Key, std::vector<Place>> ByPosition;
};

/// The analyses that name loops and what varies in them.
class LoopAnalyses {
public:
  LoopAnalyses() {
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  }
  FunctionAnalysisManager &functions() { return Functions; }

private:
  PassBuilder Builder;
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
};

} // namespace

// Two files of one name may have a loop at the same place.
std::optional<Place> SourceLoops::at(const DILocation &Start) const {
  auto It = ByPosition.find(
      keyOf(Start.getFilename(), Start.getLine(), Start.getColumn()));
  if (It == ByPosition.end() || It->second.size() != 1)
    return std::nullopt;
  return It->second.front();
}

std::optional<Place> SourceLoops::find(const MDNode *LoopId) const {
  if (LoopId)
    for (const MDOperand &Operand : drop_begin(LoopId->operands()))
      if (const auto *Start = dyn_cast<DILocation>(Operand))
        return at(*Start);
  return std::nullopt;
}

// A loop that was unrolled in part can lose its metadata. The branch that its
// condition became still says where the loop begins.
std::optional<Place> SourceLoops::find(const Loop &L) const {
  if (const MDNode *Id = L.getLoopID())
    return find(Id);
  SmallVector<BasicBlock *> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *Block : Exiting)
    if (const DILocation *Branch = Block->getTerminator()->getDebugLoc())
      if (auto Where = at(*Branch))
        return Where;
  return std::nullopt;
}

namespace {

/// Collects the loops that the value of an expression varies with.
class VariationFinder {
public:
  VariationFinder(const LoopInfo &Loops, ScalarEvolution &Evolution)
      : Loops(Loops), Evolution(Evolution) {}

  void add(const SCEV *Expression) {
    visitAll(Expression, *this);
    while (!Pending.empty())
      visitAll(Pending.pop_back_val(), *this);
  }

  // What SCEVTraversal asks of its visitor.
  bool follow(const SCEV *S);
  bool isDone() const { return VariesOtherwise; }

  SmallPtrSet<const Loop *, 4> Varying;
  bool VariesOtherwise = false; ///< With what no unrolling makes constant.

private:
  void addValue(const Value *V);

  const LoopInfo &Loops;
  ScalarEvolution &Evolution;
  SmallVector<const SCEV *> Pending;
  SmallPtrSet<const Value *, 8> Seen;
};

} // namespace

bool VariationFinder::follow(const SCEV *S) {
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S))
    Varying.insert(Recurrence->getLoop());
  else if (const auto *Unknown = dyn_cast<SCEVUnknown>(S))
    addValue(Unknown->getValue());
  return true;
}

void VariationFinder::addValue(const Value *V) {
  if (isa<AllocaInst, Constant>(V) || !Seen.insert(V).second)
    return;
  const auto *I = dyn_cast<Instruction>(V);
  if (const auto *Load = dyn_cast<LoadInst>(V)) {
    // An element of a constant table is as constant as its index.
    const auto *Table = dyn_cast<GlobalVariable>(
        getUnderlyingObject(Load->getPointerOperand()));
    if (Table && Table->isConstant() && Table->hasDefinitiveInitializer())
      Pending.push_back(
          Evolution.getSCEV(const_cast<Value *>(Load->getPointerOperand())));
    else
      VariesOtherwise = true;
  } else if (!I || isa<CallBase>(I)) {
    VariesOtherwise = true;
  } else {
    // A value that is passed around a loop, or chosen in it, in a way that
    // scalar evolution does not see through.
    for (const Loop *L = Loops.getLoopFor(I->getParent()); L;
         L = L->getParentLoop())
      Varying.insert(L);
  }
}

// The loops whose counters are in the address of Access. Nothing when it
// depends on something else too, or on a loop that cannot be unrolled.
static std::optional<LoopSet> loopsLeading(const llvm::Use &Access,
                                           const LoopInfo &Loops,
                                           ScalarEvolution &Evolution,
                                           const SourceLoops &Known) {
  VariationFinder Variation(Loops, Evolution);
  Variation.add(Evolution.getSCEV(Access.get()));
  if (Variation.VariesOtherwise || Variation.Varying.empty())
    return std::nullopt;
  LoopSet Result;
  for (const Loop *L : Variation.Varying) {
    auto Where = Known.find(*L);
    if (!Where)
      return std::nullopt;
    Result.insert(*Where);
  }
  return Result;
}

// The arrays of M, which is optimised, that loops alone keep in local memory.
static Candidates candidatesIn(Module &M, const AllocaTracker &Tracker,
                               const SourceLoops &Known) {
  LoopAnalyses Analyses;
  const DataLayout &DL = M.getDataLayout();
  Candidates Result;
  std::set<unsigned> Hopeless;
  for (Function &F : M) {
    const SmallVector<ResidentAlloca> Survivors = Tracker.survivors(F);
    if (Survivors.empty())
      continue;
    auto &Functions = Analyses.functions();
    const LoopInfo &Loops = Functions.getResult<LoopAnalysis>(F);
    auto &Evolution = Functions.getResult<ScalarEvolutionAnalysis>(F);
    for (const ResidentAlloca &R : Survivors)
      for (const llvm::Use *Access : accessesTo(*R.Alloca)) {
        if (hasConstantOffset(*Access->get(), DL))
          continue;
        auto Leading = loopsLeading(*Access, Loops, Evolution, Known);
        if (Leading)
          Result[R.FindingIndex].insert(Leading->begin(), Leading->end());
        else
          Hopeless.insert(R.FindingIndex);
      }
  }
  for (unsigned Index : Hopeless)
    Result.erase(Index);
  return Result;
}

// The variables that Index is computed from, in IR that keeps them in memory.
static SmallPtrSet<const AllocaInst *, 4> variablesIn(const Value *Index) {
  SmallPtrSet<const AllocaInst *, 4> Result;
  SmallVector<const Value *> Pending{Index};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Pending.empty()) {
    const Value *V = Pending.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Seen.insert(V).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      if (const auto *Variable = dyn_cast<AllocaInst>(
              Load->getPointerOperand()->stripPointerCasts()))
        Result.insert(Variable);
      continue;
    }
    append_range(Pending, I->operands());
  }
  return Result;
}

static bool assigns(const Loop &L, const AllocaInst &Variable) {
  SmallVector<const Value *> Addresses{&Variable};
  while (!Addresses.empty())
    for (const User *U : Addresses.pop_back_val()->users()) {
      if (isa<AddrSpaceCastInst>(U))
        Addresses.push_back(U);
      else if (const auto *Store = dyn_cast<StoreInst>(U);
               Store && L.contains(Store))
        return true;
    }
  return false;
}

// Calls Found with each loop of Plain in which an index of an array varies, and
// with the array's number.
static void
forEachCountingLoop(Module &Plain, const AllocaTracker &Tracker,
                    function_ref<void(unsigned, const Loop &)> Found) {
  LoopAnalyses Analyses;
  for (Function &F : Plain)
    for (const ResidentAlloca &R : Tracker.survivors(F)) {
      const LoopInfo &Loops = Analyses.functions().getResult<LoopAnalysis>(F);
      for (const llvm::Use *Access : accessesTo(*R.Alloca)) {
        const auto *I = cast<Instruction>(Access->getUser());
        const auto Variables = variablesIn(Access->get());
        for (const Loop *L = Loops.getLoopFor(I->getParent()); L;
             L = L->getParentLoop())
          if (any_of(Variables, [&](const AllocaInst *V) {
                return V != R.Alloca && assigns(*L, *V);
              }))
            Found(R.FindingIndex, *L);
      }
    }
}

static LoopSet loopsIn(Module &M, const SourceLoops &Known) {
  LoopAnalyses Analyses;
  LoopSet Result;
  for (Function &F : M)
    if (!F.isDeclaration())
      for (const Loop *L :
           Analyses.functions().getResult<LoopAnalysis>(F).getLoopsInPreorder())
        if (auto Where = Known.find(*L))
          Result.insert(*Where);
  return Result;
}

// Tells the optimiser to unroll the given loops of M.
static void markLoops(Module &M, const LoopSet &Wanted,
                      const SourceLoops &Known) {
  LLVMContext &Context = M.getContext();
  MDNode *Full =
      MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.full"));
  DenseMap<MDNode *, MDNode *> Marked;
  for (Function &F : M)
    for (BasicBlock &Block : F) {
      Instruction &Latch = *Block.getTerminator();
      MDNode *Id = Latch.getMetadata("llvm.loop");
      auto Where = Known.find(Id);
      if (!Where || !Wanted.count(*Where))
        continue;
      MDNode *&New = Marked[Id];
      if (!New) {
        SmallVector<Metadata *> Operands{nullptr};
        append_range(Operands, drop_begin(Id->operands()));
        Operands.push_back(Full);
        New = MDNode::getDistinct(Context, Operands);
        New->replaceOperandWith(0, New);
      }
      Latch.setMetadata("llvm.loop", New);
    }
}

static unsigned instructionsIn(const Module &M, const StringSet<> &Names) {
  unsigned Count = 0;
  for (const Function &F : M)
    if (Names.contains(F.getName()))
      Count += F.getInstructionCount();
  return Count;
}

static StringSet<> definedIn(const Module &M) {
  StringSet<> Names;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Names.insert(F.getName());
  return Names;
}

namespace {

/// Tries one set of loops after the other.
class Trials {
public:
  Trials(const Module &Plain, const Module &Optimised, const UnitFacts &Facts,
         const SourceLoops &Known, function_ref<bool(Module &)> Optimize)
      : Plain(Plain), Optimised(Optimised), Facts(Facts), Known(Known),
        Optimize(Optimize) {}

  /// Unrolls \p Loops for the arrays \p Indices, and notes for which of them it
  /// helps.
  void run(const LoopSet &Loops, ArrayRef<unsigned> Indices,
           MutableArrayRef<ArrayEvidence> Arrays) const;

private:
  const Module &Plain;
  const Module &Optimised;
  const UnitFacts &Facts;
  const SourceLoops &Known;
  function_ref<bool(Module &)> Optimize;
};

} // namespace

void Trials::run(const LoopSet &Loops, ArrayRef<unsigned> Indices,
                 MutableArrayRef<ArrayEvidence> Arrays) const {
  std::unique_ptr<Module> Copy = CloneModule(Plain);
  AllocaTracker Tracker(*Copy, Facts.Findings);
  SmallDenseSet<Function *> Holders;
  for (Function &F : *Copy)
    if (any_of(Tracker.survivors(F), [&](const ResidentAlloca &R) {
          return is_contained(Indices, R.FindingIndex);
        }))
      Holders.insert(&F);
  keepOnly(*Copy, Holders);
  const StringSet<> Names = definedIn(*Copy);
  markLoops(*Copy, Loops, Known);
  if (!Optimize(*Copy))
    return;
  std::set<unsigned> Resident;
  for (Function &F : *Copy)
    for (const ResidentAlloca &R : Tracker.survivors(F))
      Resident.insert(R.FindingIndex);
  const unsigned Before = instructionsIn(Optimised, Names);
  const unsigned After = instructionsIn(*Copy, Names);
  const unsigned Growth = After > Before ? After - Before : 0;
  for (unsigned Index : Indices)
    if (!Resident.count(Index) && Growth <= MostUnrolledGrowth)
      Arrays[Index].Unroll = {Loops, Growth};
}

void tryUnrolling(Module &Plain, Module &Optimised,
                  const AllocaTracker &Tracker, const UnitFacts &Facts,
                  function_ref<bool(Module &)> Optimize,
                  MutableArrayRef<ArrayEvidence> Arrays) {
  const SourceLoops Known(Facts.Loops);
  Candidates Found = candidatesIn(Optimised, Tracker, Known);
  std::erase_if(Found, [&](const auto &Candidate) {
    const ArrayEvidence &E = Arrays[Candidate.first];
    return E.Index == Uniformity::NonUniform ||
           E.ResidentBytes > MostUnrolledWords * 4;
  });
  if (Found.empty())
    return;
  const LoopSet Left = loopsIn(Optimised, Known);
  forEachCountingLoop(Plain, Tracker, [&](unsigned Index, const Loop &L) {
    auto Where = Known.find(L);
    if (auto It = Found.find(Index);
        It != Found.end() && Where && !Left.count(*Where))
      It->second.insert(*Where);
  });
  std::map<LoopSet, std::vector<unsigned>> Groups;
  for (const auto &[Index, Loops] : Found)
    Groups[Loops].push_back(Index);
  const Trials T(Plain, Optimised, Facts, Known, Optimize);
  for (const auto &[Loops, Indices] : Groups)
    T.run(Loops, Indices, Arrays);
}

} // namespace bankstripe
