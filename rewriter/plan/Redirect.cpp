//===-- Redirect.cpp - launches that run a version of a kernel ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where somebody else may launch a kernel, a static kernel beside it is its
// version, and the launches in sight name that one:
//
//     template <int N> __global__ void sum(...) { float t[N]; ... }
//     template <int N> static __global__ void sum_striped(...) { ... }
//
//     sum_striped<16><<<grid, block>>>(...);
//
// It is planned like any kernel of which all launches are in sight. Or the
// kernel chooses one in its own body, for the blocks that fit
// (KernelSetting.cpp): that serves whoever launches it, but ptxas chooses
// registers for both at once. So the version stands beside a kernel that nobody
// but its own file seems to launch, and beside others if a choice inside does
// not work or costs more: `__shared__` variables twice, or static storage for a
// block that nobody knows, or more of it than there is.
//
// Functions that hold arrays have copies then, which the version calls. Each
// kernel that reaches such a function calls its copy, or keeps its arrays.
// Where one has to choose by itself, or the text of a function cannot stand
// twice, the function is the original's as well, whose blocks may be larger:
// all of these choose by themselves.
//
//===----------------------------------------------------------------------===//

#include "plan/Redirect.h"
#include "plan/Candidates.h"
#include "plan/FunctionCopies.h"
#include "plan/KernelSetting.h"
#include "plan/Layout.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

// Whether the name in a launch can be that of a kernel behind the original.
static bool canName(const LaunchText &Text, const KernelText &Kernel) {
  if (!Text.Name.isValid())
    return false;
  return Text.Name.File == Kernel.Definition.File
             ? Text.Name.Offset >= Kernel.Definition.end()
             : Kernel.Declarations.empty();
}

// Launches of units that see no more than a declaration run the original.
static bool isInSight(const Launch &L) { return L.Text.SeesDefinition; }

// As far as anybody can see, only launches in sight run it. What a driver loads
// it finds by its name.
static bool isOnlyLaunchedHere(const MergedKernel &K,
                               const PlanOptions &Options) {
  const KernelText &Text = K.Facts.Text;
  return Options.Others != Outside::Loaders &&
         K.Facts.AddressTakenAt == K.Facts.Where &&
         llvm::all_of(K.Launches, isInSight) &&
         llvm::all_of(Text.Declarations, [&](const TextRange &Declared) {
           return Declared.File == Text.Definition.File;
         });
}

// What it may be allowed to ask for beyond that, somebody else may have allowed
// the original. Where nobody can name it, the version is allowed whatever its
// launches ask for, and its storage.
static bool mayAskFor(const Launch &L, const MergedKernel &K,
                      const PlanOptions &Options) {
  if (!L.DynamicSharedBytes)
    return isOnlyLaunchedHere(K, Options);
  return *L.DynamicSharedBytes + K.Shared.StaticBytes <= StaticSharedLimit;
}

std::vector<const ReachedArray *> bankstripe::movableIn(unsigned Row,
                                                        const MergedRun &Run) {
  std::vector<const ReachedArray *> Result;
  for (const ReachedArray &A : Run.Arrays)
    if (llvm::is_contained(A.Kernels, Row) && !whyArrayStays(A))
      Result.push_back(&A);
  return Result;
}

// The text of a launch in a template may be that of several kernels.
static bool isShared(const Launch &L, const MergedKernel &K,
                     const MergedRun &Run) {
  return llvm::any_of(Run.Kernels, [&](const MergedKernel &Other) {
    return !(Other.Facts.Text.Definition == K.Facts.Text.Definition) &&
           llvm::any_of(Other.Launches, [&](const Launch &Its) {
             return Its.Text.Name == L.Text.Name;
           });
  });
}

bool bankstripe::canRunVersion(const Launch &L, const MergedKernel &K,
                               const MergedRun &Run,
                               const PlanOptions &Options) {
  return !L.OnDevice && canName(L.Text, K.Facts.Text) &&
         (mayAskFor(L, K, Options) || !K.Facts.AddressTaken) &&
         !isShared(L, K, Run);
}

static bool canRedirect(unsigned Row, const MergedRun &Run,
                        const PlanOptions &Options) {
  const MergedKernel &K = Run.Kernels[Row];
  const Kernel &Facts = K.Facts;
  // Nobody launches from a module.
  if (Options.Others == Outside::Loaders || !Facts.AddressTaken ||
      Facts.AttributeSetAt.isValid() || !Facts.Text.Problem.empty() ||
      !Facts.Text.VersionProblem.empty() ||
      llvm::none_of(K.Launches, isInSight))
    return false;
  auto CanRunVersion = [&](const Launch &L) {
    return !isInSight(L) || canRunVersion(L, K, Run, Options);
  };
  auto CanAskAboutVersion = [&](const OccupancyQuery &Q) {
    return Q.Text.SeesDefinition && canName(Q.Text, Facts.Text);
  };
  const auto Arrays = movableIn(Row, Run);
  return !Arrays.empty() && llvm::all_of(K.Launches, CanRunVersion) &&
         llvm::all_of(K.Queries, CanAskAboutVersion) &&
         llvm::all_of(Arrays, [](const ReachedArray *A) {
           return A->Array.Function.IsKernel || A->InCopy;
         });
}

