//===-- Residency.cpp - follow findings through the optimiser -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A per-thread array is resident in local memory when an alloca of it survives
// -O3. To know whose an alloca is, each one of a finding is recognised once,
// before optimisation, when it still has its debug record (variable, file,
// line, column), and is given a name of its own. Two marks then lead back to
// the finding, and an alloca that carries either counts:
//
//   the name          kept as a prefix by inlining (`x.i`, `x.i16`), by
//                     splitting (`x.sroa.4`) and by changes of the type
//   the debug record  kept by the same, and by the merging of two allocas
//                     into one, which has one name but then two variables
//
// Before optimisation the record decides. A record that fits no finding by its
// place, as happens under `#line`, is matched by function and name, if that
// leaves no choice; an alloca without any record by its name alone, likewise.
//
//===----------------------------------------------------------------------===//

#include "evidence/Residency.h"

#include "evidence/DeviceModule.h"
#include "model/Finding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace bankstripe {
namespace {

constexpr StringLiteral MarkPrefix = "bankstripe.finding.";

/// How well \p F, which has its name, fits \p V: 0 not at all; a file that has
/// another path and the same name (a link, a generated copy) is the weakest way
/// to fit.
unsigned fit(const Finding &F, const Place &V) {
  if (F.Where.Line != V.Line)
    return 0;
  bool SamePath = F.Where.File == V.File;
  if (!SamePath &&
      sys::path::filename(F.Where.File) != sys::path::filename(V.File))
    return 0;
  return 1 + (F.Where.Column == V.Column) + 2 * SamePath;
}

/// The best of \p Named, which are those of its name.
std::optional<unsigned> bestFit(ArrayRef<Finding> Findings,
                                ArrayRef<unsigned> Named, const Place &V) {
  std::optional<unsigned> Best;
  unsigned BestFit = 0;
  for (unsigned I : Named)
    if (unsigned Fit = fit(Findings[I], V); Fit > BestFit) {
      BestFit = Fit;
      Best = I;
    }
  return Best;
}

bool isDeclaredIn(const Finding &F, StringRef FunctionId) {
  return any_of(F.Instances, [&](const ArrayInstance &I) {
    return I.FunctionId == FunctionId;
  });
}

/// The only one of \p Named in that function, if there is just one.
std::optional<unsigned> onlyIn(StringRef FunctionId, ArrayRef<Finding> Findings,
                               ArrayRef<unsigned> Named) {
  std::optional<unsigned> Only;
  for (unsigned I : Named)
    if (isDeclaredIn(Findings[I], FunctionId)) {
      if (Only)
        return std::nullopt;
      Only = I;
    }
  return Only;
}

/// Drops the debug records of all variables but those in \p Kept.
void dropRecords(Module &M,
                 const DenseMap<const DILocalVariable *, unsigned> &Kept) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      for (DbgRecord &R : make_early_inc_range(I.getDbgRecordRange())) {
        auto *Variable = dyn_cast<DbgVariableRecord>(&R);
        if (!Variable || !Kept.contains(Variable->getVariable()))
          R.eraseFromParent();
      }
}

/// The records that say of a variable that it lies in \p Alloca. A class object
/// that its function returns is known by a pointer to it, and leads to the
/// caller's alloca once the function is inlined.
SmallVector<DbgVariableRecord *> recordsOf(AllocaInst &Alloca) {
  SmallVector<DbgVariableRecord *> Records;
  for (DbgVariableRecord *Record : findDVRValues(&Alloca))
    if (Record->getExpression()->startsWithDeref())
      Records.push_back(Record);
  append_range(Records, findDVRDeclares(&Alloca));
  return Records;
}

/// Whether memory is accessed through \p Alloca, or its address leaves it. What
/// only marks the start and the end of its life does neither.
bool isUsed(const AllocaInst &Alloca) {
  return any_of(Alloca.users(), [](const User *U) {
    const auto *I = dyn_cast<Instruction>(U);
    return !I || (!I->isLifetimeStartOrEnd() && !I->isDroppable());
  });
}

/// The finding that the name of \p Alloca was made for, if it was.
std::optional<unsigned> markedIndex(const AllocaInst &Alloca) {
  StringRef Name = Alloca.getName();
  unsigned Index = 0;
  if (Name.consume_front(MarkPrefix) && !Name.consumeInteger(10, Index))
    return Index;
  return std::nullopt;
}

} // namespace

ArrayRef<unsigned> AllocaTracker::named(StringRef Name) const {
  auto Known = ByName.find(Name);
  if (Known == ByName.end())
    return {};
  return Known->second;
}

