//===-- Banks.cpp - which banks lanes ask for at once ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index of each access is computed for all lanes of all warps of a block,
// with the shapes that launches give to blocks (docs/internals/layouts.md,
// "Padded shared arrays"). A warp that asks for more than 128 bytes does so in
// parts, of half its lanes for 8 bytes each and of a quarter for 16.
//
// Lanes whose index lies outside of the array are taken not to run the access:
// what loads the border of a tile does so under a condition. But real programs
// also walk over all of an array as `tile[0][thread]`, and find other elements
// there once rows are longer. So it is noted where the index within a row is
// known to be too large for some lane, or not known in a constant row.
//
// Only a copy of a function with such arrays is brought into SSA form.
//
//===----------------------------------------------------------------------===//

#include "evidence/Banks.h"
#include "evidence/DeviceModule.h"
#include "evidence/Divergence.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace bankstripe {
namespace {

constexpr unsigned Lanes = 32, Banks = 32;
constexpr int64_t WordBytes = 4, WidestAccess = 16;
/// Longer computations of an index are given up, and longer code.
constexpr unsigned MostDepth = 64, MostInlined = 1000;

/// The integers of one function for one thread of a block. Those that are not
/// known and the same for all threads are numbers without a meaning: what is
/// the same with 0 and with others for them, does not depend on them.
class Thread {
public:
  Thread(const Divergence &Differs, DenseMap<const Value *, uint64_t> &Numbers,
         ArrayRef<unsigned> Shape, unsigned Number, bool IsZero)
      : Differs(Differs), Numbers(Numbers), Shape(Shape), Number(Number),
        IsZero(IsZero) {}

  /// Null where it is not known.
  ConstantInt *valueOf(Value &V);

private:
  ConstantInt *compute(Value &V);
  ConstantInt *fold(Instruction &I);
  ConstantInt *registerOf(const IntrinsicInst &I) const;
  ConstantInt *counterOf(PHINode &Phi);
  ConstantInt *unknown(const Value &V);

  const Divergence &Differs;
  DenseMap<const Value *, uint64_t> &Numbers;
  ArrayRef<unsigned> Shape;
  unsigned Number;
  bool IsZero;
  unsigned Depth = 0;
  DenseMap<const Value *, ConstantInt *> Known;
};

using ArraysByVariable = DenseMap<Value *, const SharedArray *>;

/// Where an access reaches into an array: `Rows` rows and `Bytes` bytes behind
/// its begin, and as many more times an index.
struct Address {
  struct Term {
    Value *Index;
    int64_t Rows, Bytes; ///< One of them is 0.
  };
  int64_t Rows = 0, Bytes = 0;
  SmallVector<Term> Terms;
};

struct Access {
  const SharedArray *Array = nullptr;
  std::optional<Address> Where;
  int64_t Bytes = 0; ///< Of each lane; 0 where that is not known.
  SharedAccess Found;
};

} // namespace

