//===-- AddressFlow.cpp - where the addresses of arrays get to ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before optimisation, parameters and local pointers are variables in memory.
// So two kinds of values are followed: addresses of the array, and addresses of
// memory that may hold one of either kind (a pointer variable, a closure). What
// is loaded as a pointer from the second kind counts as that kind, of which
// more is asked. Neither order nor context matters: a function's parameter is
// followed for all of its callers.
//
//===----------------------------------------------------------------------===//

#include "evidence/AddressFlow.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

// CUDA programming guide, "Address space predicate and conversion functions".
bool bankstripe::namesLocalMemory(const Instruction &I) {
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

namespace {

class Flow {
public:
  void follow(const Value *V, bool Holds);
  bool run();

private:
  bool visit(const Instruction &User, const Value *V, bool Holds);
  bool visitCall(const CallBase &Call, const Value *V, bool Holds);
  bool keepIn(const Value *Memory);
  static bool forEachCall(const Function &F,
                          function_ref<bool(const CallBase &)> Action);

  /// A value, and 1 if it is the address of memory that may hold addresses.
  using Fact = std::pair<const Value *, unsigned>;
  DenseSet<Fact> Known;
  SmallVector<Fact> Waiting;
  DenseSet<const Value *> Keeping; ///< Memory that gets addresses.
};

} // namespace

// As such, as a number, or in a structure.
static bool mayBeAddress(const Type *T) {
  return T->isPointerTy() || T->isAggregateType() || T->isIntegerTy(64);
}

void Flow::follow(const Value *V, bool Holds) {
  if (Known.insert({V, Holds}).second)
    Waiting.push_back({V, Holds});
}

// \p Memory gets an address. \returns false where others may read it.
bool Flow::keepIn(const Value *Memory) {
  const Value *Object = Memory->stripInBoundsOffsets();
  if (!Keeping.insert(Object).second)
    return true;
  follow(Object, /*Holds=*/true);
  if (isa<AllocaInst>(Object))
    return true;
  // Through a pointer variable, as those of parameters are.
  if (const auto *Load = dyn_cast<LoadInst>(Object)) {
    const auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand());
    return Variable && all_of(Variable->users(), [&](const User *U) {
             if (const auto *Store = dyn_cast<StoreInst>(U))
               return Store->getPointerOperand() == Variable &&
                      keepIn(Store->getValueOperand());
             const auto *Call = dyn_cast<CallBase>(U);
             return isa<LoadInst>(U) || (Call && Call->isLifetimeStartOrEnd());
           });
  }
  const auto *Parameter = dyn_cast<Argument>(Object);
  if (!Parameter)
    return false;
  const unsigned Index = Parameter->getArgNo();
  return Parameter->hasByValAttr() ||
         forEachCall(*Parameter->getParent(), [&](const CallBase &Call) {
           return keepIn(Call.getArgOperand(Index));
         });
}

// \returns false where calls of \p F are not known or \p Action says so.
bool Flow::forEachCall(const Function &F,
                       function_ref<bool(const CallBase &)> Action) {
  return F.getCallingConv() != CallingConv::PTX_Kernel && !F.use_empty() &&
         all_of(F.users(), [&](const User *U) {
           const auto *Call = dyn_cast<CallBase>(U);
           return Call && Call->getCalledFunction() == &F && Action(*Call);
         });
}

bool Flow::visitCall(const CallBase &Call, const Value *V, bool Holds) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&Call))
    return Copy->getRawSource() != V || !Holds || keepIn(Copy->getRawDest());
  if (isa<MemIntrinsic>(Call) || Call.isLifetimeStartOrEnd())
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->isIntrinsic()) {
    if (mayBeAddress(Call.getType()))
      follow(&Call, Holds);
    return true;
  }
  if (!Callee || Callee->isDeclaration() || Callee->isVarArg())
    return false;
  for (const auto &[Index, Argument] : enumerate(Call.args()))
    if (Argument == V)
      follow(Callee->getArg(Index), Holds);
  return true;
}

bool Flow::visit(const Instruction &User, const Value *V, bool Holds) {
  if (bankstripe::namesLocalMemory(User))
    return false;
  if (const auto *Call = dyn_cast<CallBase>(&User))
    return visitCall(*Call, V, Holds);
  if (const auto *Store = dyn_cast<StoreInst>(&User))
    return Store->getValueOperand() != V || keepIn(Store->getPointerOperand());
  if (isa<LoadInst>(User)) {
    if (Holds && mayBeAddress(User.getType()))
      follow(&User, /*Holds=*/true);
    return true;
  }
  if (isa<ReturnInst>(User))
    return forEachCall(*User.getFunction(), [&](const CallBase &Call) {
      follow(&Call, Holds);
      return true;
    });
  if (isa<CmpInst>(User))
    return true;
  // What is stored, or comes out, may be an address.
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(User))
    return !is_contained(drop_begin(User.operand_values()), V) &&
           !(Holds && mayBeAddress(User.getOperand(1)->getType()));
  if (isa<PtrToIntInst>(User))
    return false;
  follow(&User, Holds);
  return true;
}

bool Flow::run() {
  while (!Waiting.empty()) {
    const auto [V, Holds] = Waiting.pop_back_val();
    for (const User *U : V->users())
      if (const auto *I = dyn_cast<Instruction>(U); !I || !visit(*I, V, Holds))
        return false;
  }
  return true;
}

bool bankstripe::isAskedWhereItLies(ArrayRef<const AllocaInst *> Allocas) {
  Flow F;
  if (Allocas.empty())
    return true; // Nothing is known about it.
  for (const AllocaInst *Alloca : Allocas)
    F.follow(Alloca, /*Holds=*/false);
  return !F.run();
}
