//===-- Stats.cpp - what became of the files of a build -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Stats.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;
namespace path = llvm::sys::path;

/// Of many reasons the commonest are shown.
static constexpr size_t MostReasons = 5;

std::string CompileStats::text() const {
  auto Number = [&](const char *What) {
    const auto Found = Counts.find(What);
    return Found == Counts.end() ? 0 : Found->second;
  };
  std::string Text = countOf(Number("moved"), "array");
  // Of functions that others call, nobody knows the kernels.
  if (Number("kernels"))
    Text += " of " + countOf(Number("kernels"), "kernel");
  Text += " moved";
  if (Number("unfulfilled"))
    Text += ", " + countOf(Number("unfulfilled"), "decision") + " not followed";
  if (const int64_t Choosing = Number("choosing"))
    Text += ", " + countOf(Choosing, "kernel") +
            (Choosing == 1 ? " chooses" : " choose") + " at run time";
  return Text;
}

static json::Value toJson(const CompileStats &S) {
  json::Object Counts;
  for (const auto &[What, Number] : S.Counts)
    Counts[What] = Number;
  return json::Object{{"source", S.Source},
                      {"object", S.Object},
                      {"counts", std::move(Counts)},
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
      !Map.map("counts", S.Counts) || !Map.map("seconds", S.Seconds))
    return std::nullopt;
  return S;
}

// Of the lines that hold Word, the last one of each object.
static void readStats(StringRef Path, StringRef Word,
                      std::map<std::string, CompileStats> &Into) {
  const std::string Text = readText(Path).value_or("");
  for (StringRef Line : llvm::split(Text, '\n'))
    if (Line.contains(Word))
      if (auto Stats = parse(Line))
        Into[Stats->Object] = std::move(*Stats);
}

static std::string statsFileFor(StringRef Object) {
  return (path::parent_path(Object) + "/" + StatsFileName).str();
}

// A build compiles thousands of files into one folder; only the lines about
// this source are parsed.
bool bankstripe::areNews(const CompileStats &Stats) {
  std::map<std::string, CompileStats> Before;
  readStats(statsFileFor(Stats.Object),
            llvm::formatv("{0}", json::Value(Stats.Source)).str(), Before);
  return llvm::none_of(Before, [&](const auto &Entry) {
    const CompileStats &S = Entry.second;
    return S.Source == Stats.Source && S.text() == Stats.text();
  });
}

void bankstripe::addStats(const CompileStats &Stats) {
  const std::string Path = statsFileFor(Stats.Object);
  const std::string Line = llvm::formatv("{0}\n", ::toJson(Stats));
  // Neither through a link, nor to somebody who waits for it. A full disk is
  // none of the build's concerns yet.
  const int File =
      open(Path.c_str(),
           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           0666);
  struct stat Status = {};
  if (File >= 0 && fstat(File, &Status) == 0 && S_ISREG(Status.st_mode))
    (void)!write(File, Line.data(), Line.size());
  if (File >= 0)
    close(File);
}

// The commonest of what is counted under names that begin with Kind.
static std::string list(const std::map<std::string, int64_t> &Counts,
                        StringRef Kind, size_t Most) {
  std::vector<std::pair<StringRef, int64_t>> Found;
  for (const auto &[What, Number] : Counts)
    if (StringRef Name = What; Name.consume_front(Kind))
      Found.emplace_back(Name, Number);
  llvm::stable_sort(
      Found, [](const auto &A, const auto &B) { return A.second > B.second; });
  std::string Text;
  for (const auto &[Name, Number] : llvm::ArrayRef(Found).take_front(Most))
    Text +=
        (Text.empty() ? "" : ", ") + Name.str() + " " + std::to_string(Number);
  return Text;
}

void bankstripe::printStats(llvm::raw_ostream &OS, StringRef Folder) {
  std::map<std::string, CompileStats> All;
  std::error_code EC;
  for (fs::recursive_directory_iterator It(Folder, EC, /*follow=*/false), End;
       It != End && !EC; It.increment(EC))
    if (path::filename(It->path()) == StatsFileName)
      readStats(It->path(), "", All);
  int64_t Files = 0;
  double Seconds = 0;
  std::map<std::string, int64_t> Counts;
  for (const auto &[Object, S] : All) {
    if (!fs::exists(Object))
      continue;
    ++Files;
    Seconds += S.Seconds;
    for (const auto &[What, Number] : S.Counts)
      Counts[What] += Number;
  }
  if (All.empty()) {
    OS << "nothing was compiled by 'bankstripe wrap' below '" << Folder
       << "'; a project that sets CMAKE_CUDA_COMPILER_LAUNCHER itself drops "
          "that of the command line\n";
    return;
  }
  OS << countOf(Files, "CUDA file") << ": " << Counts["parsed"] << " parsed, "
     << Counts["rewritten"] << " rewritten\n";
  if (auto Verdicts = list(Counts, "verdict ", SIZE_MAX); !Verdicts.empty())
    OS << "arrays: " << Verdicts << '\n';
  if (auto Reasons = list(Counts, "reason ", MostReasons); !Reasons.empty())
    OS << "why arrays stay: " << Reasons << '\n';
  OS << llvm::formatv("time added: {0:f1} s\n", Seconds);
}
