//===-- Sample.cpp - facts for tests --------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "facts/Fields.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;

namespace {

/// Gives every field a value of its own.
class Filler {
public:
  void fill(bool &V) { V = !V; }
  void fill(double &V) { V = ++Count + 0.1; }
  void fill(std::string &V) { V = "text " + std::to_string(++Count); }
  void fill(Reason &V) { V = Reason::Goto; }
  template <class T>
    requires std::is_integral_v<T>
  void fill(T &V) {
    V = std::numeric_limits<T>::max() - ++Count;
  }
  template <class T>
    requires std::is_enum_v<T>
  void fill(T &V) {
    V = LastOf<T>;
  }
  template <class T> void fill(std::optional<T> &V) { fill(V.emplace()); }
  void fill(std::vector<bool> &V) { V = {true, false}; }
  template <class T> void fill(std::vector<T> &V) {
    V.resize(2);
    for (T &Element : V)
      fill(Element);
  }
  template <class T> void fill(std::set<T> &V) {
    T Element{};
    fill(Element);
    V = {Element};
  }
  template <class K, class T> void fill(std::map<K, T> &V) {
    K Key{};
    fill(Key);
    fill(V[Key]);
  }
  /// The texts are not part of a facts file.
  void fill(std::map<std::string, std::string> &V) { V = {{"/a.cu", ""}}; }
  template <HasFields T> void fill(T &V) {
    visitFields(V, [&](llvm::StringRef, llvm::StringRef, auto &...Field) {
      (fill(Field), ...);
      return true;
    });
  }

private:
  unsigned Count = 0;
};

} // namespace

UnitRecord bankstripe::testing::makeUnit(const std::string &File,
                                         const std::string &Text) {
  UnitRecord Unit;
  Unit.Job.File = File;
  Unit.Unit.Facts.MainFile = File;
  Unit.Unit.Facts.Findings.resize(1);
  Unit.Unit.Facts.Findings.front().Where = {File, 1, 5};
  Unit.Unit.Facts.Contents = {{File, ""}};
  Unit.Unit.Facts.Sources = {{File, digestOf(Text)}};
  return Unit;
}

UnitRecord bankstripe::testing::makeFullUnit() {
  UnitRecord Unit;
  Filler().fill(Unit);
  // Only of arrays that are listed.
  for (auto &[Kernel, Work] : Unit.Unit.Evidence.Work) {
    auto Array = Work.Arrays.extract(Work.Arrays.begin());
    Array.key() = Unit.Unit.Facts.Findings.size() - 1;
    Work.Arrays.insert(std::move(Array));
  }
  return Unit;
}

std::string bankstripe::testing::written(const ProgramFacts &Facts,
                                         llvm::StringRef Tool) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeFacts(OS, Facts, Tool);
  return Text;
}
