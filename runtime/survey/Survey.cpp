//===-- Survey.cpp - which launches represent a program -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "survey/Survey.h"
#include "recording/Capture.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;
namespace fs = std::filesystem;

// A capture that represents less of its kernel's time is not worth replaying;
// so many of one kernel are enough.
constexpr double PartThatCounts = 0.05;
constexpr size_t MostCaptures = 4;

// Launches so long hardly vary by chance: of those that take the same, within
// 5 %, one tells enough.
constexpr double LongNanoseconds = 1e6;
constexpr double AsLong = 1.05;

static LaunchSize sizeOf(const Launch &L) { return {L.Grid, L.Block}; }

// Gives the time of each launch to the nearest of those that are captured.
static std::vector<ChosenLaunch>
represent(const std::vector<const Launch *> &All,
          const std::vector<unsigned> &Captured) {
  std::vector<ChosenLaunch> Chosen;
  Chosen.reserve(Captured.size());
  for (const unsigned Number : Captured)
    Chosen.push_back({Number, 0});
  for (const Launch *L : All)
    std::ranges::min_element(Chosen, {}, [&](const ChosenLaunch &C) {
      const Launch &Other = *All[C.Number];
      return std::pair(
          sizeOf(Other) != sizeOf(*L),
          std::abs(std::log((Other.Nanoseconds + 1) / (L->Nanoseconds + 1))));
    })->Nanoseconds += L->Nanoseconds;
  return Chosen;
}

static bool areAlike(const Launch &A, const Launch &B) {
  const auto [Least, Most] = std::minmax(A.Nanoseconds, B.Nanoseconds);
  return sizeOf(A) == sizeOf(B) && Least > LongNanoseconds &&
         Most < AsLong * Least;
}

static std::vector<unsigned>
withoutAlike(const std::vector<const Launch *> &All,
             const std::vector<unsigned> &Captured) {
  std::vector<unsigned> Kept;
  for (const unsigned Number : Captured)
    if (std::ranges::none_of(Kept, [&](unsigned Other) {
          return areAlike(*All[Number], *All[Other]);
        }))
      Kept.push_back(Number);
  return Kept;
}

std::vector<ChosenLaunch>
bankstripe::runtime::chooseLaunches(const std::vector<const Launch *> &Launches,
                                    std::vector<unsigned> Captured) {
  Captured = withoutAlike(Launches, Captured);
  double Total = 0;
  for (const Launch *L : Launches)
    Total += L->Nanoseconds;
  while (!Captured.empty()) {
    std::vector<ChosenLaunch> Chosen = represent(Launches, Captured);
    const auto Least =
        std::ranges::min_element(Chosen, {}, &ChosenLaunch::Nanoseconds);
    if (Chosen.size() == 1 || (Chosen.size() <= MostCaptures &&
                               Least->Nanoseconds >= PartThatCounts * Total))
      return Chosen;
    std::erase(Captured, Least->Number);
  }
  return {};
}

static std::string whyNone(const RecordedRun &Run, const std::string &Kernel) {
  const std::string Begin = NoCaptureNote + Kernel + ": ";
  for (const auto &[Note, Count] : Run.Record.Notes)
    if (Note.starts_with(Begin))
      return Note.substr(Begin.size());
  return "no launch of it was seen, as when graphs launch it";
}

// The captures of the kernel of this place in the list, by number. Each process
// has files of its own, named like its recording.
static std::map<unsigned, std::string>
capturesOf(size_t Place, const std::string &Folder, const RecordedRun &Run) {
  std::map<unsigned, std::string> Found;
  const std::string Begin = fmt::format("{}-", Place);
  const std::string Ending = fs::path(Run.Path).extension().string();
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    const std::string Name = Entry.path().filename().string();
    if (!Name.starts_with(Begin))
      continue;
    unsigned Number = 0;
    const auto [End, Problem] = std::from_chars(
        Name.data() + Begin.size(), Name.data() + Name.size(), Number);
    if (Problem == std::errc() && End == Ending)
      Found[Number] = Entry.path().string();
  }
  return Found;
}

// Launches in graphs have times and no numbers. Who was ended left half of one.
static bool isUsable(unsigned Number, const std::string &Path,
                     size_t Executions) {
  return Number < Executions &&
         std::holds_alternative<Capture>(readCapture(Path));
}

// Keeps the captures that matter.
static void choose(SurveyedKernel &K, const std::vector<const Launch *> &All,
                   std::map<unsigned, std::string> Captures) {
  std::vector<unsigned> Numbers;
  for (const auto &[Number, Path] : Captures)
    if (isUsable(Number, Path, All.size()))
      Numbers.push_back(Number);
  for (const ChosenLaunch &L : chooseLaunches(All, std::move(Numbers))) {
    CapturedLaunch &Kept = K.Captures.emplace_back();
    Kept.File = Captures.at(L.Number);
    Kept.Nanoseconds = L.Nanoseconds;
    Captures.erase(L.Number);
    if (const auto Read = readCapture(Kept.File);
        const auto *C = std::get_if<Capture>(&Read)) {
      for (const CapturedMemory &M : C->Memory)
        Kept.Bytes += M.Bytes;
      Kept.Digest = fmt::format("{:016x}", digestOf(*C));
    }
  }
  std::error_code Error;
  for (const auto &[Number, Path] : Captures)
    fs::remove(Path, Error);
}

