//===-- FrameObjects.cpp - what a stack frame may hold --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before optimisation each alloca of an array or a class, and each parameter by
// value, gets a name with its number, which inlining and splitting keep as a
// prefix (`bankstripe.object.7.i.sroa.3`). What has such a name afterwards has
// survived. Functions of the device library are linked by the optimiser, and
// mark their allocas themselves (DeviceModule.cpp).
//
//===----------------------------------------------------------------------===//

#include "evidence/FrameObjects.h"
#include "contract/Symbols.h"
#include "evidence/DeviceModule.h"
#include "model/UnitFacts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace bankstripe {
namespace {

constexpr StringLiteral ObjectPrefix = "bankstripe.object.";

/// What is smaller is no array, and fits into a register or two.
constexpr uint64_t LeastBytes = 8;

using FunctionSet = SmallSetVector<const Function *, 16>;

/// \p Entry, and all functions that it names, directly or not.
FunctionSet reachedFrom(const Function &Entry) {
  FunctionSet Reached;
  Reached.insert(&Entry);
  for (size_t Next = 0; Next < Reached.size(); ++Next)
    for (const Instruction &I : instructions(*Reached[Next]))
      for (const Value *Operand : I.operand_values())
        if (auto *F = dyn_cast<Function>(Operand->stripPointerCasts()))
          Reached.insert(F);
  return Reached;
}

std::string qualifiedName(const Function &F) {
  const std::string Name = canonicalName(
      sourceName(F).str(), [](auto Symbol) { return llvm::demangle(Symbol); });
  return std::string(withoutParameters(Name));
}

/// A type as a person writes it.
std::string textOf(const DIType *T) {
  const auto *Composite = dyn_cast_or_null<DICompositeType>(T);
  if (!T || (T->getName().empty() && !Composite)) {
    const auto *Derived = dyn_cast_or_null<DIDerivedType>(T);
    return Derived ? textOf(Derived->getBaseType()) : "";
  }
  if (!Composite || Composite->getTag() != dwarf::DW_TAG_array_type)
    return T->getName().empty() ? "a closure" : T->getName().str();
  std::string Text = textOf(Composite->getBaseType());
  for (const DINode *Each : Composite->getElements())
    if (const auto *Range = dyn_cast<DISubrange>(Each))
      if (auto *Count = dyn_cast<ConstantInt *>(Range->getCount()))
        Text += "[" + std::to_string(Count->getZExtValue()) + "]";
  return Text;
}

/// Whether memory is written through \p Pointer, or it goes where that may
/// happen. A parameter by value that is only read needs no copy in local
/// memory.
bool isWrittenThrough(const Value &Pointer) {
  return any_of(Pointer.uses(), [](const llvm::Use &U) {
    const auto *I = dyn_cast<Instruction>(U.getUser());
    if (isa_and_nonnull<GetElementPtrInst, CastInst, PHINode, SelectInst>(I))
      return !isa<PHINode>(I) && isWrittenThrough(*I);
    if (const auto *Call = dyn_cast_or_null<CallBase>(I)) {
      if (Call->isLifetimeStartOrEnd() || !Call->isArgOperand(&U))
        return false;
      const unsigned Number = Call->getArgOperandNo(&U);
      return !Call->isByValArgument(Number) &&
             !(Call->onlyReadsMemory(Number) && Call->doesNotCapture(Number));
    }
    return !isa_and_nonnull<LoadInst, CmpInst>(I);
  });
}

/// The objects of one module.
class ObjectLister {
public:
  explicit ObjectLister(Module &M);

  /// Those of \p Kernel, before the module is optimised.
  void listAll(const Function &Kernel);
  /// Notes which of these are left, afterwards.
  void noteSurvivors(const Function &Kernel);

  FrameObjects Result;

private:
  void add(Value &V, uint64_t Bytes, StringRef TypeName, const Function &F);
  void noteSurvivor(const Function &Kernel, StringRef Name, uint64_t Bytes);

  const DataLayout &Layout;
  std::vector<FrameObject> Objects;
  std::map<const Function *, std::vector<unsigned>> InFunction;
  /// By the kernel: for each row of its result, the object; none of a library.
  std::map<std::string, std::vector<std::optional<unsigned>>> Numbers;
};

} // namespace

