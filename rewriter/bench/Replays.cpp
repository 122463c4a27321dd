//===-- Replays.cpp - measures kernels alone ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Replays.h"
#include "bench/Reply.h"
#include "report/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// How far the original, compiled alone, may be from what it was in its program;
// what is farther was built in another way.
static constexpr double MostNoise = 0.1;

namespace bankstripe {

// For toBytes and fromBytes.
template <class Visitor, Is<Replayed> T>
auto visitFields(T &Value, Visitor &&Visit) {
  auto &[Speedup, Problem, Varies, Sure, IsStopped] = Value;
  return Visit(Speedup, Problem, Varies, Sure, IsStopped);
}

} // namespace bankstripe

static const SurveyedKernel *findKernel(const KernelPlan &K,
                                        const ProgramRun &Seen) {
  auto Found = Seen.Kernels.find(comparableName(K.Facts.Id));
  return Found == Seen.Kernels.end() ? nullptr : &Found->second;
}

const UnitRecord *Replays::unitOf(const KernelPlan &K) const {
  for (const UnitRecord &Unit : Units)
    if (!Unit.Job.IsOtherArch &&
        llvm::any_of(Unit.Unit.Facts.Kernels,
                     [&](const Kernel &Own) { return Own.Id == K.Facts.Id; }))
      return &Unit;
  return nullptr;
}

// Why no launch of a kernel of \p G can be replayed; empty when it can.
std::string Replays::whyNot(const TuneGroup &G, const Plan &Movable) const {
  for (unsigned Row : G.Kernels) {
    const KernelPlan &K = Movable.Kernels[Row];
    const SurveyedKernel *Kernel = findKernel(K, Seen);
    if (llvm::none_of(Kernel->Captures,
                      [](const CapturedLaunch &L) { return !L.File.empty(); }))
      return K.Facts.Name + ": " +
             (Kernel->Problem.empty() ? "no launch was captured"
                                      : Kernel->Problem);
    if (!unitOf(K))
      return K.Facts.Name + ": it is compiled for another architecture only";
  }
  return "";
}

llvm::Error Replays::search(std::vector<TuneGroup> &Groups, const Plan &Movable,
                            const Arrangement &Predicted) {
  for (TuneGroup &G : Groups)
    G.WhyWhole = whyNot(G, Movable);
  while (true) {
    std::vector<Version> Versions;
    for (TuneGroup &G : Groups) {
      if (!G.WhyWhole.empty())
        continue;
      std::vector<Attempt> Next = nextAttempts(G, Movable, Predicted);
      if (!Next.empty() && !P.work().isQuiet())
        llvm::errs() << "bankstripe: trying "
                     << Movable.Kernels[G.Kernels.front()].Facts.Name << ": "
                     << llvm::join(
                            llvm::map_range(Next, std::mem_fn(&Attempt::Name)),
                            ", ")
                     << '\n';
      Versions.resize(std::max(Versions.size(), Next.size()));
      for (auto [V, A] : llvm::zip(Versions, Next))
        V.Attempts.emplace(&G, std::move(A));
    }
    if (Versions.empty())
      return llvm::Error::success();
    auto Compiled = compile(std::move(Versions));
    if (!Compiled)
      return Compiled.takeError();
    replay(*Compiled);
  }
}

// Where nvcc does not take a version, each of its attempts is tried alone.
llvm::Expected<std::vector<Replays::Version>>
Replays::compile(std::vector<Version> Versions) {
  std::vector<Version> Done;
  while (!Versions.empty()) {
    for (Version &V : Versions) {
      for (const auto &[G, A] : V.Attempts)
        V.What.add(*G, A);
      auto Made = Make(V.What);
      if (!Made)
        return Made.takeError();
      V.Sources = std::move(*Made);
    }
    std::vector<DeviceCodes::Request> Code;
    for (const Version &V : Versions)
      Code.push_back({unitsOf(V), &V.What.Arrays, V.Sources.Changes});
    Codes.compile(Code);
    std::vector<Version> Alone;
    for (Version &V : Versions) {
      if (V.Attempts.size() == 1 || isCompiled(V)) {
        Done.push_back(std::move(V));
        continue;
      }
      for (auto &[G, A] : V.Attempts)
        Alone.emplace_back().Attempts.emplace(G, std::move(A));
    }
    Versions = std::move(Alone);
  }
  return Done;
}

std::set<const UnitRecord *> Replays::unitsOf(const Version &V) const {
  std::set<const UnitRecord *> Units;
  for (const auto &[G, A] : V.Attempts)
    for (unsigned Row : G->Kernels)
      Units.insert(unitOf(V.Sources.Decisions.Kernels[Row]));
  return Units;
}

