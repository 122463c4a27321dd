//===-- Stats.cpp - what became of the files of a build -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Stats.h"
#include "wrap/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;
namespace path = llvm::sys::path;

/// Of many reasons the commonest are shown.
static constexpr size_t MostReasons = 5;

static std::string count(int64_t Number, StringRef What) {
  return llvm::formatv("{0} {1}{2}", Number, What, Number == 1 ? "" : "s");
}

std::string ArrayCounts::text() const {
  return count(Promoted, "array") + " of " + count(Kernels, "kernel") +
         " promoted";
}

static json::Value toJson(const std::map<std::string, int64_t> &Counts) {
  json::Object Result;
  for (const auto &[Name, Number] : Counts)
    Result[Name] = Number;
  return Result;
}

static json::Value toJson(const CompileStats &S) {
  return json::Object{{"source", S.Source},
                      {"object", S.Object},
                      {"parsed", S.Parsed},
                      {"rewritten", S.Rewritten},
                      {"verdicts", toJson(S.Arrays.Verdicts)},
                      {"reasons", toJson(S.Arrays.Reasons)},
                      {"promoted", S.Arrays.Promoted},
                      {"kernels", S.Arrays.Kernels},
                      {"seconds", S.Seconds}};
}

// Nothing for a line that another version wrote.
static std::optional<CompileStats> parse(StringRef Line) {
  CompileStats S;
  auto Value = llvm::expectedToOptional(json::parse(Line));
  if (!Value)
    return std::nullopt;
  json::Path::Root Root;
  json::ObjectMapper Map(*Value, Root);
  if (!Map || !Map.map("source", S.Source) || !Map.map("object", S.Object) ||
      !Map.map("parsed", S.Parsed) || !Map.map("rewritten", S.Rewritten) ||
      !Map.map("verdicts", S.Arrays.Verdicts) ||
      !Map.map("reasons", S.Arrays.Reasons) ||
      !Map.map("promoted", S.Arrays.Promoted) ||
      !Map.map("kernels", S.Arrays.Kernels) || !Map.map("seconds", S.Seconds))
    return std::nullopt;
  return S;
}

// The last line of each object.
static void readStats(StringRef Path,
                      std::map<std::string, CompileStats> &Into) {
  const std::string Text = readText(Path).value_or("");
  for (StringRef Line : llvm::split(Text, '\n'))
    if (auto Stats = parse(Line))
      Into[Stats->Object] = std::move(*Stats);
}

bool bankstripe::addStats(const CompileStats &Stats) {
  llvm::SmallString<256> Path(path::parent_path(Stats.Object));
  path::append(Path, StatsFileName);
  std::map<std::string, CompileStats> Before;
  readStats(Path, Before);
  const std::string Line = llvm::formatv("{0}\n", toJson(Stats));
  std::error_code EC;
  llvm::raw_fd_ostream OS(Path, EC, fs::OF_Append);
  if (!EC) {
    OS.SetBufferSize(Line.size() + 1);
    OS << Line;
    OS.close();
  }
  OS.clear_error(); // A full disk is none of the build's concerns yet.
  return llvm::none_of(Before, [&](const auto &Entry) {
    const CompileStats &S = Entry.second;
    return S.Source == Stats.Source && S.Rewritten == Stats.Rewritten &&
           S.Arrays.text() == Stats.Arrays.text();
  });
}

static std::string list(std::vector<std::pair<std::string, int64_t>> Counts,
                        size_t Most) {
  llvm::stable_sort(
      Counts, [](const auto &A, const auto &B) { return A.second > B.second; });
  std::string Text;
  for (const auto &[Name, Number] : llvm::ArrayRef(Counts).take_front(Most))
    Text += (Text.empty() ? "" : ", ") + Name + " " + std::to_string(Number);
  return Text;
}

void bankstripe::printStats(llvm::raw_ostream &OS, StringRef Folder) {
  std::map<std::string, CompileStats> All;
  std::error_code EC;
  for (fs::recursive_directory_iterator It(Folder, EC, /*follow=*/false), End;
       It != End && !EC; It.increment(EC))
    if (path::filename(It->path()) == StatsFileName)
      readStats(It->path(), All);
  int64_t Files = 0, Parsed = 0, Rewritten = 0;
  double Seconds = 0;
  std::map<std::string, int64_t> Verdicts, Reasons;
  for (const auto &[Object, S] : All) {
    if (!fs::exists(Object))
      continue;
    ++Files;
    Parsed += S.Parsed;
    Rewritten += S.Rewritten;
    Seconds += S.Seconds;
    for (const auto &[Name, Number] : S.Arrays.Verdicts)
      Verdicts[Name] += Number;
    for (const auto &[Name, Number] : S.Arrays.Reasons)
      Reasons[Name] += Number;
  }
  OS << count(Files, "CUDA file") << ": " << Parsed << " parsed, " << Rewritten
     << " rewritten\n";
  if (!Verdicts.empty())
    OS << "arrays: "
       << list({Verdicts.begin(), Verdicts.end()}, Verdicts.size()) << '\n';
  if (!Reasons.empty())
    OS << "why arrays stay: "
       << list({Reasons.begin(), Reasons.end()}, MostReasons) << '\n';
  OS << llvm::formatv("time added: {0:f1} s\n", Seconds);
}
