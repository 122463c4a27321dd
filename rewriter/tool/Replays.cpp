//===-- Replays.cpp - measures kernels alone ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Replays.h"
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

Replays::Replays(const ToolOptions &Options, const ReadResult &Read, Program &P,
                 const ProgramRun &Seen, CarryOut Make)
    : Options(Options), Read(Read), P(P), Seen(Seen), Make(std::move(Make)),
      Codes(Options, Read, P, Seen.Architecture) {
  if (Read.Run.Known)
    Earlier.emplace(usualCacheFolder(), usualCacheLimits());
}

static const SurveyedKernel *seen(const KernelPlan &K, const ProgramRun &In) {
  auto Found = In.Kernels.find(comparableName(K.Facts.Id));
  return Found == In.Kernels.end() ? nullptr : &Found->second;
}

const UnitRecord *Replays::unitOf(const KernelPlan &K) const {
  for (const UnitRecord &Unit : Read.Units)
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
    const SurveyedKernel *Seen = seen(K, this->Seen);
    if (llvm::none_of(Seen->Captures,
                      [](const CapturedLaunch &L) { return !L.File.empty(); }))
      return K.Facts.Name + ": " +
             (Seen->Problem.empty() ? "no launch was captured" : Seen->Problem);
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
      if (!Next.empty() && Options.Level != Detail::Quiet)
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
    if (Versions.empty()) {
      if (Earlier)
        Earlier->prune();
      return llvm::Error::success();
    }
    auto Compiled = compile(std::move(Versions));
    if (!Compiled)
      return Compiled.takeError();
    replay(Groups, *Compiled);
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
      auto Run = Make(V.What);
      if (!Run)
        return Run.takeError();
      V.Run = std::move(*Run);
    }
    std::vector<DeviceCodes::Version> Code;
    for (const Version &V : Versions)
      Code.push_back({unitsOf(V), &V.What.Arrays, V.Run.Changes});
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
      Units.insert(unitOf(V.Run.Decisions.Kernels[Row]));
  return Units;
}

