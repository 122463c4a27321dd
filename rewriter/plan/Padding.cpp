//===-- Padding.cpp - bank conflicts of shared arrays ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access is carried out for all lanes of all warps of a block, with the
// shape that blocks have in fact. Of what is added to an index for all lanes
// alike nothing needs to be known: it only turns the banks. A warp that asks
// for more than 128 bytes does so in parts, of half its lanes for 8 bytes each
// and of a quarter for 16.
//
// Lanes whose index lies outside of the array are taken not to run the access:
// what loads the border of a tile does so under a condition. But real programs
// also walk over all of an array as `tile[0][thread]`, and find other elements
// there once rows are longer. So where a last index is known to lie outside for
// some lane, or the row is a constant and the last index is not known, the
// array is left alone.
//
//===----------------------------------------------------------------------===//

#include "plan/Padding.h"
#include "arch/ArchInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace bankstripe;

static constexpr unsigned Lanes = 32;
static constexpr unsigned Banks = 32;
static constexpr unsigned WordBytes = 4;
/// How often a loop of unknown length is taken to run.
static constexpr double LoopTrips = 8;
/// Rows get longer where no more than this is left of the time for accesses.
static constexpr double MostLeft = 0.9;

namespace {

/// A value for each lane. The values are exact unless something unknown is
/// added, which is the same for all.
struct LaneValues {
  std::array<int64_t, Lanes> Of = {};
  bool IsShifted = false;

  bool isUniform() const { return llvm::all_equal(Of); }
};

using Kind = LaneStep::Kind;

/// The lanes of one warp of a block.
struct Warp {
  BlockShape Shape;
  unsigned First = 0; ///< The number of its first thread.

  unsigned threads() const { return Shape[0] * Shape[1] * Shape[2]; }
  unsigned lanes() const { return std::min(Lanes, threads() - First); }
  int64_t thread(unsigned Lane, unsigned Dimension) const {
    const unsigned Number = First + Lane;
    return Dimension == 0   ? Number % Shape[0]
           : Dimension == 1 ? Number / Shape[0] % Shape[1]
                            : Number / Shape[0] / Shape[1];
  }
};

} // namespace

