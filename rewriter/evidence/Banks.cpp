//===-- Banks.cpp - what lanes ask of shared arrays -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which banks the lanes of a warp use depends on more than one stride: where a
// block is 16 wide, a warp spans two rows of it. So each index is taken down as
// it is computed from threadIdx, to be repeated for every lane (plan/Padding).
// This is no question for Lanes.cpp, which has one number for neighbouring
// lanes and may guess.
//
// The IR is looked at before it is optimised, where an access still has one
// index per dimension and stands once however far its loop is unrolled. Only a
// copy of the functions with such arrays is brought into SSA form.
//
//===----------------------------------------------------------------------===//

#include "evidence/Banks.h"
#include "evidence/DeviceModule.h"
#include "evidence/Divergence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace bankstripe {
namespace {

using Kind = LaneStep::Kind;
using Steps = std::vector<LaneStep>;

/// Longer indices are given up.
constexpr size_t MostSteps = 64;

std::optional<LaneStep> specialRegister(const Value &V) {
  const auto *Call = dyn_cast<CallBase>(&V);
  switch (Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return LaneStep{Kind::Thread, 0};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return LaneStep{Kind::Thread, 1};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return LaneStep{Kind::Thread, 2};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return LaneStep{Kind::Extent, 0};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return LaneStep{Kind::Extent, 1};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return LaneStep{Kind::Extent, 2};
  default:
    return std::nullopt;
  }
}

std::optional<Kind> kindOf(unsigned Opcode) {
  switch (Opcode) {
  case Instruction::Add:
    return Kind::Add;
  case Instruction::Sub:
    return Kind::Subtract;
  case Instruction::Mul:
    return Kind::Multiply;
  case Instruction::UDiv:
  case Instruction::SDiv:
    return Kind::Divide;
  case Instruction::URem:
  case Instruction::SRem:
    return Kind::Remainder;
  case Instruction::And:
    return Kind::And;
  case Instruction::Or:
    return Kind::Or;
  case Instruction::Xor:
    return Kind::Xor;
  case Instruction::Shl:
    return Kind::ShiftLeft;
  case Instruction::LShr:
  case Instruction::AShr:
    return Kind::ShiftRight;
  default:
    return std::nullopt;
  }
}

/// Takes down the accesses of one function to one array.
class AccessReader {
public:
  AccessReader(const SharedArray &Array, Function &F, const Divergence &Differs,
               const LoopInfo &Loops, std::vector<SharedAccess> &Result)
      : Array(Array), F(F), Differs(Differs), Loops(Loops), Result(Result),
        Layout(F.getDataLayout()) {}

  /// Follows \p Address, which is \p Terms into the array.
  struct Term {
    int64_t Bytes;
    const Value *Index; ///< Null for a constant.
  };
  void follow(const Value &Address, const SmallVector<Term> &Terms);

private:
  bool take(const Value &V, Steps &Into);
  bool takePhi(const PHINode &Phi, Steps &Into);
  void add(const Instruction &I, Type *Accessed, ArrayRef<Term> Terms);
  std::vector<Steps> indicesOf(ArrayRef<Term> Terms, uint64_t &Offset);

  const SharedArray &Array;
  Function &F;
  const Divergence &Differs;
  const LoopInfo &Loops;
  std::vector<SharedAccess> &Result;
  const DataLayout &Layout;
};

} // namespace

// What grows by the same for all lanes in each round, began as it did.
bool AccessReader::takePhi(const PHINode &Phi, Steps &Into) {
  const Value *Begin = nullptr;
  for (const Value *V : Phi.incoming_values()) {
    const auto *Step = dyn_cast<BinaryOperator>(V);
    if (Step && Step->getOpcode() == Instruction::Add &&
        is_contained(Step->operands(), &Phi) &&
        !Differs.of(*Step->getOperand(Step->getOperand(0) == &Phi)))
      continue;
    if (Begin)
      return false;
    Begin = V;
  }
  if (!Begin || !take(*Begin, Into))
    return false;
  Into.push_back({Kind::Uniform, 0});
  Into.push_back({Kind::Add, 0});
  return true;
}

bool AccessReader::take(const Value &V, Steps &Into) {
  if (Into.size() > MostSteps)
    return false;
  if (const auto *C = dyn_cast<ConstantInt>(&V)) {
    Into.push_back({Kind::Constant, C->getSExtValue()});
    return C->getBitWidth() <= 64;
  }
  if (auto Register = specialRegister(V)) {
    Into.push_back(*Register);
    return true;
  }
  const size_t Before = Into.size();
  const auto *O = dyn_cast<Operator>(&V);
  const auto Operation = O ? kindOf(O->getOpcode()) : std::nullopt;
  bool Known = false;
  if (Operation) {
    Known = take(*O->getOperand(0), Into) && take(*O->getOperand(1), Into);
    Into.push_back({*Operation, 0});
  } else if (isa<ZExtInst, SExtInst, TruncInst, FreezeInst>(V)) {
    Known = take(*cast<Instruction>(V).getOperand(0), Into);
  } else if (const auto *Phi = dyn_cast<PHINode>(&V); Phi && Differs.of(V)) {
    Known = takePhi(*Phi, Into);
  }
  if (Known || Differs.of(V))
    return Known;
  Into.resize(Before);
  Into.push_back({Kind::Uniform, 0});
  return true;
}

