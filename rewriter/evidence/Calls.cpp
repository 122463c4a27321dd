//===-- Calls.cpp - who calls whom in a unit's IR -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR, before it is optimised, has the calls that stand nowhere in the text,
// too (docs/internals/front-end.md, "Evidence"). A call through a pointer, or
// of a virtual function, may mean every function whose address is taken
// anywhere in the unit; which of these fits by its type is not asked.
//
// Static storage exists once, so a function that can be entered again before it
// returns cannot hold any: its calls lead back to it. Nor does anything move
// into storage in a kernel that calls such a function, since ptxas is wrong
// about those (docs/reference/reasons/recursive-function.md). Calls that leave
// the unit are followed in plan/LinkedCalls.cpp.
//
//===----------------------------------------------------------------------===//

#include "evidence/Calls.h"

#include "evidence/DeviceModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace bankstripe {
namespace {

using FunctionSet = SmallSetVector<const Function *, 8>;
using VariableSet = SmallSetVector<const GlobalVariable *, 4>;

/// What one body names.
struct Body {
  FunctionSet Callees;
  FunctionSet Passed; ///< Named other than to be called.
  VariableSet Shared;
  bool CallsUnknown = false; ///< Through a pointer, or virtually.
  bool NamesLocalMemory = false;
  AskedSize Asks = AskedSize::None;
};

/// Whether \p I asks in which memory an address lies, or makes it one of local
/// memory (CUDA programming guide, "Address space predicate and conversion
/// functions").
bool namesLocalMemory(const Instruction &I) {
  if (const auto *Cast = dyn_cast<AddrSpaceCastInst>(&I))
    return Cast->getDestAddressSpace() == NVPTXAS::ADDRESS_SPACE_LOCAL;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return Assembly->getAsmString().contains("local") ||
           Assembly->getAsmString().contains("isspacep");
  return is_contained({Intrinsic::nvvm_isspacep_local,
                       Intrinsic::nvvm_isspacep_shared,
                       Intrinsic::nvvm_isspacep_shared_cluster},
                      Call->getIntrinsicID());
}

/// Whether an address in \p Memory gets anywhere else than to an access.
bool isHandedOn(const Value &Memory) {
  return any_of(Memory.users(), [&](const User *U) {
    if (isa<GetElementPtrInst>(U))
      return isHandedOn(*U);
    if (const auto *Store = dyn_cast<StoreInst>(U))
      return Store->getValueOperand() == &Memory;
    const auto *Call = dyn_cast<IntrinsicInst>(U);
    return !isa<LoadInst>(U) &&
           !(Call && (isa<MemIntrinsic>(Call) || Call->isLifetimeStartOrEnd()));
  });
}

bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel;
}

class CallGraph {
public:
  explicit CallGraph(const Module &M);

  const Body &bodyOf(const Function &F) const {
    static const Body Empty;
    auto Found = Bodies.find(&F);
    return Found == Bodies.end() ? Empty : Found->second;
  }
  /// Whatever the calls of \p F lead to; itself only when it is among that.
  /// \p Hidden: calls through pointers too.
  FunctionSet below(const Function &F, bool Hidden = true) const;
  /// What \p F and those \p Below it ask of the size of shared memory.
  AskedSize askedSize(const Function &F, const FunctionSet &Below) const {
    AskedSize Most = bodyOf(F).Asks;
    for (const Function *Callee : Below)
      Most = std::max(Most, bodyOf(*Callee).Asks);
    return Most;
  }
  /// Whether \p F names local memory, or what it calls.
  bool tellsLocalMemory(const Function &F) const {
    return bodyOf(F).NamesLocalMemory ||
           any_of(below(F), [&](const Function *Callee) {
             return bodyOf(*Callee).NamesLocalMemory;
           });
  }
  /// Why \p F may be entered again before it returns; empty when it may not.
  StringRef whyReentered(const Function &F) const;
  /// The functions of the user's that the calls of \p F, or of system headers
  /// in between, lead to first.
  std::set<std::string> userCallees(const Function &F) const;
  /// Likewise, that calls through pointers may lead to.
  std::set<std::string> calledByPointer() const;

private:
  void readConstant(const Constant &C, Body *Into);
  static AskedSize askedSize(const Instruction &I);
  void readOperand(const llvm::Use &Operand, Body &Into);
  void addCallees(const Function &F, bool Hidden, FunctionSet &To) const;

  DenseMap<const Function *, Body> Bodies;
  FunctionSet AddressTaken;
};

} // namespace

