//===-- Survey.cpp - what a program launches, and captures of it ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Survey.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Another size of block or grid counts when its launches take this part of the
// kernel's time; so many captures of one kernel are enough.
constexpr double PartThatCounts = 0.1;
constexpr size_t MostCaptures = 4;

static auto sizeOf(const Launch &L) {
  return std::tuple(L.Block.X, L.Block.Y, L.Block.Z, L.Grid.X, L.Grid.Y,
                    L.Grid.Z);
}

std::vector<ChosenLaunch> bankstripe::runtime::chooseLaunches(
    const std::vector<const Launch *> &Launches) {
  std::vector<unsigned> ByTime(Launches.size());
  double Total = 0;
  std::map<decltype(sizeOf({})), double> OfSize; // That has no launch yet.
  for (unsigned I = 0; I < Launches.size(); ++I) {
    ByTime[I] = I;
    Total += Launches[I]->Nanoseconds;
    OfSize[sizeOf(*Launches[I])] += Launches[I]->Nanoseconds;
  }
  std::ranges::stable_sort(ByTime, std::greater<>(), [&](unsigned I) {
    return Launches[I]->Nanoseconds;
  });
  std::vector<unsigned> Numbers;
  const auto Choose = [&](unsigned Number) {
    OfSize.erase(sizeOf(*Launches[Number]));
    if (std::ranges::find(Numbers, Number) == Numbers.end())
      Numbers.push_back(Number);
  };
  if (!ByTime.empty()) {
    Choose(ByTime.front());
    Choose(ByTime[ByTime.size() / 2]);
  }
  for (const unsigned Longest : ByTime)
    if (const auto Size = OfSize.find(sizeOf(*Launches[Longest]));
        Numbers.size() < MostCaptures && Size != OfSize.end() &&
        Size->second >= PartThatCounts * Total)
      Choose(Longest);
  std::ranges::sort(Numbers);
  std::vector<ChosenLaunch> Chosen;
  for (const unsigned Number : Numbers)
    Chosen.push_back({Number, 0, ""});
  for (const Launch *L : Launches) {
    const auto Nearest =
        std::ranges::min_element(Chosen, {}, [&](const ChosenLaunch &C) {
          const Launch &Other = *Launches[C.Number];
          return std::pair(sizeOf(Other) != sizeOf(*L),
                           std::abs(std::log((Other.Nanoseconds + 1) /
                                             (L->Nanoseconds + 1))));
        });
    Nearest->Nanoseconds += L->Nanoseconds;
  }
  return Chosen;
}

// The kernels of a run with times, with the launches to capture of those that
// were asked for.
static std::vector<SurveyedKernel> listKernels(const Recording &Run,
                                               const Options &O) {
  std::vector<std::string> Wanted;
  for (const std::string &Symbol : O.SurveyedKernels)
    Wanted.push_back(kernelName(Symbol));
  std::vector<SurveyedKernel> Kernels;
  std::map<std::string, std::vector<const Launch *>> ByKernel;
  for (const Launch &L : Run.Launches) {
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
    if (std::ranges::find(Wanted, K.Name) != Wanted.end())
      K.Chosen = chooseLaunches(All);
  }
  return Kernels;
}

static std::string whyNone(const RecordedRun &Run, const std::string &Kernel) {
  const std::string Begin = NoCaptureNote + Kernel + ": ";
  for (const auto &[Note, Count] : Run.Record.Notes)
    if (Note.starts_with(Begin))
      return Note.substr(Begin.size());
  if (!Run.Child.succeeded())
    return Run.Child.describe() + lastWords(Run.Child);
  return Run.Problem.empty() ? "the program did not launch it again"
                             : Run.Problem;
}

// Runs the program once more, for all captures that are to be made.
static void capture(Runner &Runs, Survey &Into) {
  std::vector<SurveyedKernel> &Kernels = Into.Kernels;
  const Options &O = Runs.options();
  RecordRequest Request;
  Request.Digests = DigestRule::none();
  Request.MostCaptured = static_cast<uint64_t>(1e9 * O.MostCaptured);
  for (const SurveyedKernel &K : Kernels)
    for (const ChosenLaunch &L : K.Chosen)
      Request.Captures.push_back(
          {L.Number,
           fmt::format("{}/{}", O.SurveyFolder, Request.Captures.size()), false,
           K.Name});
  if (Request.Captures.empty())
    return;
  Runs.tell("capturing launches");
  const std::vector<WantedCapture> Asked = Request.Captures;
  const RecordedRun Run = Runs.run(O.Original, std::move(Request));
  Runs.forget(Run);
  Into.Device = Run.Record.Device;
  Into.Capability = Run.Record.Capability;
  auto At = Asked.begin();
  for (SurveyedKernel &K : Kernels)
    for (ChosenLaunch &L : K.Chosen) {
      // Each process has a file of its own, named like its recording.
      L.Path = (At++)->Path + fs::path(Run.Path).extension().string();
      std::error_code Error;
      if (fs::exists(L.Path, Error))
        continue;
      L.Path.clear();
      K.Problem = whyNone(Run, K.Name);
    }
}

Survey bankstripe::runtime::survey(const Options &O,
                                   const std::string &Recorder,
                                   const Progress &Tell) {
  Survey Result;
  Runner Runs(O, Recorder, Tell);
  RecordRequest Timed;
  Timed.Mode = RecordingMode::Time;
  Runs.tell("timing what the program launches");
  const RecordedRun Run = Runs.run(O.Original, std::move(Timed));
  Runs.forget(Run);
  if (!Run.Child.exited())
    Result.Problem = "the program: " + Run.Child.describe();
  else if (!Run.Problem.empty())
    Result.Problem = "the program could not be recorded: " + Run.Problem;
  else if (Run.Record.Launches.empty())
    Result.Problem = "the program launches no kernel";
  if (!Result.Problem.empty()) {
    Result.Problem += lastWords(Run.Child);
    return Result;
  }
  Result.Kernels = listKernels(Run.Record, O);
  capture(Runs, Result);
  return Result;
}

std::string bankstripe::runtime::jsonSurvey(const Survey &Of) {
  Json Kernels = Json::array();
  for (const SurveyedKernel &K : Of.Kernels) {
    Json Captures = Json::array();
    for (const ChosenLaunch &L : K.Chosen)
      Captures.push_back({{"file", L.Path}, {"ns", L.Nanoseconds}});
    Kernels.push_back({{"name", K.Name},
                       {"launches", K.Launches},
                       {"total-ns", K.Nanoseconds},
                       {"block-threads", K.MostThreads},
                       {"captures", std::move(Captures)},
                       {"problem", K.Problem}});
  }
  const Json Result = {{"version", 1},
                       {"device", Of.Device},
                       {"capability", Of.Capability},
                       {"kernels", std::move(Kernels)}};
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}