bool Replays::isCompiled(const Version &V) const {
  return llvm::all_of(unitsOf(V), [&](const UnitRecord *Unit) {
    return !Codes.codeOf(*Unit, V.What.Arrays).Cubin.empty();
  });
}

// How bankstripe-replay launches \p K.
static json::Object candidate(const KernelPlan &K, const std::string &Cubin) {
  json::Object Result{{"module", Cubin}, {"warpBytes", K.WarpBytes}};
  if (K.Redirected)
    Result["mostThreads"] = K.Block.Threads;
  if (K.Carved.How == Carveout::Rule::Auto)
    Result["carveout"] = "auto";
  else if (K.Carved.How == Carveout::Rule::Fixed)
    Result["carveout"] = K.Carved.Percent;
  return Result;
}

// Whatever the result of a module in the place of the original's depends on;
// empty where that cannot be told.
std::string Replays::keyOf(const CapturedLaunch &L, const DeviceCode &Code,
                           json::Object Candidate) const {
  if (L.Digest.empty() || !Known || !Code.Key)
    return "";
  Candidate.erase("module");
  return KeyBuilder()
      .add("what", "replay")
      .add("program", ownIdentity() + identityOfFile(P.replayer()))
      .add("gpu",
           Seen.Device + Seen.Architecture + identityOfLibrary("libcuda.so.1"))
      .add("capture", L.Digest)
      .add("module", *Code.Key)
      .add("how", llvm::formatv("{0}", json::Value(std::move(Candidate))).str())
      .key();
}

// What an earlier run measured.
std::optional<Replayed> Replays::recall(const std::string &Key) {
  std::optional<Replayed> Found;
  if (!Key.empty())
    Known->store().get(Key, [&](StringRef Bytes) {
      Found = fromBytes<Replayed>(Bytes);
      return Found.has_value();
    });
  return Found;
}

// What was not timed may have failed by chance, as for lack of memory.
void Replays::receive(Launched &L, const WorkResult &Work) {
  auto Results = readReply<std::vector<Replayed>>(Work);
  if (!Results) {
    L.Problem = toString(Results.takeError());
    return;
  }
  L.Results = std::move(*Results);
  for (const auto &[Key, R] : llvm::zip(L.Keys, L.Results))
    if (R.Speedup && !Key.empty())
      Known->store().put(Key, toBytes(R));
}

void Replays::VersionTimes::add(const CapturedLaunch &L, const Replayed &R) {
  if (Problem.empty())
    Problem = R.Problem;
  IsSure &= R.Sure.has_value();
  Varies |= R.Varies;
  IsStopped |= R.IsStopped;
  if (R.Speedup)
    Nanoseconds += L.Nanoseconds / *R.Speedup;
  if (R.Sure) {
    Most += L.Nanoseconds / R.Sure->first;
    Least += L.Nanoseconds / R.Sure->second;
  }
}

// The candidates, as JSON; empty when there is none.
std::string Replays::prepare(Launched &L) {
  json::Array Candidates;
  llvm::erase_if(L.Versions, [&](VersionTimes *M) {
    const KernelPlan &K = M->From->Sources.Decisions.Kernels[L.Kernel];
    const DeviceCode &Code = Codes.codeOf(*unitOf(K), M->From->What.Arrays);
    if (Code.Cubin.empty()) {
      M->Problem = Code.Problem;
      return true;
    }
    json::Object Candidate = candidate(K, Code.Cubin);
    std::string Key = keyOf(*L.Capture, Code, Candidate);
    if (const auto Before = recall(Key)) {
      ++KnownCount;
      M->add(*L.Capture, *Before);
      return true;
    }
    Candidates.push_back(std::move(Candidate));
    L.Keys.push_back(std::move(Key));
    return false;
  });
  return L.Versions.empty()
             ? ""
             : llvm::formatv("{0}", json::Value(std::move(Candidates))).str();
}

static void giveUp(TuneGroup &G, const std::string &Why) {
  G.WhyWhole = Why;
  G.Attempts.clear();
}

// Empty where ptxas has said nothing of a kernel.
std::vector<KernelUse> Replays::usesOf(const TuneGroup &G,
                                       const Version &V) const {
  std::vector<KernelUse> Uses;
  for (unsigned Row : G.Kernels) {
    const KernelPlan &K = V.Sources.Decisions.Kernels[Row];
    const ResourceTable Own =
        forVersions(Codes.codeOf(*unitOf(K), V.What.Arrays).Used, {K.Facts},
                    V.Sources.Decisions);
    if (Own.empty())
      return {};
    const auto &[Id, R] = *Own.begin();
    const uint64_t Shared = K.SharedAfter + K.DynamicSharedBytes;
    Uses.push_back(
        {residentWarps(Seen.Architecture, K.Block.Threads, R.Registers, Shared),
         R.Registers, R.StackFrame, static_cast<unsigned>(Shared)});
  }
  return Uses;
}