// Notes the functions and the shared memory in a constant, down to whatever it
// is made of. What a variable holds is that variable's matter.
void CallGraph::readConstant(const Constant &C, Body *Into) {
  if (const auto *F = dyn_cast<Function>(&C)) {
    if (isKernel(*F) || F->isIntrinsic())
      return; // A kernel is launched, not called.
    AddressTaken.insert(F);
    if (Into)
      Into->Passed.insert(F);
  } else if (const auto *Variable = dyn_cast<GlobalVariable>(&C)) {
    if (Into && Variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
      Into->Shared.insert(Variable);
  } else {
    for (const llvm::Use &Operand : C.operands())
      if (const auto *Part = dyn_cast<Constant>(Operand))
        readConstant(*Part, Into);
  }
}

void CallGraph::readOperand(const llvm::Use &Operand, Body &Into) {
  const auto *Call = dyn_cast<CallBase>(Operand.getUser());
  if (!Call || !Call->isCallee(&Operand)) {
    if (const auto *C = dyn_cast<Constant>(Operand))
      readConstant(*C, &Into);
    return;
  }
  const Value *Callee = Operand->stripPointerCastsAndAliases();
  if (const auto *F = dyn_cast<Function>(Callee)) {
    if (!F->isIntrinsic())
      Into.Callees.insert(F);
  } else if (!isa<InlineAsm>(Callee)) {
    Into.CallsUnknown = true;
  }
}

// PTX ISA, "Special registers".
AskedSize CallGraph::askedSize(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return AskedSize::None;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    return AskedSize::Dynamic;
  case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
  case Intrinsic::nvvm_read_ptx_sreg_aggr_smem_size:
    return AskedSize::All;
  default:
    break;
  }
  const auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand());
  const StringRef Code = Assembly ? Assembly->getAsmString() : "";
  if (Code.contains("total_smem_size") || Code.contains("aggr_smem_size"))
    return AskedSize::All;
  return Code.contains("dynamic_smem_size") ? AskedSize::Dynamic
                                            : AskedSize::None;
}

CallGraph::CallGraph(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      Body &Into = Bodies[&F];
      Into.NamesLocalMemory |= namesLocalMemory(I);
      Into.Asks = std::max(Into.Asks, askedSize(I));
      for (const llvm::Use &Operand : I.operands())
        readOperand(Operand, Into);
    }
  for (const GlobalVariable &Variable : M.globals())
    if (Variable.hasInitializer() && !Variable.getName().starts_with("llvm."))
      readConstant(*Variable.getInitializer(), nullptr);
}

void CallGraph::addCallees(const Function &F, bool Hidden,
                           FunctionSet &To) const {
  const Body &Known = bodyOf(F);
  To.insert_range(Known.Callees);
  if (Hidden && Known.CallsUnknown)
    To.insert_range(AddressTaken);
}

FunctionSet CallGraph::below(const Function &F, bool Hidden) const {
  FunctionSet Seen;
  addCallees(F, Hidden, Seen);
  for (unsigned I = 0; I < Seen.size(); ++I)
    addCallees(*Seen[I], Hidden, Seen);
  return Seen;
}

StringRef CallGraph::whyReentered(const Function &F) const {
  if (below(F, /*Hidden=*/false).contains(&F))
    return "it calls itself";
  if (below(F).contains(&F))
    return "it may call itself through a pointer or a virtual function";
  return "";
}

std::set<std::string> CallGraph::userCallees(const Function &F) const {
  FunctionSet Seen;
  std::set<std::string> Result;
  auto Add = [&](const Function &From) {
    addCallees(From, /*Hidden=*/false, Seen);
    Seen.insert_range(bodyOf(From).Passed);
    if (bodyOf(From).CallsUnknown)
      Result.insert(CalledByPointer.str());
  };
  Add(F);
  // NOLINTNEXTLINE(modernize-loop-convert): it grows.
  for (unsigned I = 0; I < Seen.size(); ++I)
    if (isOfSystem(*Seen[I]))
      Add(*Seen[I]);
    else
      Result.insert(sourceName(*Seen[I]).str());
  return Result;
}

std::set<std::string> CallGraph::calledByPointer() const {
  std::set<std::string> Result;
  for (const Function *F : AddressTaken)
    if (isOfSystem(*F))
      Result.merge(userCallees(*F));
    else
      Result.insert(sourceName(*F).str());
  return Result;
}