static std::vector<SurveyedKernel> listKernels(const RecordedRun &Run,
                                               const WantedSurvey &Wanted) {
  std::vector<SurveyedKernel> Kernels;
  std::map<std::string, std::vector<const Launch *>> ByKernel;
  for (const Launch &L : Run.Record.Executions) {
    auto &All = ByKernel[L.Kernel];
    if (All.empty())
      Kernels.push_back({L.Kernel, 0, 0, 0, {}, ""});
    All.push_back(&L);
  }
  for (SurveyedKernel &K : Kernels) {
    const auto &All = ByKernel[K.Name];
    K.Launches = static_cast<unsigned>(All.size());
    for (const Launch *L : All) {
      K.Nanoseconds += L->Nanoseconds;
      K.MostThreads =
          std::max(K.MostThreads, L->Block.X * L->Block.Y * L->Block.Z);
    }
    const auto At = std::ranges::find(Wanted.Kernels, K.Name);
    if (At == Wanted.Kernels.end())
      continue;
    choose(K, All, capturesOf(At - Wanted.Kernels.begin(), Wanted.Folder, Run));
    if (K.Captures.empty())
      K.Problem = whyNone(Run, K.Name);
  }
  return Kernels;
}

// What a kernel that will change does wrong is wrong early as a rule, or in
// what is freed or left at the end; so a program with many launches takes
// little longer.
static DigestRule digestsOfSurvey(std::vector<std::string> Kernels) {
  constexpr uint64_t Few = 16;
  DigestRule Rule = DigestRule::none();
  Rule.First = Kernels.empty() ? 0 : Few;
  Rule.FirstFrees = Few;
  Rule.Kernels = std::move(Kernels);
  return Rule;
}

// Why captures cannot go into this folder; empty when they can. What is there
// would be taken for captures of this program, and cannot be overwritten.
static std::string whyUnusable(const std::string &Folder) {
  std::error_code Error;
  if (!fs::is_directory(Folder, Error) ||
      ::access(Folder.c_str(), R_OK | W_OK | X_OK) != 0)
    return "'" + Folder + "' is no folder that can be written to";
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    const std::string Name = Entry.path().filename().string();
    const size_t Dash = Name.find_first_not_of("0123456789");
    const bool IsCapture = Dash != 0 && Dash + 1 < Name.size() &&
                           Name[Dash] == '-' && std::isdigit(Name[Dash + 1]);
    if (IsCapture || Name == "pages" || Name.starts_with("pages."))
      return "'" + Folder + "' holds captures already: " + Name;
  }
  return "";
}

// Whether a launch is captured and timed. Recordings may be long, so the folder
// is asked first.
static bool isAnyCaptured(const WantedSurvey &Wanted,
                          const std::function<RecordedRun()> &Read) {
  if (whyUnusable(Wanted.Folder).empty())
    return false;
  const RecordedRun Run = Read();
  std::map<std::string, size_t> Executions;
  for (const Launch &L : Run.Record.Executions)
    ++Executions[L.Kernel];
  for (size_t Place = 0; Place < Wanted.Kernels.size(); ++Place)
    for (const auto &[Number, Path] : capturesOf(Place, Wanted.Folder, Run))
      if (isUsable(Number, Path, Executions[Wanted.Kernels[Place]]))
        return true;
  return false;
}

Survey bankstripe::runtime::survey(const SurveyOptions &O,
                                   const std::string &Recorder,
                                   const Progress &Show) {
  Survey Result;
  Runner Programs(O.TimeoutSeconds, Recorder, Show);
  RecordRequest Request;
  Request.Mode = RecordingMode::Survey;
  Request.Survey = {O.Folder, {}, static_cast<uint64_t>(1e9 * O.MostCaptured)};
  for (const std::string &Symbol : O.Kernels)
    Request.Survey.Kernels.push_back(kernelName(Symbol));
  const WantedSurvey Wanted = Request.Survey;
  Request.Digests = digestsOfSurvey(Wanted.Kernels);
  Result.Problem = Programs.folder().empty() ? "no temporary folder can be made"
                                             : whyUnusable(O.Folder);
  if (!Result.Problem.empty())
    return Result;
  // Runs of the original that were kept beside an earlier survey.
  std::error_code Error;
  for (unsigned I = 1;
       fs::remove(Runner::placeOf(O.Folder, I) + "/ending", Error); ++I)
    ;
  Programs.show("running the program");
  const RecordedRun Run =
      Programs.run(O.Program, std::move(Request), /*RandomAddresses=*/false,
                   [&](double Seconds, const auto &Read) {
                     return O.EndAfter && Seconds >= *O.EndAfter &&
                            isAnyCaptured(Wanted, Read);
                   });
  Result.EndedAfter = Run.Child.EndedAfter;
  if (!Run.Child.exited() && Result.EndedAfter == 0)
    Result.Problem = "the program: " + Run.Child.describe();
  else if (!Run.Problem.empty())
    Result.Problem = "the program could not be recorded: " + Run.Problem;
  else if (Run.Record.Executions.empty())
    Result.Problem = "the program launches no kernel";
  else if (Result.EndedAfter == 0 &&
           !Runner::keep(Run, Runner::placeOf(O.Folder, 0)))
    Result.Problem = "'" + O.Folder + "' cannot be written to";
  Programs.forget(Run);
  if (!Result.Problem.empty()) {
    Result.Problem += lastWords(Run.Child);
    return Result;
  }
  Result.Device = Run.Record.Device;
  Result.Capability = Run.Record.Capability;
  Result.Kernels = listKernels(Run, Wanted);
  return Result;
}