std::optional<unsigned>
AllocaTracker::findingOf(const DbgVariableRecord &Record,
                         ArrayRef<Finding> Findings) const {
  const ArrayRef<unsigned> Named = named(Record.getVariable()->getName());
  if (Named.empty())
    return std::nullopt;
  if (auto Index = bestFit(Findings, Named, placeOf(Record)))
    return Index;
  return onlyIn(Record.getFunction()->getName(), Findings, Named);
}

void AllocaTracker::mark(AllocaInst &Alloca, ArrayRef<Finding> Findings) {
  auto Records = findDVRDeclares(&Alloca);
  auto Index = Records.empty() ? onlyIn(Alloca.getFunction()->getName(),
                                        Findings, named(Alloca.getName()))
                               : std::nullopt;
  for (const DbgVariableRecord *Record : Records) {
    Index = findingOf(*Record, Findings);
    if (Index) {
      Variables[Record->getVariable()] = *Index;
      break;
    }
  }
  if (!Index)
    return;
  // The dot keeps the number apart from a suffix that LLVM may add.
  Alloca.setName(MarkPrefix + Twine(*Index) + ".");
  Holders.insert(Alloca.getFunction());
  HoldersOf[*Index].insert(Alloca.getFunction());
  Emitted[*Index] = true;
}

void AllocaTracker::noteEmitted(const Module &M, ArrayRef<Finding> Findings) {
  StringSet<> Functions;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Functions.insert(F.getName());
  for (auto [I, F] : enumerate(Findings))
    for (const ArrayInstance &Instance : F.Instances)
      if (Functions.contains(Instance.FunctionId))
        Emitted[I] = true;
}

// Makes a copy of each parameter that is a finding, as it is made if the
// finding moves. Where nobody changes that of a kernel, the optimiser removes
// it again, for which the alignment must be the same.
void AllocaTracker::copyParameters(Function &F, ArrayRef<Finding> Findings) {
  for (Argument &A : F.args()) {
    Type *Copied = A.getParamByValType();
    const bool IsFinding =
        Copied && any_of(findDVRDeclares(&A), [&](const auto *Record) {
          const auto Index = findingOf(*Record, Findings);
          return Index && Findings[*Index].isParameter();
        });
    if (!IsFinding)
      continue;
    IRBuilder<> Builder(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Copy = Builder.CreateAlloca(Copied, nullptr, A.getName());
    Copy->setAlignment(A.getParamAlign().valueOrOne());
    A.replaceAllUsesWith(Copy);
    Builder.CreateMemCpy(Copy, Copy->getAlign(), &A, A.getParamAlign(),
                         F.getDataLayout().getTypeAllocSize(Copied));
    // It is constant memory, which can be indexed.
    if (F.getCallingConv() == CallingConv::PTX_Kernel) {
      A.addAttr(Attribute::NoAlias);
      A.addAttr(Attribute::ReadOnly);
    }
  }
}

AllocaTracker::AllocaTracker(Module &M, ArrayRef<Finding> Findings)
    : HoldersOf(Findings.size()), Emitted(Findings.size()) {
  for (auto [I, F] : enumerate(Findings))
    ByName[F.Name].push_back(I);
  for (Function &F : M)
    if (!F.isDeclaration())
      copyParameters(F, Findings);
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Alloca = dyn_cast<AllocaInst>(&I))
        mark(*Alloca, Findings);
  noteEmitted(M, Findings);
  dropRecords(M, Variables);
}

SmallVector<const AllocaInst *>
AllocaTracker::allocasOf(unsigned FindingIndex) const {
  SmallVector<const AllocaInst *> Result;
  for (const Function *F : HoldersOf[FindingIndex])
    for (const Instruction &I : instructions(F))
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I);
          Alloca && markedIndex(*Alloca) == FindingIndex)
        Result.push_back(Alloca);
  return Result;
}

SmallVector<ResidentAlloca> AllocaTracker::survivors(Function &F) const {
  SmallVector<ResidentAlloca> Result;
  for (Instruction &I : instructions(F)) {
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    if (!Alloca || !isUsed(*Alloca))
      continue;
    SmallVector<unsigned, 2> Owners;
    if (auto Index = markedIndex(*Alloca))
      Owners.push_back(*Index);
    for (const DbgVariableRecord *Record : recordsOf(*Alloca))
      if (auto Found = Variables.find(Record->getVariable());
          Found != Variables.end() && !is_contained(Owners, Found->second))
        Owners.push_back(Found->second);
    for (unsigned Owner : Owners)
      Result.push_back({Alloca, Owner});
  }
  return Result;
}

} // namespace bankstripe