bool Replays::isCompiled(const Version &V) const {
  return llvm::all_of(unitsOf(V), [&](const UnitRecord *Unit) {
    return !Codes.of(*Unit, V.What.Arrays).Cubin.empty();
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
  if (L.Digest.empty() || !Earlier || !Code.Key)
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
      .take();
}

// What an earlier run found.
std::optional<Replayed> Replays::known(const std::string &Key) {
  std::optional<Replayed> Found;
  if (!Key.empty())
    Earlier->get(Key, [&](StringRef Json) {
      auto Results = parseReplays(Json);
      if (Results && Results->size() == 1)
        Found = Results->front();
      llvm::consumeError(Results.takeError());
      return Found.has_value();
    });
  return Found;
}

// What was not timed may have failed by chance, as for lack of memory.
void Replays::keep(const Launched &L) {
  auto Results = parseReplays(L.Json);
  if (!Results)
    return llvm::consumeError(Results.takeError());
  for (auto [Key, R] : llvm::zip(L.Keys, *Results))
    if (R.Speedup && !Key.empty())
      Earlier->put(Key, R.Json);
}

// The candidates, as JSON; empty when there is none.
std::string Replays::prepare(Launched &L) {
  json::Array Candidates;
  llvm::erase_if(L.Versions, [&](Measured *M) {
    const KernelPlan &K = M->From->Run.Decisions.Kernels[L.Kernel];
    const DeviceCode &Code = Codes.of(*unitOf(K), M->From->What.Arrays);
    if (Code.Cubin.empty()) {
      M->Problem = Code.Problem;
      return true;
    }
    json::Object Candidate = candidate(K, Code.Cubin);
    std::string Key = keyOf(*L.Capture, Code, Candidate);
    if (const auto Before = known(Key)) {
      ++KnownCount;
      take(*L.Capture, *M, *Before);
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

llvm::Error Replays::take(Launched &L) {
  if (!StringRef(L.Json).starts_with("["))
    return llvm::createStringError(L.Problem + L.Json);
  auto Results = parseReplays(L.Json);
  if (!Results)
    return Results.takeError();
  Results->resize(L.Versions.size(), {std::nullopt, "was not replayed"});
  for (auto [M, R] : llvm::zip_equal(L.Versions, *Results)) {
    ++Count;
    take(*L.Capture, *M, R);
  }
  return llvm::Error::success();
}

void Replays::take(const CapturedLaunch &L, Measured &M, const Replayed &R) {
  if (M.Problem.empty())
    M.Problem = R.Problem;
  M.IsSure &= R.Sure.has_value();
  M.Varies |= R.Varies;
  M.IsStopped |= R.IsStopped;
  if (R.Speedup)
    M.Nanoseconds += L.Nanoseconds / *R.Speedup;
  if (R.Sure) {
    M.Most += L.Nanoseconds / R.Sure->first;
    M.Least += L.Nanoseconds / R.Sure->second;
  }
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
    const KernelPlan &K = V.Run.Decisions.Kernels[Row];
    const ResourceTable Own = forVersions(
        Codes.of(*unitOf(K), V.What.Arrays).Used, {K.Facts}, V.Run.Decisions);
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

void Replays::record(TuneGroup &G, llvm::MutableArrayRef<Measured> All,
                     double Original) {
  for (Measured &M : All) {
    Attempt &A = M.From->Attempts.at(&G);
    A.Problem = M.Problem;
    A.IsStopped = M.IsStopped;
    if (M.Problem.empty())
      A.Speedup = Original / M.Nanoseconds;
    if (A.Speedup && M.IsSure)
      A.Sure = {Original / M.Most, Original / M.Least};
    A.Uses = usesOf(G, *M.From);
    G.Varies |= M.Varies;
    G.record(std::move(A), M.From->Run.Decisions);
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

// Several launches at a time: it takes longer to prepare one than to time it.
void Replays::replay(std::vector<TuneGroup> &Groups,
                     std::vector<Version> &Versions) {
  std::map<TuneGroup *, std::vector<Measured>> All;
  for (Version &V : Versions)
    for (const auto &[G, A] : V.Attempts)
      All[G].emplace_back().From = &V;
  std::vector<Launched> Launches;
  for (TuneGroup &G : Groups)
    for (unsigned Row : All.count(&G) ? G.Kernels : std::vector<unsigned>())
      for (const CapturedLaunch &C :
           seen(Versions.front().Run.Decisions.Kernels[Row], Seen)->Captures)
        if (!C.File.empty()) {
          Launches.push_back({&G, Row, &C, {}, {}, "", ""});
          for (Measured &M : All[&G])
            Launches.back().Versions.push_back(&M);
        }
  constexpr uint64_t LargeBytes = uint64_t(1) << 30;
  const bool AreLarge = llvm::any_of(Launches, [&](const Launched &L) {
    return L.Capture->Bytes > LargeBytes;
  });
  const unsigned AtATime = AreLarge ? 1 : 4;
  Progress Shown(Launches.size(), Options.Level != Detail::Quiet);
  auto NameOf = [&](size_t I) {
    return Versions.front()
        .Run.Decisions.Kernels[Launches[I].Kernel]
        .Facts.Name;
  };
  Workers Pool({std::min(AtATime, Options.Jobs), /*Seconds=*/0},
               [&](size_t I, WorkResult Result) {
                 Launches[I].Problem = std::move(Result.Problem);
                 Launches[I].Json = std::move(Result.Answer);
                 keep(Launches[I]);
                 Shown.done("replaying " + NameOf(I));
                 if (Options.Level == Detail::Verbose)
                   llvm::errs() << "bankstripe: replayed " << NameOf(I) << ", "
                                << Launches[I].Versions.size() << " versions\n";
               });
  for (size_t I = 0; I < Launches.size(); ++I)
    if (const std::string Candidates = prepare(Launches[I]);
        !Candidates.empty())
      Pool.start(I, [&]() -> std::string {
        auto Json = P.replay(Launches[I].Capture->File, Candidates,
                             "replay" + std::to_string(I));
        return Json ? *Json : toString(Json.takeError());
      });
  Pool.finish();
  std::map<TuneGroup *, double> Original;
  for (Launched &L : Launches) {
    Original[L.Group] += L.Capture->Nanoseconds;
    if (!L.Group->WhyWhole.empty() || L.Versions.empty())
      continue;
    if (llvm::Error E = take(L))
      giveUp(*L.Group,
             Versions.front().Run.Decisions.Kernels[L.Kernel].Facts.Name +
                 ": " + toString(std::move(E)));
  }
  for (auto &[G, Measured] : All)
    if (G->WhyWhole.empty())
      record(*G, Measured, Original[G]);
}