static bool callsCopies(unsigned Row, const MergedRun &Run) {
  return llvm::any_of(movableIn(Row, Run),
                      [](const ReachedArray *A) { return A->InCopy; });
}

// Whether all of its arrays take more than static storage can be.
static bool isAboveStatic(unsigned Row, const MergedRun &Run) {
  const MergedKernel &K = Run.Kernels[Row];
  unsigned Threads = 0;
  for (const Launch &L : K.Launches)
    if (isInSight(L))
      Threads = std::max(Threads, L.Threads.value_or(LargestBlock));
  if (K.Facts.Bounds)
    Threads = K.Facts.Bounds->Threads;
  uint64_t Sum = K.Shared.StaticBytes;
  for (const ReachedArray *A : movableIn(Row, Run))
    Sum += bytesIn(*A, smallestStripe(*A), Row, Threads);
  return Sum > StaticSharedLimit;
}

// Whether a version beside the kernel is better than what \p Inside says, which
// is what it has if it is launched itself.
static bool isBetter(unsigned Row, const MergedRun &Run,
                     const KernelSetting &Inside, const PlanOptions &Options) {
  const MergedKernel &K = Run.Kernels[Row];
  if (Options.SharedLimit > StaticSharedLimit && isAboveStatic(Row, Run))
    return true;
  if (!Inside.HasVersion)
    return Inside.Obstacle &&
           (!K.Facts.Bounds ||
            Inside.Obstacle->Why == Reason::DynamicSharedMemory);
  return isOnlyLaunchedHere(K, Options) || callsCopies(Row, Run) ||
         llvm::any_of(K.Launches,
                      [](const Launch &L) {
                        return isInSight(L) && !L.Threads &&
                               L.Text.Problem.empty();
                      }) ||
         llvm::any_of(movableIn(Row, Run), [](const ReachedArray *A) {
           return !A->Array.Version.isPossible() ||
                  A->Array.Version.SharedBytes != 0;
         });
}

bool bankstripe::movesBeside(unsigned Row, const MergedRun &Run,
                             const KernelSetting &Beside) {
  return !Beside.Obstacle && !Beside.HasVersion &&
         llvm::any_of(movableIn(Row, Run), [&](const ReachedArray *A) {
           return bytesIn(*A, smallestStripe(*A), Row, Beside.largestBlock()) <=
                  Beside.Budget;
         });
}

namespace {

/// Finds which kernels have versions beside them, and which functions copies.
class Redirection {
public:
  Redirection(MergedRun Run, const PlanOptions &Options)
      : Original(std::move(Run)), Options(Options), Copies(Original) {
    for (auto [I, A] : llvm::enumerate(Original.Arrays))
      if (Copies.holderOf(A.Array))
        Copied.insert(I);
  }
  RunWithSettings find();

private:
  MergedRun withCopies(const std::set<unsigned> &InCopies) const;
  std::set<TextRange> textsBeside(const MergedRun &Run);
  bool checkCopies();
  bool checkKernels();
  bool hasCopyFor(const ReachedArray &A, std::set<unsigned> &Without) const;

  const MergedRun Original;
  const PlanOptions &Options;
  const FunctionCopies Copies;
  std::vector<KernelSetting> Inside; ///< Of kernels that stay.
  std::set<unsigned> Copied;         ///< Arrays in copies of their functions.
  /// The kernels that reach these and keep calling the originals.
  std::map<unsigned, std::set<unsigned>> KeepCalling;
  std::set<TextRange> Stay; ///< Kernels that have no version beside them.
  MergedRun Run;            ///< With what was found so far.
  std::vector<KernelSetting> Settings; ///< Of that.
};

} // namespace

const TextRange &bankstripe::textOf(const MergedKernel &K) {
  return K.Facts.Text.Definition;
}

// What Kernel does with array Index is no matter of a plan.
static void keepArray(std::optional<KernelWork> &Work, unsigned Index) {
  if (!Work)
    return;
  if (auto Found = Work->Arrays.find(Index); Found != Work->Arrays.end()) {
    Work->OtherLocal += Found->second.all();
    Work->Arrays.erase(Found);
  }
}