static std::optional<int64_t> combine(Kind What, int64_t A, int64_t B) {
  switch (What) {
  case Kind::Add:
    return A + B;
  case Kind::Subtract:
    return A - B;
  case Kind::Multiply:
    return A * B;
  case Kind::Divide:
    return B ? std::optional(A / B) : std::nullopt;
  case Kind::Remainder:
    return B ? std::optional(A % B) : std::nullopt;
  case Kind::And:
    return A & B;
  case Kind::Or:
    return A | B;
  case Kind::Xor:
    return A ^ B;
  case Kind::ShiftLeft:
    return B >= 0 && B < 32 ? std::optional(A << B) : std::nullopt;
  case Kind::ShiftRight:
    return B >= 0 && B < 32 ? std::optional(A >> B) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static std::optional<LaneValues> combine(Kind What, const LaneValues &A,
                                         const LaneValues &B) {
  LaneValues Result;
  Result.IsShifted = A.IsShifted || B.IsShifted;
  if (Result.IsShifted && A.isUniform() && B.isUniform())
    return Result; // As unknown as its parts, and as uniform.
  const bool Scales =
      (What == Kind::Multiply &&
       ((!A.IsShifted && A.isUniform()) || (!B.IsShifted && B.isUniform()))) ||
      (What == Kind::ShiftLeft && !B.IsShifted && B.isUniform());
  if (Result.IsShifted && What != Kind::Add && What != Kind::Subtract &&
      !Scales)
    return std::nullopt;
  for (auto [Into, Left, Right] : llvm::zip(Result.Of, A.Of, B.Of)) {
    const auto Value = combine(What, Left, Right);
    if (!Value)
      return std::nullopt;
    Into = *Value;
  }
  return Result;
}

static std::optional<LaneValues> evaluate(const std::vector<LaneStep> &Steps,
                                          const Warp &W) {
  std::vector<LaneValues> Stack;
  for (const LaneStep &S : Steps) {
    LaneValues V;
    switch (S.What) {
    case Kind::Constant:
      V.Of.fill(S.Number);
      break;
    case Kind::Thread:
      for (unsigned Lane = 0; Lane < Lanes; ++Lane)
        V.Of[Lane] = W.thread(Lane, S.Number);
      break;
    case Kind::Extent:
      V.Of.fill(W.Shape[S.Number]);
      break;
    case Kind::Uniform:
      V.IsShifted = true;
      break;
    default:
      const LaneValues Right = Stack.back();
      Stack.pop_back();
      const auto Result = combine(S.What, Stack.back(), Right);
      if (!Result)
        return std::nullopt;
      Stack.pop_back();
      V = *Result;
    }
    Stack.push_back(V);
  }
  return Stack.back();
}

// The most words of one bank that a part of the warp asks for.
static unsigned degreeOf(const std::array<std::optional<int64_t>, Lanes> &At,
                         uint64_t Bytes) {
  const unsigned InPart =
      Lanes * WordBytes /
      llvm::PowerOf2Ceil(std::clamp<uint64_t>(Bytes, WordBytes, 4 * WordBytes));
  unsigned Result = 1;
  for (unsigned Begin = 0; Begin < Lanes; Begin += InPart) {
    std::array<std::set<int64_t>, Banks> Words;
    for (unsigned Lane = Begin; Lane < Begin + InPart; ++Lane)
      if (At[Lane])
        for (int64_t Word = *At[Lane] / WordBytes;
             Word * WordBytes < *At[Lane] + int64_t(Bytes); ++Word)
          Words[Word % Banks].insert(Word);
    for (const auto &Each : Words)
      Result = std::max<unsigned>(Result, Each.size());
  }
  return Result;
}

static std::optional<unsigned> degreeOf(const SharedAccess &A,
                                        const SharedArray &Array, const Warp &W,
                                        unsigned Padding) {
  // Far from 0, where divisions round the other way.
  std::array<std::optional<int64_t>, Lanes> At;
  At.fill(std::nullopt);
  for (unsigned Lane = 0; Lane < W.lanes(); ++Lane)
    At[Lane] = (int64_t(1) << 40) + A.Offset;
  int64_t Pitch = Array.ElementBytes;
  for (unsigned D = Array.Extents.size(); D--;) {
    const auto Index = evaluate(A.Indices[D], W);
    if (!Index)
      return std::nullopt;
    const int64_t Extent = Array.Extents[D];
    for (auto [Address, I] : llvm::zip(At, Index->Of))
      if (Address && !Index->IsShifted && (I < 0 || I >= Extent))
        Address.reset();
      else if (Address)
        *Address += I * Pitch;
    Pitch *= Extent + (D + 1 == Array.Extents.size() ? Padding : 0);
  }
  return degreeOf(At, A.Bytes);
}

// Calls See for the warps of a block, until it says false.
static bool forEachWarp(const BlockShape &Shape,
                        llvm::function_ref<bool(const Warp &)> See) {
  for (Warp W{Shape, 0}; W.First < W.threads(); W.First += Lanes)
    if (!See(W))
      return false;
  return true;
}

std::optional<unsigned> bankstripe::conflictDegree(const SharedAccess &A,
                                                   const SharedArray &Array,
                                                   const BlockShape &Shape,
                                                   unsigned Padding) {
  if (A.Indices.size() != Array.Extents.size())
    return std::nullopt;
  unsigned Result = 1;
  const bool Known = forEachWarp(Shape, [&](const Warp &W) {
    const auto Degree = degreeOf(A, Array, W, Padding);
    Result = std::max(Result, Degree.value_or(1));
    return Degree.has_value();
  });
  return Known ? std::optional(Result) : std::nullopt;
}

bool bankstripe::mayLeaveRow(const SharedAccess &A, const SharedArray &Array,
                             const BlockShape &Shape) {
  if (A.Indices.size() != Array.Extents.size())
    return true;
  const bool IsInConstantRow = llvm::all_of(
      llvm::ArrayRef(A.Indices).drop_back(),
      [](const std::vector<LaneStep> &Index) {
        return Index.size() == 1 && Index.front().What == Kind::Constant;
      });
  return !forEachWarp(Shape, [&](const Warp &W) {
    const auto Index = evaluate(A.Indices.back(), W);
    if (!Index || Index->IsShifted)
      return !IsInConstantRow;
    return llvm::all_of(llvm::ArrayRef(Index->Of).take_front(W.lanes()),
                        [&](int64_t I) {
                          return I >= 0 && uint64_t(I) < Array.Extents.back();
                        });
  });
}

namespace {

/// An access of an instance in a kernel whose blocks have one shape.
struct ShapedAccess {
  const SharedAccess *Access;
  const SharedArray *Array;
  BlockShape Shape;
};

/// One array as it is written, with all that is known of its instances.
struct Group {
  std::vector<const SharedArray *> Instances;
  std::vector<ShapedAccess> Accesses;
  std::set<std::string> Kernels; ///< Mangled names.
  bool IsUnknown = false;
};

} // namespace

// The shapes of all launches of a kernel; empty where one of them is unknown.
static std::vector<BlockShape> shapesOf(llvm::StringRef KernelId,
                                        const std::vector<UnitResult> &Units) {
  std::set<BlockShape> Shapes;
  for (const UnitResult &U : Units)
    for (const Launch &L : U.Facts.Launches) {
      if (L.KernelId != KernelId)
        continue;
      if (L.Shape.size() != 3)
        return {};
      const BlockShape Shape{L.Shape[0], L.Shape[1], L.Shape[2]};
      if (Shape[0] * Shape[1] * Shape[2] > 1024)
        return {};
      Shapes.insert(Shape);
    }
  return {Shapes.begin(), Shapes.end()};
}

static std::map<Place, Group> groupsOf(const std::vector<UnitResult> &Units) {
  std::map<Place, Group> Groups;
  for (const UnitResult &U : Units)
    for (const SharedArray &A : U.Facts.SharedArrays) {
      Group &G = Groups[A.Where];
      G.Instances.push_back(&A);
      auto Known = U.Evidence.Shared.find(A.Id);
      if (Known == U.Evidence.Shared.end()) {
        G.IsUnknown = true;
        continue;
      }
      for (const SharedAccess &Access : Known->second) {
        G.Kernels.insert(Access.FunctionId);
        const auto Shapes = shapesOf(Access.FunctionId, Units);
        G.IsUnknown |= Shapes.empty();
        for (const BlockShape &Shape : Shapes)
          G.Accesses.push_back({&Access, &A, Shape});
      }
    }
  return Groups;
}

// What all accesses cost with that padding; nothing where one is not known.
static std::optional<double> costOf(const Group &G, unsigned Padding) {
  double Cost = 0;
  for (const ShapedAccess &S : G.Accesses) {
    const auto Degree = conflictDegree(*S.Access, *S.Array, S.Shape, Padding);
    if (!Degree)
      return std::nullopt;
    Cost += *Degree * std::pow(LoopTrips, S.Access->LoopDepth);
  }
  return Cost;
}

static uint64_t addedBytes(const SharedArray &A, unsigned Padding) {
  uint64_t Rows = 1;
  for (uint64_t Extent : llvm::ArrayRef(A.Extents).drop_back())
    Rows *= Extent;
  return Rows * Padding * A.ElementBytes;
}

// What stands against so many bytes more in the kernels of G.
static std::optional<Reason> whyNot(const Group &G, uint64_t Bytes,
                                    std::map<std::string, uint64_t> &Added,
                                    const Plan &P) {
  for (const KernelPlan &K : P.Kernels) {
    if (!G.Kernels.count(K.Facts.Id))
      continue;
    const uint64_t Static = K.SharedAfter + Added[K.Facts.Id];
    auto Warps = [&](uint64_t Shared) {
      return residentWarps(P.GpuArch, K.BlockThreads, K.Registers,
                           Shared + K.DynamicSharedBytes);
    };
    if (Static + Bytes > StaticSharedLimit)
      return Reason::OverBudget;
    if (Warps(Static + Bytes) < Warps(Static))
      return Reason::NotProfitable;
  }
  for (const std::string &Kernel : G.Kernels)
    Added[Kernel] += Bytes;
  return std::nullopt;
}

static std::vector<BankConflict> conflictsOf(const Group &G, unsigned Padding) {
  std::map<Place, BankConflict> Found;
  for (const ShapedAccess &S : G.Accesses) {
    auto Degree = [&](unsigned Padding) {
      return conflictDegree(*S.Access, *S.Array, S.Shape, Padding).value_or(1);
    };
    BankConflict &C =
        Found[{S.Array->Where.File, S.Access->Line, S.Access->Column}];
    C.Before = std::max(C.Before, Degree(0));
    C.After = std::max(C.After, Degree(Padding));
  }
  std::vector<BankConflict> Result;
  for (auto &[Where, C] : Found) {
    C.Where = Where;
    if (C.Before > 1 || C.After > 1)
      Result.push_back(C);
  }
  return Result;
}

// The padding that leaves the least to do, with the fewest bytes: at most half
// as many again.
static unsigned bestPadding(const Group &G, double Before) {
  const SharedArray &A = *G.Instances.front();
  const unsigned Most = std::min<uint64_t>(A.Extents.back() / 2,
                                           Banks * WordBytes / A.ElementBytes);
  unsigned Best = 0;
  double Least = Before;
  for (unsigned Padding = 1; Padding <= std::max(1u, Most); ++Padding)
    if (const double Cost = *costOf(G, Padding); Cost < Least) {
      Least = Cost;
      Best = Padding;
    }
  return Least <= MostLeft * Before ? Best : 0;
}

static PlannedSharedArray
decide(const Group &G, std::map<std::string, uint64_t> &Added, const Plan &P) {
  PlannedSharedArray Result;
  Result.Array = *G.Instances.front();
  for (const SharedArray *A : G.Instances)
    for (const Obstacle &O : A->Obstacles)
      if (!llvm::is_contained(Result.Array.Obstacles, O))
        Result.Array.Obstacles.push_back(O);
  auto Stays = [&](Reason Why, Place Where = {}) {
    Result.Why = Why;
    Result.WhyWhere = Where.isValid() ? Where : Result.Array.Where;
    return Result;
  };
  const auto Before = G.IsUnknown ? std::nullopt : costOf(G, 0);
  if (Before)
    Result.Conflicts = conflictsOf(G, 0);
  if (Before && Result.Conflicts.empty())
    return Stays(Reason::ConflictFree);
  if (!Result.Array.Obstacles.empty()) {
    const Obstacle &First = Result.Array.Obstacles.front();
    return Stays(First.Why, First.Where);
  }
  if (!Before)
    return Stays(Reason::BanksUnknown);
  for (const ShapedAccess &S : G.Accesses)
    if (mayLeaveRow(*S.Access, *S.Array, S.Shape))
      return Stays(Reason::LeavesRow,
                   {S.Array->Where.File, S.Access->Line, S.Access->Column});
  const unsigned Padding = bestPadding(G, *Before);
  if (!Padding)
    return Stays(Reason::ConflictsStay);
  uint64_t Bytes = 0;
  for (const SharedArray *A : G.Instances)
    Bytes = std::max(Bytes, addedBytes(*A, Padding));
  if (auto Why = whyNot(G, Bytes, Added, P))
    return Stays(*Why);
  Result.Padding = Padding;
  Result.AddedBytes = Bytes;
  Result.Conflicts = conflictsOf(G, Padding);
  return Stays(Reason::BankConflicts);
}

static void keep(PlannedSharedArray &A, const Place &Where) {
  A.Why = Reason::DecidedKeep;
  A.WhyWhere = Where;
  A.Padding = A.AddedBytes = 0;
  for (BankConflict &C : A.Conflicts)
    C.After = C.Before;
}

// Of a shared array, the one decision that can be obeyed is to keep it.
static void heedDecisions(const PlanOptions &Options,
                          std::vector<DecisionOutcome> &Outcomes,
                          PlannedSharedArray &A) {
  auto Default = Options.Defaults.find(A.Array.Where.File);
  const Layout Usual = Options.DefaultLayout ? *Options.DefaultLayout
                       : Default != Options.Defaults.end()
                           ? Default->second.Wanted
                           : Layout::Auto;
  if (Usual == Layout::Keep && A.Padding)
    keep(A, A.Array.Where);
  for (DecisionOutcome &O : Outcomes) {
    const ArrayDecision &D = O.Decision;
    if (D.File != A.Array.Where.File || D.Function != A.Array.Function ||
        D.Array != A.Array.Name || O.Array.isValid())
      continue;
    O.Detail.clear();
    O.State = DecisionState::Used;
    if (D.Wanted == Layout::Keep) {
      keep(A, D.Where);
    } else if (D.Wanted != Layout::Auto) {
      O.State = DecisionState::Unfulfilled;
      O.Detail = "it is a shared array, which can only be padded or kept";
    }
  }
}

void bankstripe::planPadding(const std::vector<UnitResult> &Units,
                             const PlanOptions &Options,
                             std::vector<DecisionOutcome> &Outcomes,
                             Plan &Into) {
  std::map<std::string, uint64_t> Added;
  for (const auto &[Where, G] : groupsOf(Units)) {
    Into.SharedArrays.push_back(decide(G, Added, Into));
    heedDecisions(Options, Outcomes, Into.SharedArrays.back());
  }
}