ConstantInt *Thread::registerOf(const IntrinsicInst &I) const {
  static constexpr Intrinsic::ID Threads[] = {
      Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
      Intrinsic::nvvm_read_ptx_sreg_tid_z};
  static constexpr Intrinsic::ID Extents[] = {
      Intrinsic::nvvm_read_ptx_sreg_ntid_x,
      Intrinsic::nvvm_read_ptx_sreg_ntid_y,
      Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  unsigned Rest = Number;
  for (auto [Index, Extent, Size] : zip(Threads, Extents, Shape)) {
    auto *Type = cast<IntegerType>(I.getType());
    if (I.getIntrinsicID() == Index)
      return ConstantInt::get(Type, Rest % Size);
    if (I.getIntrinsicID() == Extent)
      return ConstantInt::get(Type, Size);
    Rest /= Size;
  }
  return nullptr;
}

ConstantInt *Thread::unknown(const Value &V) {
  // An odd number, so that no power of two divides what is made of it.
  static constexpr uint64_t Odd = 0x2AAAAAAB;
  const uint64_t Mine = Numbers.try_emplace(&V, Numbers.size()).first->second;
  const unsigned Width = V.getType()->getIntegerBitWidth();
  return ConstantInt::get(
      V.getContext(),
      APInt(64, IsZero ? 0 : (2 * Mine + 1) * Odd).zextOrTrunc(Width));
}

// What grows by the same for all lanes in each round, began as it did.
ConstantInt *Thread::counterOf(PHINode &Phi) {
  Value *Begin = nullptr;
  for (Value *V : Phi.incoming_values()) {
    const auto *Step = dyn_cast<BinaryOperator>(V);
    if (Step && Step->getOpcode() == Instruction::Add &&
        is_contained(Step->operands(), &Phi) &&
        !Differs.of(*Step->getOperand(Step->getOperand(0) == &Phi)))
      continue;
    if (Begin)
      return nullptr;
    Begin = V;
  }
  const ConstantInt *First = Begin ? valueOf(*Begin) : nullptr;
  return First ? ConstantInt::get(Phi.getContext(),
                                  First->getValue() + unknown(Phi)->getValue())
               : nullptr;
}

ConstantInt *Thread::fold(Instruction &I) {
  SmallVector<Constant *, 2> Operands;
  for (Value *V : I.operands()) {
    Operands.push_back(valueOf(*V));
    if (!Operands.back())
      return nullptr;
  }
  return dyn_cast_or_null<ConstantInt>(
      ConstantFoldInstOperands(&I, Operands, I.getDataLayout()));
}

ConstantInt *Thread::compute(Value &V) {
  ConstantInt *Result = dyn_cast<ConstantInt>(&V);
  if (const auto *Call = dyn_cast<IntrinsicInst>(&V))
    Result = registerOf(*Call);
  else if (isa<BinaryOperator, CastInst>(V))
    Result = fold(cast<Instruction>(V));
  else if (auto *Phi = dyn_cast<PHINode>(&V); Phi && Differs.of(V))
    Result = counterOf(*Phi);
  return Result || Differs.of(V) ? Result : unknown(V);
}

ConstantInt *Thread::valueOf(Value &V) {
  if (!V.getType()->isIntegerTy() || Depth == MostDepth)
    return nullptr;
  auto [It, New] = Known.try_emplace(&V, nullptr);
  if (!New)
    return It->second;
  const SaveAndRestore Deeper(Depth, Depth + 1);
  return Known[&V] = compute(V);
}

static int64_t rowBytes(const SharedArray &A) {
  return A.Extents.back() * A.ElementBytes;
}

// The array that Pointer points into, and where.
static const SharedArray *baseOf(Value *Pointer, const ArraysByVariable &Arrays,
                                 std::optional<Address> &Where) {
  SmallVector<GEPOperator *> Steps;
  while (isa<GEPOperator, AddrSpaceCastOperator>(Pointer)) {
    if (auto *G = dyn_cast<GEPOperator>(Pointer))
      Steps.push_back(G);
    Pointer = cast<Operator>(Pointer)->getOperand(0);
  }
  const SharedArray *Array = Arrays.lookup(Pointer);
  if (!Array)
    return nullptr;
  const DataLayout &Layout = cast<GlobalVariable>(Pointer)->getDataLayout();
  const int64_t Row = rowBytes(*Array);
  Address Result;
  for (const GEPOperator *G : Steps) {
    SmallMapVector<Value *, APInt, 4> Indices;
    const unsigned Width = Layout.getIndexTypeSizeInBits(G->getType());
    APInt Constant(Width, 0);
    if (!G->collectOffset(Layout, Width, Indices, Constant) ||
        Constant.isNegative())
      return Array;
    Result.Rows += Constant.getSExtValue() / Row;
    Result.Bytes += Constant.getSExtValue() % Row;
    for (const auto &[Index, Scale] : Indices) {
      const int64_t Bytes = Scale.getSExtValue();
      if (Bytes > Row && Bytes % Row)
        return Array;
      Result.Terms.push_back({Index, Bytes / Row, Bytes % Row});
    }
  }
  Where = std::move(Result);
  return Array;
}

// The most words of one bank that a part of the lanes in At asks for.
static unsigned degreeOf(ArrayRef<std::optional<int64_t>> At, int64_t Bytes) {
  const unsigned InPart =
      Lanes * WordBytes / PowerOf2Ceil(std::max(Bytes, WordBytes));
  unsigned Result = 1;
  for (unsigned Begin = 0; Begin < Lanes; Begin += InPart) {
    SmallVector<int64_t, 64> Words;
    for (const auto &From : At.slice(Begin, InPart))
      if (From)
        for (int64_t W = *From / WordBytes; W * WordBytes < *From + Bytes; ++W)
          Words.push_back(W);
    sort(Words);
    Words.erase(llvm::unique(Words), Words.end());
    std::array<unsigned, Banks> Asked = {};
    for (int64_t W : Words)
      Result = std::max(Result, ++Asked[W % Banks]);
  }
  return Result;
}

// The row and the byte in it that T asks for.
static std::optional<std::pair<int64_t, int64_t>> reach(const Address &Where,
                                                        Thread &T) {
  int64_t Row = Where.Rows, Byte = Where.Bytes;
  for (const Address::Term &Each : Where.Terms) {
    const ConstantInt *Index = T.valueOf(*Each.Index);
    if (!Index)
      return std::nullopt;
    Row += Index->getSExtValue() * Each.Rows;
    Byte += Index->getSExtValue() * Each.Bytes;
  }
  return std::pair(Row, Byte);
}

// Adds what a warp asks for, whose threads are in Zero and Other with different
// numbers for what is unknown. False where it depends on these.
static bool addWarp(Access &A, MutableArrayRef<Thread> Zero,
                    MutableArrayRef<Thread> Other) {
  const SharedArray &Array = *A.Array;
  const uint64_t Pitch = rowBytes(Array);
  uint64_t RowCount = 1;
  for (uint64_t Extent : ArrayRef(Array.Extents).drop_back())
    RowCount *= Extent;
  const bool RowIsConstant =
      none_of(A.Where->Terms, [](const auto &T) { return T.Rows != 0; });
  std::optional<std::pair<int64_t, int64_t>> Shift;
  SmallVector<std::optional<std::pair<int64_t, int64_t>>, Lanes> Reached;
  for (auto [T, U] : zip(Zero, Other)) {
    const auto Here = reach(*A.Where, T), There = reach(*A.Where, U);
    if (!Here || !There)
      return false;
    const std::pair Moved(There->first - Here->first,
                          There->second - Here->second);
    if (Shift && *Shift != Moved)
      return false;
    Shift = Moved;
    const bool InRow = Moved.second || uint64_t(Here->second) < Pitch;
    A.Found.MayLeaveRow |= Moved.second ? RowIsConstant : !InRow;
    const bool Runs =
        InRow && (Moved.first || uint64_t(Here->first) < RowCount);
    Reached.push_back(Runs ? Here : std::nullopt);
  }
  for (auto [Padding, Degree] : enumerate(A.Found.Degrees)) {
    const int64_t Length = Pitch + Padding * Array.ElementBytes;
    SmallVector<std::optional<int64_t>, Lanes> At(Lanes);
    for (auto [Into, From] : zip(At, Reached))
      if (From) // Far from 0, where divisions round the other way.
        Into = (int64_t(1) << 40) + From->first * Length + From->second;
    Degree = std::max(Degree, degreeOf(At, A.Bytes));
  }
  return true;
}

// Of what each lane asks for at U; 0 where the address goes elsewhere.
static int64_t accessedBytes(const llvm::Use &U) {
  const auto *I = cast<Instruction>(U.getUser());
  const DataLayout &Layout = I->getDataLayout();
  if (const auto *Copy = dyn_cast<MemIntrinsic>(I)) {
    const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    return Length ? std::min<int64_t>(Length->getZExtValue(), WidestAccess) : 0;
  }
  const auto *Store = dyn_cast<StoreInst>(I);
  if (!isa<LoadInst, AtomicRMWInst>(I) && !(Store && U.getOperandNo() == 1))
    return 0;
  Type *Accessed = Store ? Store->getValueOperand()->getType() : I->getType();
  return std::min<int64_t>(Layout.getTypeStoreSize(Accessed), WidestAccess);
}

static std::vector<Access>
accessesIn(Function &F, const ArraysByVariable &Arrays, StringRef Id) {
  const DominatorTree Dominators(F);
  const LoopInfo Loops(Dominators);
  std::vector<Access> Result;
  for (Instruction &I : instructions(F)) {
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(I))
      continue;
    for (const llvm::Use &U : I.operands()) {
      Access A;
      A.Array = baseOf(U, Arrays, A.Where);
      if (!A.Array)
        continue;
      A.Bytes = accessedBytes(U);
      A.Found.FunctionId = Id;
      A.Found.LoopDepth = Loops.getLoopDepth(I.getParent());
      if (const DebugLoc &At = I.getDebugLoc()) {
        A.Found.Line = At.getLine();
        A.Found.Column = At.getCol();
      }
      Result.push_back(std::move(A));
    }
  }
  return Result;
}