static uint64_t sizeOf(const GlobalVariable &Variable) {
  return Variable.isDeclaration() ? 0
                                  : Variable.getDataLayout().getTypeAllocSize(
                                        Variable.getValueType());
}

// Shared memory of the kernel and of what it calls, and what they ask of it.
// Two callees that are never active at once could share bytes; the sum is on
// the safe side.
static SharedMemory sharedMemoryOf(const Function &F, const FunctionSet &Below,
                                   const CallGraph &Calls) {
  SharedMemory Result;
  Result.Asks = Calls.askedSize(F, Below);
  VariableSet All = Calls.bodyOf(F).Shared;
  for (const Function *Callee : Below)
    All.insert_range(Calls.bodyOf(*Callee).Shared);
  for (const GlobalVariable *Variable : All) {
    Result.UsesDynamic |= Variable->isDeclaration();
    Result.StaticBytes += sizeOf(*Variable);
  }
  return Result;
}

namespace {

/// The functions that hold one finding, by its instances. Where a function's
/// name is that of none (constructors have several), it counts for all.
using Holders = std::vector<FunctionSet>;

class ReachReader {
public:
  ReachReader(const Module &M, const AllocaTracker &Tracker,
              const UnitFacts &Facts, UnitEvidence &Result);

  void connectKernels();
  void checkHolders(bool Linked);
  void listFunctions();

private:
  Holders holdersOf(const Finding &F,
                    const SmallDenseSet<Function *> &WithAlloca) const;
  bool connect(const Function &Entry, const FunctionSet &Below, bool IsKnown);
  std::string recursionIn(const Function &Kernel, const FunctionSet &Below);

  const Module &M;
  CallGraph Calls;
  const UnitFacts &Facts;
  UnitEvidence &Result;
  const AllocaTracker &Tracker;
  StringMap<const Function *> ByName;              ///< Those with bodies.
  DenseMap<const Function *, StringRef> Reentered; ///< Why, or empty.
  std::vector<Holders> Holding; ///< Parallel to the findings.
};

} // namespace

ReachReader::ReachReader(const Module &M, const AllocaTracker &Tracker,
                         const UnitFacts &Facts, UnitEvidence &Result)
    : M(M), Calls(M), Facts(Facts), Result(Result), Tracker(Tracker) {
  for (const Function &F : M)
    if (!F.isDeclaration())
      ByName[sourceName(F)] = &F;
  for (auto [Index, F] : enumerate(Facts.Findings)) {
    Holding.push_back(holdersOf(F, Tracker.holdersOf(Index)));
    std::vector<std::set<std::string>> &Kernels = Result.Arrays[Index].Kernels;
    Kernels.resize(F.Instances.size());
    // A kernel that nobody launches may have no IR.
    for (auto [Reaching, Instance] : zip(Kernels, F.Instances))
      if (F.Function.IsKernel)
        Reaching.insert(Instance.FunctionId);
  }
}

Holders
ReachReader::holdersOf(const Finding &F,
                       const SmallDenseSet<Function *> &WithAlloca) const {
  Holders Result(F.Instances.size());
  for (auto [Functions, Instance] : zip(Result, F.Instances))
    if (auto Named = ByName.find(Instance.FunctionId); Named != ByName.end())
      Functions.insert(Named->second);
  for (const Function *Holder : WithAlloca)
    if (none_of(Result, [&](const FunctionSet &Known) {
          return Known.contains(Holder);
        }))
      for (FunctionSet &Each : Result)
        Each.insert(Holder);
  return Result;
}

// Which function \p Kernel reaches that may be entered again; empty: none.
std::string ReachReader::recursionIn(const Function &Kernel,
                                     const FunctionSet &Below) {
  for (const Function *F : Below) {
    auto [At, IsNew] = Reentered.try_emplace(F);
    if (IsNew)
      At->second = Calls.whyReentered(*F);
    if (!At->second.empty())
      return "kernel '" + demangle(sourceName(Kernel)) + "' calls '" +
             demangle(sourceName(*F)) + "', and " + At->second.str();
  }
  return "";
}