// Each term belongs to the outermost dimension whose elements it counts.
std::vector<Steps> AccessReader::indicesOf(ArrayRef<Term> Terms,
                                           uint64_t &Offset) {
  std::vector<Steps> Result(Array.Extents.size());
  for (const Term &T : Terms) {
    int64_t Rest = T.Bytes, Pitch = Array.ElementBytes;
    for (uint64_t Extent : Array.Extents)
      Pitch *= Extent;
    bool Found = false;
    for (auto [Into, Extent] : zip(Result, Array.Extents)) {
      Pitch /= Extent;
      const int64_t Count = Rest / Pitch;
      if (Found || !Count || (T.Index && Rest % Pitch))
        continue;
      const bool IsFirst = Into.empty();
      if (T.Index && !take(*T.Index, Into))
        return {};
      Into.push_back({Kind::Constant, Count});
      if (T.Index)
        Into.push_back({Kind::Multiply, 0});
      if (!IsFirst)
        Into.push_back({Kind::Add, 0});
      Rest -= Count * Pitch;
      Found = T.Index;
    }
    if (T.Index && !Found)
      return {};
    Offset += T.Index ? 0 : Rest;
  }
  for (Steps &Each : Result)
    if (Each.empty())
      Each.push_back({Kind::Constant, 0});
  return Result;
}

void AccessReader::add(const Instruction &I, Type *Accessed,
                       ArrayRef<Term> Terms) {
  SharedAccess A;
  A.FunctionId = sourceName(F).str();
  if (const DebugLoc &At = I.getDebugLoc()) {
    A.Line = At.getLine();
    A.Column = At.getCol();
  }
  A.LoopDepth = Loops.getLoopDepth(I.getParent());
  if (Accessed && Accessed->isSized()) {
    A.Bytes = Layout.getTypeStoreSize(Accessed);
    A.Indices = indicesOf(Terms, A.Offset);
  }
  Result.push_back(std::move(A));
}

void AccessReader::follow(const Value &Address,
                          const SmallVector<Term> &Terms) {
  for (const User *U : Address.users()) {
    const auto *I = dyn_cast<Instruction>(U);
    if (I && I->getFunction() != &F)
      continue;
    if (const auto *G = dyn_cast<GEPOperator>(U)) {
      SmallVector<Term> More = Terms;
      for (auto T = gep_type_begin(G), E = gep_type_end(G); T != E; ++T) {
        const auto *C = dyn_cast<ConstantInt>(T.getOperand());
        if (StructType *Record = T.getStructTypeOrNull())
          More.push_back(
              {int64_t(Layout.getStructLayout(Record)->getElementOffset(
                   C->getZExtValue())),
               nullptr});
        else if (const int64_t Bytes =
                     T.getSequentialElementStride(Layout).getFixedValue();
                 C)
          More.push_back({Bytes * C->getSExtValue(), nullptr});
        else
          More.push_back({Bytes, T.getOperand()});
      }
      follow(*U, More);
    } else if (isa<AddrSpaceCastOperator, BitCastOperator>(U)) {
      follow(*U, Terms);
    } else if (const auto *Load = dyn_cast<LoadInst>(U)) {
      add(*Load, Load->getType(), Terms);
    } else if (const auto *Store = dyn_cast<StoreInst>(U)) {
      add(*Store, Store->getValueOperand()->getType(), Terms);
    } else if (const auto *Atomic = dyn_cast<AtomicRMWInst>(U)) {
      add(*Atomic, Atomic->getType(), Terms);
    } else if (I) {
      add(*I, nullptr, Terms);
    }
  }
}

// The functions that name Address.
static void addUsers(const Value &Address,
                     SmallPtrSetImpl<const Function *> &Into) {
  for (const User *U : Address.users())
    if (const auto *I = dyn_cast<Instruction>(U))
      Into.insert(I->getFunction());
    else
      addUsers(*U, Into);
}

static void bringIntoSSAForm(Module &M) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  FunctionPassManager Each;
  Each.addPass(SROAPass(SROAOptions::PreserveCFG));
  Each.addPass(EarlyCSEPass());
  ModulePassManager All;
  All.addPass(AlwaysInlinerPass());
  All.addPass(createModuleToFunctionPassAdaptor(std::move(Each)));
  All.run(M, Modules);
}

std::map<std::string, std::vector<SharedAccess>>
readBanks(const Module &M, ArrayRef<SharedArray> Arrays) {
  std::map<std::string, std::vector<SharedAccess>> Result;
  SmallPtrSet<const Function *, 8> Holders;
  for (const SharedArray &A : Arrays)
    if (const GlobalVariable *V = M.getGlobalVariable(A.Id, true))
      addUsers(*V, Holders);
  if (Holders.empty())
    return Result;
  ValueToValueMapTy Map;
  const std::unique_ptr<Module> Copy =
      CloneModule(M, Map, [&](const GlobalValue *V) {
        const auto *F = dyn_cast<Function>(V);
        return !F || Holders.contains(F) ||
               F->hasFnAttribute(Attribute::AlwaysInline);
      });
  bringIntoSSAForm(*Copy);
  for (const Function *Holder : Holders) {
    Function *F = Copy->getFunction(Holder->getName());
    if (!F || F->isDeclaration())
      continue;
    const Divergence Differs(*F);
    const DominatorTree Dominators(*F);
    const LoopInfo Loops(Dominators);
    for (const SharedArray &A : Arrays)
      if (const GlobalVariable *V = Copy->getGlobalVariable(A.Id, true))
        AccessReader(A, *F, Differs, Loops, Result[A.Id]).follow(*V, {});
  }
  return Result;
}

} // namespace bankstripe