// Inlines what always is, as the functions that read threadIdx are, and makes
// values of variables.
static void bringIntoSSAForm(Function &F) {
  auto IsInlined = [](Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && !Callee->isDeclaration() &&
           Call->hasFnAttr(Attribute::AlwaysInline);
  };
  for (unsigned Inlined = 0; Inlined < MostInlined; ++Inlined) {
    auto Calls = make_filter_range(instructions(F), IsInlined);
    InlineFunctionInfo Info;
    if (Calls.empty() ||
        !InlineFunction(cast<CallBase>(*Calls.begin()), Info).isSuccess())
      break;
  }
  SmallVector<AllocaInst *> Variables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && isAllocaPromotable(Variable))
      Variables.push_back(Variable);
  DominatorTree Dominators(F);
  PromoteMemToReg(Variables, Dominators);
}

// How many elements more a row may get, at most half as many again. More than
// all banks only turns them.
static unsigned mostPadding(const SharedArray &A) {
  if (!A.hasRows())
    return 0;
  return std::clamp<uint64_t>(Banks * WordBytes / A.ElementBytes, 1,
                              std::max<uint64_t>(1, A.Extents.back() / 2));
}

// All of the accesses that are known, in blocks of that shape.
static void measure(MutableArrayRef<Access> All, const Divergence &Differs,
                    const std::vector<unsigned> &Shape) {
  for (Access &A : All) {
    A.Found.Shape = Shape;
    A.Found.MayLeaveRow = false;
    A.Found.Degrees.clear();
    if (A.Where && A.Bytes && !Shape.empty())
      A.Found.Degrees.resize(mostPadding(*A.Array) + 1, 1);
  }
  DenseMap<const Value *, uint64_t> Numbers;
  const unsigned Threads = Shape.empty() ? 0 : Shape[0] * Shape[1] * Shape[2];
  for (unsigned First = 0; First < Threads; First += Lanes) {
    std::vector<Thread> Zero, Other;
    for (unsigned T = First; T < std::min(First + Lanes, Threads); ++T) {
      Zero.emplace_back(Differs, Numbers, Shape, T, true);
      Other.emplace_back(Differs, Numbers, Shape, T, false);
    }
    for (Access &A : All)
      if (!A.Found.Degrees.empty() && !addWarp(A, Zero, Other))
        A.Found.Degrees.clear();
  }
}