// \returns whether \p Entry, a kernel, reaches a finding.
bool ReachReader::connect(const Function &Entry, const FunctionSet &Below,
                          bool IsKnown) {
  bool Any = false;
  const std::string Recursion = recursionIn(Entry, Below);
  for (auto [F, Held, E] : zip(Facts.Findings, Holding, Result.Arrays)) {
    bool IsReached = false;
    for (auto [Kernels, Functions] : zip(E.Kernels, Held)) {
      if (none_of(Functions, [&](const Function *Holder) {
            return Holder == &Entry || Below.contains(Holder);
          }))
        continue;
      Any = IsReached = true;
      if (IsKnown)
        Kernels.insert(sourceName(Entry).str());
    }
    if (IsReached && !Recursion.empty())
      E.Obstacles.push_back({Reason::RecursiveFunction, F.Where, Recursion});
    if (IsReached && !IsKnown && E.Obstacles.empty())
      E.Obstacles.push_back(
          {Reason::BlockSizeUnknown, F.Where,
           "a kernel of a system header calls '" + F.Function.Name + "'"});
  }
  return Any;
}

// What the launch bounds of a kernel say; 0 for none.
static unsigned boundOf(const Function &Kernel) {
  StringRef Text = Kernel.getFnAttribute("nvvm.maxntid").getValueAsString();
  unsigned Threads = 0;
  return Text.consumeInteger(10, Threads) || !Text.empty() ? 0 : Threads;
}

void ReachReader::connectKernels() {
  StringSet<> Known;
  for (const Kernel &K : Facts.Kernels)
    Known.insert(K.Id);
  for (const Function &F : M) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    const FunctionSet Below = Calls.below(F);
    const std::string Name = sourceName(F).str();
    const bool IsKnown = Known.contains(Name);
    const unsigned Threads = IsKnown ? 0 : boundOf(F);
    const bool IsOurs = connect(F, Below, IsKnown || Threads) && Threads;
    if (IsOurs)
      Result.SystemKernels[Name] = {placeOf(F), Threads};
    if (IsKnown || IsOurs)
      Result.Kernels[Name] = sharedMemoryOf(F, Below, Calls);
  }
}

void ReachReader::checkHolders(bool Linked) {
  for (auto [Index, F] : enumerate(Facts.Findings)) {
    const Holders &Held = Holding[Index];
    ArrayEvidence &E = Result.Arrays[Index];
    std::set<StringRef> Reasons;
    bool NamesLocalMemory = false;
    for (const FunctionSet &Functions : Held)
      for (const Function *Holder : Functions) {
        if (!isKernel(*Holder))
          Reasons.insert(Calls.whyReentered(*Holder));
        NamesLocalMemory |= Calls.tellsLocalMemory(*Holder);
      }
    // Of what has none nothing is known.
    const auto Allocas = Tracker.allocasOf(Index);
    const bool MayBeAsked =
        Allocas.empty() || any_of(Allocas, [](const AllocaInst *Alloca) {
          return isHandedOn(*Alloca);
        });
    E.IsHandedOn = Linked && MayBeAsked;
    if (NamesLocalMemory && MayBeAsked)
      E.Obstacles.push_back(
          {Reason::InlineAssembly, F.Where, NamedLocalMemory.str()});
    for (StringRef Why : Reasons)
      if (!Why.empty())
        E.Obstacles.push_back({Reason::RecursiveFunction, F.Where, Why.str()});
  }
}

// What other units have to know of this one's functions.
void ReachReader::listFunctions() {
  for (const Function &F : M) {
    if (F.isIntrinsic() || isOfSystem(F))
      continue;
    DeviceFunction &Listed = Result.Functions.emplace_back();
    Listed.Id = sourceName(F).str();
    Listed.Defined = !F.isDeclaration();
    Listed.NamesLocalMemory = Calls.tellsLocalMemory(F);
    const std::set<std::string> Callees = Calls.userCallees(F);
    Listed.Calls.assign(Callees.begin(), Callees.end());
    Listed.Shared = sharedMemoryOf(F, {}, Calls);
    Listed.Shared.Asks = Calls.askedSize(F, Calls.below(F));
  }
  const std::set<std::string> ByPointer = Calls.calledByPointer();
  if (!ByPointer.empty())
    Result.Functions.push_back({CalledByPointer.str(),
                                {ByPointer.begin(), ByPointer.end()},
                                /*Defined=*/true,
                                SharedMemory(),
                                /*NamesLocalMemory=*/false});
}

void readCalls(const Module &M, const AllocaTracker &Tracker, bool Linked,
               const UnitFacts &Facts, UnitEvidence &Result) {
  ReachReader Reader(M, Tracker, Facts, Result);
  Reader.checkHolders(Linked);
  Reader.connectKernels();
  if (Linked)
    Reader.listFunctions();
}

} // namespace bankstripe
