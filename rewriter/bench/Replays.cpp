//===-- Replays.cpp - measures kernels alone ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/Replays.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// How far the original, compiled alone, may be from what it was in its program;
// what is farther was built in another way.
static constexpr double MostNoise = 0.1;

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

// How bankstripe-replay launches \p K.
static json::Object launchOf(const KernelPlan &K, const std::string &Cubin) {
  json::Object Result{{"module", Cubin}, {"warpBytes", K.WarpBytes}};
  if (K.HasVersion)
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
                           json::Object How) const {
  if (L.Digest.empty() || !Known || !Code.Key)
    return "";
  How.erase("module");
  return KeyBuilder()
      .add("what", "replay")
      .add("program", ownIdentity() + identityOfFile(P.replayer()))
      .add("gpu",
           Seen.Device + Seen.Architecture + identityOfLibrary("libcuda.so.1"))
      .add("capture", L.Digest)
      .add("module", *Code.Key)
      .add("how", llvm::formatv("{0}", json::Value(std::move(How))).str())
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

// Why no launch of a kernel of \p G can be replayed; empty when it can.
std::string Replays::whyNot(const TuneGroup &G) const {
  for (unsigned Row : G.Kernels) {
    const KernelPlan &K = Movable->Kernels[Row];
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

// Several launches at a time: it takes longer to prepare one than to time it.
static unsigned replaysAtATime(const ProgramRun &Seen) {
  constexpr uint64_t LargeBytes = uint64_t(1) << 30;
  constexpr unsigned OfSmallOnes = 4;
  for (const auto &[Name, K] : Seen.Kernels)
    for (const CapturedLaunch &L : K.Captures)
      if (L.Bytes > LargeBytes)
        return 1;
  return OfSmallOnes;
}

Replays::Replays(const std::vector<UnitRecord> &Units, const Program &P,
                 Answers *Known, const ProgramRun &Seen, CarryOut Make,
                 Accepted Accepts)
    : Units(Units), P(P), Known(Known), Seen(Seen), Make(std::move(Make)),
      Accepts(Accepts), Codes(Units, P, Known, Seen.Architecture),
      AtATime(std::min(replaysAtATime(Seen), P.work().Limits.Processes)) {}

// Each round begins one thing: what the GPU can replay comes before what is
// compiled, and that before a further variant.
llvm::Expected<int> Replays::search(std::vector<TuneGroup> &Groups,
                                    const Plan &All, Search &By) {
  Movable = &All;
  Order = &By;
  for (TuneGroup &G : Groups) {
    G.WhyWhole = whyNot(G);
    double &Whole = Original[&G];
    for (unsigned Row : G.Kernels)
      for (const CapturedLaunch &C :
           findKernel(Movable->Kernels[Row], Seen)->Captures)
        Whole += C.File.empty() ? 0 : C.Nanoseconds;
  }
  const unsigned Compilers = P.work().Limits.Processes;
  Shown.emplace(/*Total=*/2, !P.work().isQuiet());
  Workers Pool({Compilers + AtATime, /*Seconds=*/0},
               [this](size_t I, const WorkResult &W) { receive(I, W); });
  int Signal = 0;
  while (!Signal) {
    if (llvm::Error E = sortCompiled())
      return std::move(E);
    bool Began =
        beginReplay(Pool) || (Steps.size() < Compilers && beginStep(Pool));
    if (!Began)
      if (llvm::Error E = beginVariant().moveInto(Began))
        return std::move(E);
    if (!Began && Steps.empty() && Running.empty())
      break;
    Signal = Pool.receive(/*Wait=*/!Began);
    showProgress();
  }
  // What was not answered differs for reasons that nobody knows.
  for (Variant &V : Variants)
    if (V.About && std::exchange(V.About->Open, 0)) {
      V.About->IsAnswered = false;
      answer(*V.Group, *V.About);
    }
  Shown.reset();
  return Signal;
}

bool Replays::isSearched(const TuneGroup &G) const {
  return G.WhyWhole.empty() && G.WhyLeft.empty();
}

// ptxas makes nothing of the file's other kernels, unless code is linked. It
// copies functions into each kernel that calls them, and keeps all variables,
// so the machine code of these is the same (seen with CUDA 13.0); if ever it is
// not, the original, compiled in the same way, tells.
std::vector<std::string> Replays::flagsFor(const TuneGroup &G,
                                           const Plan &Tried) const {
  std::vector<std::string> Symbols;
  for (unsigned Row : G.Kernels) {
    const KernelPlan &K = Tried.Kernels[Row];
    const StringRef Id = K.Facts.Id;
    if (K.HasVersion || !Id.starts_with("_Z") || Id.starts_with("_ZL") ||
        Id.contains("_GLOBAL__N_") || Codes.isLinked(*unitOf(K)))
      return {};
    Symbols.push_back(Id.str());
  }
  return flagsForOnly(Symbols);
}

llvm::Error Replays::addVariant(TuneGroup &G, Attempt A,
                                llvm::ArrayRef<std::string> Flags,
                                std::shared_ptr<Question> About,
                                unsigned Part) {
  Trial T;
  T.add(G, A);
  auto Made = Make(T);
  if (!Made)
    return Made.takeError();
  Variant &V = Variants.emplace_back();
  V.Group = &G;
  V.What = std::move(A);
  V.Sources = std::move(*Made);
  V.About = std::move(About);
  V.Part = Part;
  std::vector<std::string> All = flagsFor(G, V.Sources.Decisions);
  llvm::append_range(All, Flags);
  for (unsigned Row : G.Kernels)
    V.Codes[Row] =
        &Codes.codeOf(*unitOf(V.Sources.Decisions.Kernels[Row]),
                      {layoutsOf(V.Sources.Decisions), All}, V.Sources.Changes);
  return llvm::Error::success();
}

// Some more are made than the compilers need, since replays come in batches.
// What is better than those that wait comes before them.
llvm::Expected<bool> Replays::beginVariant() {
  constexpr unsigned Spare = 4;
  const size_t Most = P.work().Limits.Processes + Spare;
  std::vector<double> Waiting;
  for (const Variant &V : Variants)
    if (V.Is == Stage::Compiling || V.Is == Stage::Ready)
      Waiting.push_back(Order->worthOf(*V.Group, V.What));
  llvm::sort(Waiting, std::greater<>());
  auto Next = Order->next([&](const TuneGroup &G) { return isSearched(G); },
                          Waiting.size() < Most ? 0 : Waiting[Most - 1]);
  if (!Next)
    return false;
  if (P.work().isVerbose())
    llvm::errs() << "bankstripe: trying "
                 << Movable->Kernels[Next->Group->Kernels.front()].Facts.Name
                 << ", " << Next->What.Name << '\n';
  if (llvm::Error E = addVariant(*Next->Group, std::move(Next->What)))
    return std::move(E);
  return true;
}

bool Replays::beginStep(Workers &Pool) {
  auto Step = Codes.nextStep();
  if (!Step)
    return false;
  const size_t Piece = Pieces++;
  const DeviceCodes::Step &Kept =
      Steps.emplace(Piece, std::move(*Step)).first->second;
  Pool.start(Piece, [&] { return Codes.make(Kept); });
  return true;
}

bool Replays::Variant::isCompiled() const {
  return llvm::all_of(Codes, [](const auto &C) { return C.second->IsDone; });
}

std::string Replays::Variant::problem() const {
  for (const auto &[Row, Code] : Codes)
    if (Code->Cubin.empty())
      return Code->Problem;
  return "";
}

// Takes what was compiled since the last time, and what was replayed.
llvm::Error Replays::sortCompiled() {
  for (auto At = Variants.begin(); At != Variants.end();) {
    Variant &V = *At;
    if (V.Is == Stage::Compiling && V.isCompiled()) {
      V.Is = Stage::Ready;
      for (const auto &[Row, Code] : V.Codes)
        V.Seconds += Code->Seconds / P.work().Limits.Processes;
      V.What.Problem = V.problem();
      if (!V.What.Problem.empty())
        V.Is = Stage::Done;
    }
    const bool IsDropped = V.Is != Stage::Replaying && !isSearched(*V.Group);
    // Others wait for the original, which is the first one of its group.
    if (V.Is == Stage::Done && !IsDropped)
      if (llvm::Error E = finish(V))
        return E;
    const bool IsOver = V.Is == Stage::Done || V.Is == Stage::RuledOut;
    At = IsOver || IsDropped ? Variants.erase(At) : std::next(At);
  }
  return llvm::Error::success();
}

// Questions are few. Of a group the original comes first, and others with it
// or after it. \returns 0 for what has to wait, or can no longer gain.
double Replays::urgencyOf(const Variant &V) {
  if (!V.Group->Attempts.empty())
    return V.About ? HUGE_VAL : Order->worthOf(*V.Group, V.What);
  const Variant &First = *llvm::find_if(
      Variants, [&](const Variant &W) { return W.Group == V.Group; });
  return First.Is != Stage::Ready ? 0 : &V == &First ? HUGE_VAL : 1e-9;
}

// The best of what is compiled, of the group of the best one: as many as there
// are for each replay that can begin, since a process for each one alone would
// take longer to begin than to replay.
std::vector<Replays::Variant *> Replays::gatherBatch() {
  std::vector<std::pair<double, Variant *>> Ready;
  for (Variant &V : Variants)
    if (V.Is == Stage::Ready)
      Ready.emplace_back(-urgencyOf(V), &V);
  llvm::stable_sort(Ready, llvm::less_first());
  std::vector<Variant *> Batch;
  for (const auto &[Urgency, V] : Ready) {
    if (Urgency == 0 && !V->Group->Attempts.empty())
      V->Is = Stage::RuledOut;
    else if (Urgency < 0 && V->Group == Ready.front().second->Group)
      Batch.push_back(V);
  }
  constexpr size_t Fewest = 4, Most = 8;
  const size_t Count = std::clamp(
      llvm::divideCeil(Batch.size(), AtATime - Running.size()), Fewest, Most);
  Batch.resize(std::min(Batch.size(), Count));
  return Batch;
}

// Every captured launch of the kernels of their group.
void Replays::addLaunches(llvm::ArrayRef<Variant *> Batch) {
  for (unsigned Row : Batch.front()->Group->Kernels)
    for (const CapturedLaunch &C :
         findKernel(Movable->Kernels[Row], Seen)->Captures) {
      if (C.File.empty())
        continue;
      Launched &L = Pending.emplace_back();
      L.Group = Batch.front()->Group;
      L.Kernel = Row;
      L.Capture = &C;
      L.Variants = Batch;
      for (Variant *V : Batch) {
        V->Is = Stage::Replaying;
        ++V->Captures;
      }
    }
}

bool Replays::beginReplay(Workers &Pool) {
  if (Running.size() >= AtATime)
    return false;
  if (Pending.empty()) {
    const std::vector<Variant *> Batch = gatherBatch();
    if (Batch.empty())
      return false;
    addLaunches(Batch);
  }
  Launched L = std::move(Pending.front());
  Pending.pop_front();
  if (!isSearched(*L.Group) || !prepare(L)) {
    for (Variant *V : L.Variants)
      V->finishCapture();
    return true;
  }
  const size_t Piece = Pieces++;
  L.Begin = std::chrono::steady_clock::now();
  const Launched &Kept = Running.emplace(Piece, std::move(L)).first->second;
  Pool.start(Piece, [&] {
    return replyWith(P.replay(Kept.Capture->File, Kept.Json,
                              "replay" + std::to_string(Piece)));
  });
  return true;
}

void Replays::receive(size_t Piece, const WorkResult &Work) {
  if (auto Step = Steps.extract(Piece))
    Codes.receive(Step.mapped(), Work);
  else if (auto Replay = Running.extract(Piece))
    receiveReplay(std::move(Replay.mapped()), Work);
}

// What was not timed may have failed by chance, as for lack of memory.
void Replays::receiveReplay(Launched L, const WorkResult &Work) {
  auto Results = readReply<std::vector<Replayed>>(Work);
  const std::string &Name = Movable->Kernels[L.Kernel].Facts.Name;
  if (!Results)
    giveUp(*L.Group, Name + ": " + toString(Results.takeError()));
  else
    Results->resize(L.Variants.size(), {std::nullopt, "was not replayed"});
  const double Took = secondsSince(L.Begin);
  if (P.work().isVerbose())
    llvm::errs() << "bankstripe: replayed " << Name << ", " << L.Variants.size()
                 << " versions\n";
  for (auto [I, V] : llvm::enumerate(L.Variants)) {
    V->Seconds += Took / L.Variants.size() / AtATime;
    if (isSearched(*L.Group)) {
      const Replayed &R = (*Results)[I];
      if (R.Speedup && !L.Keys[I].empty())
        Known->store().put(L.Keys[I], toBytes(R));
      ++Count;
      V->add(*L.Capture, R);
    }
    V->finishCapture();
  }
}

void Replays::Variant::add(const CapturedLaunch &L, const Replayed &R) {
  if (What.Problem.empty())
    What.Problem = R.Problem;
  IsSure &= R.Sure.has_value();
  Varies |= R.Varies;
  Differs |= R.Differs;
  What.IsStopped |= R.IsStopped;
  Left += R.Digest + " ";
  Nanoseconds += L.Nanoseconds / R.Speedup.value_or(1);
  if (R.Sure) {
    Most += L.Nanoseconds / R.Sure->first;
    Least += L.Nanoseconds / R.Sure->second;
  }
}

// Whether anything is left to be replayed: what is known is not.
bool Replays::prepare(Launched &L) {
  json::Array Listed;
  L.Keys.clear();
  llvm::erase_if(L.Variants, [&](Variant *V) {
    const DeviceCode &Code = *V->Codes.at(L.Kernel);
    json::Object How =
        launchOf(V->Sources.Decisions.Kernels[L.Kernel], Code.Cubin);
    std::string Key = keyOf(*L.Capture, Code, How);
    if (const auto Before = recall(Key)) {
      ++KnownCount;
      V->add(*L.Capture, *Before);
      V->finishCapture();
      return true;
    }
    Listed.push_back(std::move(How));
    L.Keys.push_back(std::move(Key));
    return false;
  });
  L.Json = llvm::formatv("{0}", json::Value(std::move(Listed))).str();
  return !L.Variants.empty();
}

// Empty where ptxas has said nothing of a kernel.
std::vector<KernelUse> Replays::usesOf(const Variant &V) const {
  std::vector<KernelUse> Uses;
  for (const auto &[Row, Code] : V.Codes) {
    const KernelPlan &K = V.Sources.Decisions.Kernels[Row];
    const ResourceTable Own = forKernels(
        Code->Used, {K.Facts}, V.Sources.Decisions.kernelsWithVersion(), {});
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

void Replays::giveUp(TuneGroup &G, const std::string &Why) {
  G.WhyWhole = Why;
  Order->restart(G);
}

llvm::Error Replays::finish(Variant &V) {
  TuneGroup &G = *V.Group;
  if (V.About) {
    Question &Q = *V.About;
    Q.Left[V.Part] = V.Left;
    Q.IsAnswered &= V.What.Problem.empty() || V.Differs;
    if (--Q.Open == 0)
      answer(G, Q);
    return llvm::Error::success();
  }
  Attempt &A = V.What;
  const double Whole = Original.at(&G);
  if (A.Problem.empty())
    A.Speedup = Whole / V.Nanoseconds;
  else if (V.Differs)
    A.WrongSpeedup = Whole / V.Nanoseconds;
  if (A.Speedup && V.IsSure)
    A.Sure = {Whole / V.Most, Whole / V.Least};
  A.Uses = usesOf(V);
  G.Varies |= V.Varies;
  if (isWorthAsking(G, A))
    return ask(V);
  const bool IsOriginal = G.Attempts.empty();
  Order->finish(G, std::move(A), V.Sources.Decisions, V.Seconds);
  if (IsOriginal)
    checkOriginal(G);
  return llvm::Error::success();
}

void Replays::checkOriginal(TuneGroup &G) {
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

// Only of what would be taken it matters why it differs.
bool Replays::isWorthAsking(const TuneGroup &G, const Attempt &A) {
  constexpr unsigned MostQuestions = 3;
  if (!A.WrongSpeedup || G.Attempts.empty() || G.Varies)
    return false;
  const Attempt *Fastest = G.fastest();
  const double Best = Fastest ? std::max(*Fastest->Speedup, 1.0) : 1;
  return *A.WrongSpeedup > Best * WorthHaving &&
         (Accepts == Accepted::Fusing || Asked[&G]++ < MostQuestions);
}

llvm::Error Replays::ask(const Variant &V) {
  auto Q = std::make_shared<Question>();
  Q->Wrong = V.What;
  Q->Decisions = V.Sources.Decisions;
  const std::vector<std::string> Unfused{"-fmad=false"},
      Slow{"-fmad=false", "-Xcicc", "-O1", "-Xptxas", "-O1"};
  TuneGroup &G = *V.Group;
  const Attempt Original = originalOf(G, *Movable);
  if (llvm::Error E = addVariant(G, V.What, Unfused, Q, 0))
    return E;
  if (llvm::Error E = addVariant(G, Original, Unfused, Q, 1))
    return E;
  return addVariant(G, Original, Slow, Q, 2);
}

void Replays::answer(TuneGroup &G, Question &Q) {
  Attempt &A = Q.Wrong;
  if (Q.IsAnswered)
    A.Differs = Q.Left[0] == Q.Left[1]   ? Difference::Fusing
                : Q.Left[1] != Q.Left[2] ? Difference::Unstable
                                         : Difference::Real;
  if (Accepts == Accepted::Fusing && A.Differs == Difference::Fusing) {
    A.Problem.clear();
    A.Speedup = A.WrongSpeedup;
  }
  Order->finish(G, std::move(A), Q.Decisions, 0);
}

void Replays::showProgress() {
  const TuneGroup *Main = nullptr;
  size_t Tried = 0;
  for (const Variant &V : Variants)
    if (!Main || V.Group->Share > Main->Share)
      Main = V.Group;
  if (!Main)
    return;
  for (const auto &[G, Nanoseconds] : Original)
    Tried += G->Attempts.size();
  const Attempt *Best = Main->best();
  const auto Left = secondsToDeadline();
  Shown->show(
      llvm::formatv("{0}: {1} versions tried{2}, best {3:F2}x{4}",
                    Movable->Kernels[Main->Kernels.front()].Facts.Name,
                    Main->Attempts.size(),
                    Tried > Main->Attempts.size()
                        ? llvm::formatv(" of {0}", Tried).str()
                        : "",
                    Best ? *Best->Speedup : 1.0,
                    Left ? llvm::formatv(", {0:F0} s left", *Left).str() : "")
          .str());
}
