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

  /// Remembers those of \p Kernel, before the module is optimised.
  void listAll(const Function &Kernel);
  /// The same, afterwards, with what is left of them.
  std::vector<FrameObject> objectsOf(const Function &Kernel) const;

private:
  void add(Value &V, uint64_t Bytes, StringRef TypeName, const Function &F);

  const DataLayout &Layout;
  std::vector<FrameObject> Objects;
  /// By the function, be it of the kernels that reach it as well.
  std::map<const Function *, std::vector<unsigned>> InFunction, OfKernel;
  /// What each kernel calls of the device library.
  std::map<const Function *, std::set<std::string>> LibraryCalls;
};

/// Bytes of what is left: of objects by their numbers, and of functions of the
/// device library by their marks.
struct Survivors {
  std::map<unsigned, uint64_t> Objects;
  std::map<std::string, uint64_t> Library;

  void add(StringRef Name, uint64_t Bytes) {
    unsigned Number = 0;
    if (Name.consume_front(ObjectPrefix) && !Name.consumeInteger(10, Number))
      Objects[Number] += Bytes;               // Parts, or copies.
    else if (Name.consume_front(LibraryMark)) // Calls have it by turns.
      Library.try_emplace(Name.split('.').first.str(), Bytes);
  }
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
  std::set<std::string> &Calls = LibraryCalls[&Kernel];
  for (const Function *F : reachedFrom(Kernel)) {
    append_range(OfKernel[&Kernel], InFunction[F]);
    if (F->isDeclaration() && F->getName().starts_with(LibraryPrefix))
      Calls.insert(F->getName().str());
  }
}

std::vector<FrameObject> ObjectLister::objectsOf(const Function &Kernel) const {
  Survivors Left;
  for (const Function *F : reachedFrom(Kernel)) {
    for (const Argument &A : F->args())
      if (Type *T = A.getParamByValType())
        if (F != &Kernel || isWrittenThrough(A))
          Left.add(A.getName(), Layout.getTypeAllocSize(T).getFixedValue());
    for (const Instruction &I : instructions(*F))
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I))
        if (auto Bytes = Alloca->getAllocationSize(Layout))
          Left.add(Alloca->getName(), Bytes->getFixedValue());
  }
  std::vector<FrameObject> Result;
  for (unsigned Number : OfKernel.at(&Kernel)) {
    FrameObject &O = Result.emplace_back(Objects[Number]);
    if (auto Found = Left.Objects.find(Number); Found != Left.Objects.end()) {
      O.Bytes = Found->second;
      O.Survives = true;
    }
  }
  for (const auto &[Mark, Bytes] : Left.Library) {
    SmallVector<StringRef> Names;
    StringRef(Mark).split(Names, LibrarySeparator);
    const auto *Called = find_if(Names, [&](StringRef Name) {
      return LibraryCalls.at(&Kernel).count(Name.str()) != 0;
    });
    FrameObject &O = Result.emplace_back();
    O.Function = Called == Names.end() ? Names.front() : *Called;
    O.Bytes = Bytes;
    O.Survives = true;
  }
  return Result;
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
  if (Error E = optimize(**M, Unit.compiler(), Context)) {
    consumeError(std::move(E));
    return {};
  }
  FrameObjects Result;
  for (const Function *F : Wanted)
    Result[sourceName(*F).str()] = Lister.objectsOf(*F);
  return Result;
}

} // namespace bankstripe
