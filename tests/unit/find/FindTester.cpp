//===-- FindTester.cpp - what find/ sees in an annotated snippet ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;

namespace bankstripe::testing {

namespace {

/// What stands at a place: `read`, or a reason's id with _ for -.
using Label = std::pair<unsigned, std::string>;

std::string nameOf(AccessKind Access) {
  switch (Access) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::ReadWrite:
    return "readwrite";
  case AccessKind::Address:
    return "address";
  }
  llvm_unreachable("all accesses are listed");
}

std::set<Label> labelsOf(const std::vector<Finding> &Findings,
                         const Annotations &Code) {
  std::set<Label> Labels;
  auto Add = [&](const Place &Where, std::string Name) {
    unsigned At = Code.code().size();
    if (Where.File == SnippetFile)
      At = Code.offset(Where.Line, Where.Column);
    Labels.insert({At, std::move(Name)});
  };
  for (const Finding &F : Findings) {
    if (F.Trail)
      Add(F.Where, "pointers");
    for (const Use &U : F.Uses)
      Add(U.Where, nameOf(U.Access));
    for (const Obstacle &O : F.Obstacles) {
      std::string Id = infoOf(O.Why).Id.str();
      std::replace(Id.begin(), Id.end(), '-', '_');
      Add(O.Where, Id);
    }
  }
  return Labels;
}

void fail(std::source_location Test, const std::string &Message) {
  ADD_FAILURE_AT(Test.file_name(), static_cast<int>(Test.line())) << Message;
}

} // namespace

UnitFacts factsOf(StringRef Code, function_ref<bool(StringRef)> MayEdit,
                  std::vector<std::string> ExtraArgs,
                  std::source_location Test) {
  UnitFacts Facts;
  append_range(ExtraArgs, WithoutHeaders);
  Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) { Facts = findAll(Unit, MayEdit); },
      std::move(ExtraArgs));
  if (Failure)
    fail(Test, toString(std::move(Failure)));
  return Facts;
}

Finding findingOf(StringRef Code, std::source_location Test) {
  UnitFacts Facts = factsOf(Code, [](StringRef) { return true; }, {}, Test);
  if (Facts.Findings.size() != 1)
    fail(Test, "there are " + std::to_string(Facts.Findings.size()) +
                   " findings instead of one");
  return Facts.Findings.empty() ? Finding() : std::move(Facts.Findings.front());
}

std::vector<Finding> testFind(StringRef Marked, std::source_location Test) {
  Annotations Code(Marked);
  if (!Code.problem().empty())
    fail(Test, Code.problem().str());
  std::vector<Finding> Findings =
      factsOf(Code.code(), [](StringRef) { return true; }, {}, Test).Findings;

  std::set<Label> Expected;
  for (const Annotations::Mark &M : Code.marks())
    Expected.insert({M.Begin, M.Name});
  std::set<Label> Found = labelsOf(Findings, Code);
  std::string Differences;
  for (const Label &L : Expected)
    if (!Found.count(L))
      Differences += Code.pointAt(L.first, "missing " + L.second);
  for (const Label &L : Found)
    if (!Expected.count(L))
      Differences += Code.pointAt(L.first, "unexpected " + L.second);
  if (!Differences.empty())
    fail(Test, Differences);
  return Findings;
}

std::string kernelAround(StringRef Body) {
  return ("__global__ void kernel(int *out, float *data, int i, int j) {\n" +
          Body + "\n}\n")
      .str();
}

std::vector<Finding> testBody(StringRef Body, std::source_location Test) {
  return testFind(kernelAround(Body), Test);
}

const std::string KernelCode = "__global__ void kernel(int *out) {}\n";

UnitFacts hostFacts(const std::string &Host) {
  return factsOf(KernelCode + Host);
}

Launch launchOf(const std::string &Code) {
  const UnitFacts Facts = factsOf(Code);
  EXPECT_EQ(Facts.Launches.size(), 1u) << Code;
  return Facts.Launches.size() == 1 ? Facts.Launches[0] : Launch();
}

Launch launchIn(const std::string &Body) {
  const Launch L =
      launchOf(KernelCode +
               "int ask(); void change(int &); void show(const int &); "
               "int look(const int &seen) { return seen + 1; }\n"
               "void run(int *out, int n) {\n" +
               Body + "\n}\n");
  EXPECT_EQ(L.KernelId, "_Z6kernelPi");
  return L;
}

} // namespace bankstripe::testing