void ObjectLister::add(Value &V, uint64_t Bytes, StringRef TypeName,
                       const Function &F) {
  if (Bytes < LeastBytes)
    return;
  FrameObject O;
  TypeName.consume_front("struct.") || TypeName.consume_front("class.");
  O.Type = TypeName.str();
  O.Function = qualifiedName(F);
  O.Bytes = Bytes;
  for (const DbgVariableRecord *Record : findDVRDeclares(&V)) {
    const DILocalVariable &Variable = *Record->getVariable();
    O.Name = Variable.getName().str();
    O.Where = placeOf(*Record);
    O.Where.Column = std::max(1u, O.Where.Column);
    O.IsParameter = Variable.isParameter();
    if (std::string Text = textOf(Variable.getType()); !Text.empty())
      O.Type = Text;
  }
  // The dot keeps the number apart from a suffix that LLVM may add.
  V.setName(ObjectPrefix + Twine(Objects.size()) + ".");
  InFunction[&F].push_back(Objects.size());
  Objects.push_back(std::move(O));
}

ObjectLister::ObjectLister(Module &M) : Layout(M.getDataLayout()) {
  auto Size = [&](Type *T) {
    return Layout.getTypeAllocSize(T).getFixedValue();
  };
  auto NameOf = [](Type *T) {
    auto *Struct = dyn_cast<StructType>(T);
    return Struct && Struct->hasName() ? Struct->getName() : "";
  };
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    for (Argument &A : F.args())
      if (Type *T = A.getParamByValType())
        add(A, Size(T), NameOf(T), F);
    for (Instruction &I : instructions(F))
      if (auto *Alloca = dyn_cast<AllocaInst>(&I);
          Alloca && Alloca->getAllocatedType()->isAggregateType())
        add(*Alloca, Size(Alloca->getAllocatedType()),
            NameOf(Alloca->getAllocatedType()), F);
  }
}

void ObjectLister::listAll(const Function &Kernel) {
  const std::string Id = sourceName(Kernel).str();
  for (const Function *F : reachedFrom(Kernel))
    for (unsigned Number : InFunction[F]) {
      Result[Id].push_back(Objects[Number]);
      Numbers[Id].push_back(Number);
    }
}

void ObjectLister::noteSurvivor(const Function &Kernel, StringRef Name,
                                uint64_t Bytes) {
  const std::string Id = sourceName(Kernel).str();
  std::vector<FrameObject> &Rows = Result[Id];
  std::vector<std::optional<unsigned>> &Of = Numbers[Id];
  unsigned Number = 0;
  if (Name.consume_front(ObjectPrefix) && !Name.consumeInteger(10, Number)) {
    auto Row = llvm::find(Of, Number);
    if (Row == Of.end())
      return;
    FrameObject &O = Rows[Row - Of.begin()];
    O.Bytes = O.Survives ? O.Bytes + Bytes : Bytes; // Parts, or copies.
    O.Survives = true;
  } else if (Name.consume_front(LibraryMark)) {
    const std::string Function = Name.split('.').first.str();
    for (auto [O, Its] : zip(Rows, Of))
      if (!Its && O.Function == Function)
        return; // Calls have it one after the other.
    FrameObject O;
    O.Function = Function;
    O.Bytes = Bytes;
    O.Survives = true;
    Rows.push_back(std::move(O));
    Of.push_back(std::nullopt);
  }
}

void ObjectLister::noteSurvivors(const Function &Kernel) {
  for (const Function *F : reachedFrom(Kernel)) {
    for (const Argument &A : F->args())
      if (Type *T = A.getParamByValType())
        if (F != &Kernel || isWrittenThrough(A))
          noteSurvivor(Kernel, A.getName(),
                       Layout.getTypeAllocSize(T).getFixedValue());
    for (const Instruction &I : instructions(*F))
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I))
        if (auto Bytes = Alloca->getAllocationSize(Layout))
          noteSurvivor(Kernel, Alloca->getName(), Bytes->getFixedValue());
  }
}

FrameObjects gatherFrameObjects(ParsedUnit &Unit, StringRef MainFile,
                                const std::set<std::string> &Kernels) {
  QuietContext Context;
  UnitFacts Facts;
  Facts.MainFile = MainFile.str();
  auto M = emitDeviceModule(Unit, Facts, Context);
  if (!M) {
    consumeError(M.takeError());
    return {};
  }
  SmallDenseSet<Function *> Wanted;
  for (Function &F : **M)
    if (!F.isDeclaration() && Kernels.count(sourceName(F).str()))
      Wanted.insert(&F);
  keepOnly(**M, Wanted);
  ObjectLister Lister(**M);
  for (const Function *F : Wanted)
    Lister.listAll(*F);
  StripDebugInfo(**M);
  if (Error E = optimize(**M, Unit.compiler(), Context))
    consumeError(std::move(E)); // Nothing is known to survive.
  else
    for (const Function *F : Wanted)
      Lister.noteSurvivors(*F);
  return std::move(Lister.Result);
}

} // namespace bankstripe