// The functions that name V.
static void addUsers(const Value &V, SmallSetVector<Function *, 8> &Into) {
  for (const User *U : V.users())
    if (const auto *I = dyn_cast<Instruction>(U))
      Into.insert(const_cast<Function *>(I->getFunction()));
    else
      addUsers(*U, Into);
}

std::vector<std::optional<std::vector<SharedAccess>>>
readBanks(Module &M, const UnitFacts &Facts) {
  const std::vector<SharedArray> &All = Facts.SharedArrays;
  std::vector<std::optional<std::vector<SharedAccess>>> Result(All.size());
  ArraysByVariable Arrays;
  SmallSetVector<Function *, 8> Holders;
  for (auto [A, Accesses] : zip(All, Result))
    if (GlobalVariable *V = M.getGlobalVariable(A.Id, true)) {
      Accesses.emplace();
      Arrays[V] = &A;
      addUsers(*V, Holders);
    }
  for (Function *Holder : Holders) {
    const std::string Id = sourceName(*Holder).str();
    std::set<std::vector<unsigned>> Shapes;
    for (const Launch &L : Facts.Launches)
      if (L.KernelId == Id)
        Shapes.insert(L.Shape);
    if (Shapes.empty())
      Shapes.emplace();
    ValueToValueMapTy Map;
    Function *F = CloneFunction(Holder, Map);
    bringIntoSSAForm(*F);
    const Divergence Differs(*F);
    std::vector<Access> Found = accessesIn(*F, Arrays, Id);
    for (const auto &Shape : Shapes) {
      measure(Found, Differs, Shape);
      for (const Access &A : Found)
        Result[A.Array - All.data()]->push_back(A.Found);
    }
    F->eraseFromParent();
  }
  return Result;
}

} // namespace bankstripe
