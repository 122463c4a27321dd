//===-- Lifetimes.cpp - arrays that are never alive at once ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array lives from the beginning of its block to the end. So two arrays are
// never alive at the same time in one thread
//
//   - if their blocks are two blocks of one function and neither is inside the
//     other (loops may enter them in turns: what an automatic array without an
//     initialiser holds at the beginning of its block is indeterminate), or
//   - if they belong to two functions of which neither calls the other, however
//     indirectly: one has returned before the other begins. Static storage is
//     for functions that are not entered again, so these are two activations.
//
// Storage that is made once for several instances of a template is looked at
// for each pair of instances.
//
// That is the program's side. The compiler's side is that it may exchange an
// access to the one with an access to the other where it takes them for
// different memory. Clang does so for accesses of different types (nvcc does
// not), so both arrays need one element type, and no cast may look at them as
// anything else. Nor may a pointer to one of them have gone where nobody
// follows it: it should not be used any more, but who does gets away with it in
// local memory.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

namespace {

/// All calls of the functions of a run.
class Calls {
public:
  explicit Calls(const std::vector<UnitResult> &Units);

  /// Whether neither of two functions can be active while the other is.
  bool areApart(const std::string &A, const std::string &B);

private:
  struct Below {
    std::set<std::string> Names;
    bool Unknown = false;
  };
  const Below &below(const std::string &Id);

  std::map<std::string, FunctionCalls> Functions;
  std::map<std::string, Below> Known;
};

} // namespace

// Functions of one name count as one, which can only add calls.
Calls::Calls(const std::vector<UnitResult> &Units) {
  for (const UnitResult &Unit : Units)
    for (const auto &[Id, From] : Unit.Evidence.Calls) {
      FunctionCalls &Into = Functions[Id];
      Into.Names.insert(From.Names.begin(), From.Names.end());
      Into.Unknown |= From.Unknown;
    }
}

// Functions of the system's, which call none of the user's.
static bool isOfSystem(llvm::StringRef Id) {
  return Id.starts_with("__nv_") || Id == "vprintf" || Id == "malloc" ||
         Id == "free" || Id == "__assertfail" || Id == "__assert_fail";
}

const Calls::Below &Calls::below(const std::string &Id) {
  auto [It, New] = Known.try_emplace(Id);
  Below &Result = It->second;
  if (!New)
    return Result;
  std::vector<std::string> Open{Id};
  while (!Open.empty()) {
    const std::string Next = std::move(Open.back());
    Open.pop_back();
    auto Function = Functions.find(Next);
    if (Function == Functions.end()) {
      Result.Unknown |= !isOfSystem(Next);
      continue;
    }
    Result.Unknown |= Function->second.Unknown;
    for (const std::string &Callee : Function->second.Names)
      if (Result.Names.insert(Callee).second)
        Open.push_back(Callee);
  }
  return Result;
}

bool Calls::areApart(const std::string &A, const std::string &B) {
  const Below &OfA = below(A), &OfB = below(B);
  return !OfA.Unknown && !OfB.Unknown && !OfA.Names.count(B) &&
         !OfB.Names.count(A);
}

// Uses after which nobody knows who has the address.
static bool losesAddress(const Finding &F) {
  static constexpr Reason Losing[] = {
      Reason::PointerTaken,     Reason::ElementAddressEscapes,
      Reason::CapturedByLambda, Reason::ReferenceBound,
      Reason::UnknownUse,       Reason::SkippedCode};
  return llvm::any_of(F.Obstacles, [](const Obstacle &O) {
    return llvm::is_contained(Losing, O.Why);
  });
}

// What can share bytes at all, and the one type of its elements.
static std::string sharableType(const PlannedArray &A) {
  const Finding &F = A.Array;
  if (!F.Scope.isValid() || F.Instances.empty() || losesAddress(F))
    return "";
  const std::string &Type = F.Instances.front().ElementType;
  const bool Uniform = llvm::all_of(F.Instances, [&](const ArrayInstance &I) {
    return I.ElementType == Type && I.SlotAlignment <= I.Alignment;
  });
  return Uniform ? Type : "";
}

static bool areDisjoint(const TextRange &A, const TextRange &B) {
  return A.File == B.File && (A.end() <= B.Offset || B.end() <= A.Offset);
}

static bool areApart(const Finding &A, const Finding &B, Calls &All) {
  for (const ArrayInstance &OfA : A.Instances)
    for (const ArrayInstance &OfB : B.Instances)
      if (OfA.FunctionId == OfB.FunctionId
              ? !areDisjoint(A.Scope, B.Scope)
              : !All.areApart(OfA.FunctionId, OfB.FunctionId))
        return false;
  return true;
}

// A variable of a file is declared wherever the file is read, so that must
// happen once in each unit. It needs a name, which find/ gives where it sees
// the text.
static bool holdsStorage(const Finding &F) {
  return F.FileEnteredOnce && !F.StorageName.empty() &&
         llvm::all_of(F.FunctionFiles, [&](const std::string &Other) {
           return Other == F.Where.File;
         });
}

void bankstripe::findLifetimes(MergedRun &Run,
                               const std::vector<UnitResult> &Units) {
  Calls All(Units);
  std::vector<std::pair<PlannedArray *, std::string>> Sharable;
  for (PlannedArray &A : Run.Arrays)
    if (std::string Type = sharableType(A); !Type.empty()) {
      A.FileHoldsStorage = holdsStorage(A.Array);
      Sharable.emplace_back(&A, std::move(Type));
    }
  for (size_t I = 0; I < Sharable.size(); ++I)
    for (size_t J = 0; J < I; ++J) {
      auto &[A, TypeOfA] = Sharable[I];
      auto &[B, TypeOfB] = Sharable[J];
      if (TypeOfA != TypeOfB || !shareKernel(*A, *B) ||
          !areApart(A->Array, B->Array, All))
        continue;
      A->Apart.insert(B->Array.Where);
      B->Apart.insert(A->Array.Where);
    }
}

bool bankstripe::shareKernel(const PlannedArray &A, const PlannedArray &B) {
  return llvm::any_of(A.Kernels, [&](unsigned Row) {
    return llvm::is_contained(B.Kernels, Row);
  });
}