void Replays::record(TuneGroup &G, llvm::MutableArrayRef<VersionTimes> All,
                     double Original) {
  for (VersionTimes &M : All) {
    Attempt &A = M.From->Attempts.at(&G);
    A.Problem = M.Problem;
    A.IsStopped = M.IsStopped;
    if (M.Problem.empty())
      A.Speedup = Original / M.Nanoseconds;
    if (A.Speedup && M.IsSure)
      A.Sure = {Original / M.Most, Original / M.Least};
    A.Uses = usesOf(G, *M.From);
    G.Varies |= M.Varies;
    G.record(std::move(A), M.From->Sources.Decisions);
  }
  const Attempt &First = G.Attempts.front();
  if (!First.Speedup)
    giveUp(G, "the original compiled alone: " + First.Problem);
  else if (G.Varies && !P.canBuild())
    giveUp(G, "each launch leaves something else, so that only the program can "
              "be compared");
  else if (G.Noise > MostNoise)
    giveUp(G, llvm::formatv("compiled alone, the original runs at {0:F2}x",
                            *First.Speedup));
}

// Every captured launch of the kernels of these groups.
std::vector<Replays::Launched>
Replays::launches(std::map<TuneGroup *, std::vector<VersionTimes>> &All) const {
  std::vector<Launched> Launches;
  for (auto &[G, Versions] : All)
    for (unsigned Row : G->Kernels) {
      const Plan &Decisions = Versions.front().From->Sources.Decisions;
      const KernelPlan &K = Decisions.Kernels[Row];
      for (const CapturedLaunch &C : findKernel(K, Seen)->Captures)
        if (!C.File.empty()) {
          Launched &L = Launches.emplace_back();
          L.Group = G;
          L.Kernel = Row;
          L.Name = K.Facts.Name;
          L.Capture = &C;
          for (VersionTimes &M : Versions)
            L.Versions.push_back(&M);
        }
    }
  return Launches;
}

// Several launches at a time: it takes longer to prepare one than to time it.
void Replays::run(std::vector<Launched> &Launches) {
  constexpr uint64_t LargeBytes = uint64_t(1) << 30;
  const bool AreLarge = llvm::any_of(Launches, [&](const Launched &L) {
    return L.Capture->Bytes > LargeBytes;
  });
  const unsigned AtATime = AreLarge ? 1 : 4;
  Progress Shown(Launches.size(), !P.work().isQuiet());
  Workers Pool({std::min(AtATime, P.work().Limits.Processes), /*Seconds=*/0},
               [&](size_t I, const WorkResult &Work) {
                 receive(Launches[I], Work);
                 Shown.done("replaying " + Launches[I].Name);
                 if (P.work().isVerbose())
                   llvm::errs()
                       << "bankstripe: replayed " << Launches[I].Name << ", "
                       << Launches[I].Versions.size() << " versions\n";
               });
  for (size_t I = 0; I < Launches.size(); ++I)
    if (const std::string Candidates = prepare(Launches[I]);
        !Candidates.empty())
      Pool.start(I, [&] {
        return replyWith(P.replay(Launches[I].Capture->File, Candidates,
                                  "replay" + std::to_string(I)));
      });
  Pool.finish();
}

void Replays::replay(std::vector<Version> &Versions) {
  std::map<TuneGroup *, std::vector<VersionTimes>> All;
  for (Version &V : Versions)
    for (const auto &[G, A] : V.Attempts)
      All[G].emplace_back().From = &V;
  std::vector<Launched> Launches = launches(All);
  run(Launches);
  std::map<TuneGroup *, double> Original;
  for (Launched &L : Launches) {
    Original[L.Group] += L.Capture->Nanoseconds;
    if (!L.Group->WhyWhole.empty() || L.Versions.empty())
      continue;
    if (!L.Problem.empty()) {
      giveUp(*L.Group, L.Name + ": " + L.Problem);
      continue;
    }
    L.Results.resize(L.Versions.size(), {std::nullopt, "was not replayed"});
    for (auto [M, R] : llvm::zip_equal(L.Versions, L.Results)) {
      ++Count;
      M->add(*L.Capture, R);
    }
  }
  for (auto &[G, Times] : All)
    if (G->WhyWhole.empty())
      record(*G, Times, Original[G]);
}