MergedRun Redirection::withCopies(const std::set<unsigned> &InCopies) const {
  MergedRun Result = Original;
  for (auto [I, A] : llvm::enumerate(Result.Arrays)) {
    A.InCopy = InCopies.count(I);
    if (!A.InCopy && A.OnlyInCopy) {
      const std::string Why = Copies.whyNone(A.Array);
      A.Array.Obstacles.push_back(*A.OnlyInCopy);
      A.Array.Obstacles.back().Detail +=
          Why.empty() ? ", and no version of a kernel calls a copy of it"
                      : ", and it has no copy: " + Why;
    }
    const auto Without = KeepCalling.find(I);
    if (!A.InCopy || Without == KeepCalling.end())
      continue;
    auto Keeps = [&](unsigned Row) { return Without->second.count(Row) != 0; };
    llvm::erase_if(A.Kernels, Keeps);
    for (std::vector<unsigned> &Rows : A.InstanceKernels)
      llvm::erase_if(Rows, Keeps);
    for (unsigned Row : Without->second) {
      keepArray(Result.Kernels[Row].Work, I);
      keepArray(Result.Kernels[Row].ShortWork, I);
    }
  }
  return Result;
}

std::set<TextRange> Redirection::textsBeside(const MergedRun &Run) {
  std::set<TextRange> Beside;
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    if (!canRedirect(Row, Run, Options))
      Stay.insert(textOf(K));
    else if (isBetter(Row, Run, Inside[Row], Options))
      Beside.insert(textOf(K));
  }
  return Beside;
}

// Whether the function of A has a copy for all kernels that reach A, but for
// those that keep their arrays anyway, which Without gets.
bool Redirection::hasCopyFor(const ReachedArray &A,
                             std::set<unsigned> &Without) const {
  const FunctionText &Holder = *Copies.holderOf(A.Array);
  bool IsNeeded = A.OnlyInCopy.has_value();
  for (unsigned Row : A.Kernels) {
    const MergedKernel &K = Run.Kernels[Row];
    bool Refuses = false;
    for (auto [S, Other] : llvm::zip(Settings, Run.Kernels)) {
      if (Other.Facts.Where != K.Facts.Where || K.Redirected)
        continue;
      if (S.HasVersion || !K.Facts.MayEdit)
        return false;
      Refuses |= S.Obstacle.has_value();
    }
    if (Refuses)
      Without.insert(Row);
    else if (!Copies.leadTo(K.Facts, Holder))
      return false;
    IsNeeded |= K.Redirected;
  }
  return IsNeeded && Without.size() < A.Kernels.size();
}

// \returns whether all is as it was taken to be.
bool Redirection::checkCopies() {
  bool Holds = true;
  std::set<const FunctionText *> Originals; // Functions that have no copy.
  for (auto [I, A] : llvm::enumerate(Run.Arrays)) {
    std::set<unsigned> Without;
    if (!A.InCopy || whyArrayStays(A))
      continue;
    if (!hasCopyFor(A, Without)) {
      Originals.insert(Copies.holderOf(A.Array));
    } else if (!Without.empty()) {
      KeepCalling[I].merge(Without);
      Holds = false;
    }
  }
  const auto Erased = std::erase_if(Copied, [&](unsigned I) {
    return Originals.count(Copies.holderOf(Run.Arrays[I].Array)) != 0;
  });
  return Holds && Erased == 0 && Originals.empty();
}

bool Redirection::checkKernels() {
  bool Holds = true;
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    if (K.Redirected && !K.Chooses && !movesBeside(Row, Run, Settings[Row])) {
      Stay.insert(textOf(K));
      Holds = false;
    }
  return Holds;
}

// Kernels for which it turns out not to work choose by themselves after all.
RunWithSettings Redirection::find() {
  Inside = settingsOf(withCopies({}), Options);
  do {
    Run = withCopies(Copied);
    const std::set<TextRange> Beside = textsBeside(Run);
    for (MergedKernel &K : Run.Kernels) {
      K.Redirected =
          K.Chooses || (Beside.count(textOf(K)) && !Stay.count(textOf(K)));
      if (!K.Redirected)
        continue;
      K.Facts.AddressTaken = false;
      llvm::erase_if(K.Launches, [](const Launch &L) { return !isInSight(L); });
    }
    Settings = settingsOf(Run, Options);
  } while (!checkCopies() || !checkKernels());
  return {std::move(Run), std::move(Settings)};
}

RunWithSettings bankstripe::redirectLaunches(MergedRun Run,
                                             const PlanOptions &Options) {
  return Redirection(std::move(Run), Options).find();
}
