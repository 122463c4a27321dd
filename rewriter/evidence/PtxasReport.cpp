//===-- PtxasReport.cpp - what ptxas prints under -v, by Clang's names ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of one kernel, as CUDA 13 writes it:
//
//   ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'
//   ptxas info    : Function properties for _Z1kPi
//       256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 26 registers, used 1 barriers, 400 bytes smem
//
// Properties of device functions stand between those of kernels, sometimes
// inside the report of one; they have no line of registers. Older versions
// give the shared memory as `400+16 bytes smem`, the second part being what
// the compiler itself reserves. Lines of other programs may stand anywhere.
//
//
// nvcc and Clang mangle alike but for two things, seen with CUDA 13.0: nvcc
// names the anonymous namespace after the file (`33_GLOBAL__N__5ac08c9a_...`
// for Clang's `12_GLOBAL__N_1`), and it leaves out the `L` that marks internal
// linkage (`_Z1kPi` for `_ZL1kPi`, `_ZN1n1kEPi` for `_ZN1nL1kEPi`).
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace llvm;

namespace bankstripe {
namespace {

/// Collects the lines of a report. A kernel that is compiled for several
/// architectures gets the largest of each number.
class ReportReader {
public:
  void read(StringRef Line);
  ResourceTable take();

private:
  void readAmounts(StringRef Line);
  void readFunctionFrame(StringRef Line);
  void addAmount(StringRef Amount);

  ResourceTable Table;
  KernelResources *Entry = nullptr; ///< Of the last "Compiling entry function".
  std::string EntryName;
  bool PropertiesOfEntry = false;
  std::string FunctionName; ///< Of other properties.
  std::map<std::string, unsigned> FunctionFrames;
};

void keepLargest(unsigned &Known, unsigned New) {
  Known = std::max(Known, New);
}

/// Adds `256 bytes stack frame`, `Used 26 registers` or `400+16 bytes smem`.
void ReportReader::addAmount(StringRef Amount) {
  Amount = Amount.trim();
  Amount.consume_front("Used ");
  unsigned Number = 0, Reserved = 0;
  if (Amount.consumeInteger(10, Number))
    return;
  if (Amount.consume_front("+") && Amount.consumeInteger(10, Reserved))
    return;
  Amount = Amount.ltrim();
  if (Amount.starts_with("registers"))
    keepLargest(Entry->Registers, Number);
  else if (Amount.starts_with("bytes smem"))
    keepLargest(Entry->SharedBytes, Number + Reserved);
  else if (Amount.starts_with("bytes stack frame"))
    keepLargest(Entry->StackFrame, Number);
  else if (Amount.starts_with("bytes spill stores"))
    keepLargest(Entry->SpillStores, Number);
  else if (Amount.starts_with("bytes spill loads"))
    keepLargest(Entry->SpillLoads, Number);
}

// `256 bytes stack frame, ...` of a function that is no entry.
void ReportReader::readFunctionFrame(StringRef Line) {
  unsigned Number = 0;
  if (!Line.consumeInteger(10, Number) &&
      Line.ltrim().starts_with("bytes stack frame"))
    keepLargest(FunctionFrames[FunctionName], Number);
}

ResourceTable ReportReader::take() {
  unsigned Sum = 0;
  for (const auto &[Name, Frame] : FunctionFrames)
    Sum += Frame;
  for (auto &[Name, Resources] : Table)
    Resources.CalleeFrames = Sum;
  return std::move(Table);
}

void ReportReader::readAmounts(StringRef Line) {
  if (!Entry)
    return;
  while (!Line.empty()) {
    auto [Amount, Rest] = Line.split(',');
    addAmount(Amount);
    Line = Rest;
  }
}

void ReportReader::read(StringRef Line) {
  Line = Line.trim();
  if (Line.starts_with("ptxas"))
    Line = Line.split(':').second.ltrim();
  if (Line.consume_front("Compiling entry function '")) {
    EntryName = Line.split('\'').first.str();
    Entry = &Table[EntryName];
    PropertiesOfEntry = true;
  } else if (Line.consume_front("Function properties for ")) {
    FunctionName = Line.trim(" '").str();
    PropertiesOfEntry = FunctionName == EntryName;
  } else if (Line.contains("bytes stack frame")) {
    PropertiesOfEntry ? readAmounts(Line) : readFunctionFrame(Line);
  } else if (Line.starts_with("Used ")) {
    readAmounts(Line);
  }
}

} // namespace

ResourceTable parsePtxasReport(StringRef Text) {
  ReportReader Reader;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Reader.read(Line);
    Text = Rest;
  }
  return Reader.take();
}

// Every `<length>_GLOBAL__N_...` component in the one spelling.
static std::string withPlainAnonymousNamespaces(StringRef Name) {
  std::string Result;
  while (!Name.empty()) {
    StringRef Digits = Name.take_while(isDigit);
    size_t Length = 0;
    if (!Digits.empty() && !Digits.getAsInteger(10, Length) &&
        Name.substr(Digits.size()).starts_with("_GLOBAL__N_") &&
        Name.size() >= Digits.size() + Length) {
      Result += "12_GLOBAL__N_1";
      Name = Name.drop_front(Digits.size() + Length);
      continue;
    }
    size_t Plain = std::max<size_t>(Digits.size(), 1);
    Result += Name.take_front(Plain);
    Name = Name.drop_front(Plain);
  }
  return Result;
}

// The qualified name at the front, without marks of internal linkage.
static std::string withoutLinkageMarks(StringRef Name) {
  std::string Result;
  auto Take = [&](size_t Count) {
    Result += Name.take_front(Count);
    Name = Name.drop_front(Count);
  };
  if (!Name.starts_with("_Z"))
    return Name.str();
  Take(2);
  if (Name.starts_with("N"))
    Take(1);
  for (;;) {
    if (Name.size() > 1 && Name[0] == 'L' && isDigit(Name[1]))
      Name = Name.drop_front();
    StringRef Digits = Name.take_while(isDigit);
    size_t Length = 0;
    if (Digits.empty() || Digits.getAsInteger(10, Length))
      return Result + Name.str();
    Take(Digits.size() + Length);
  }
}

static std::string canonical(StringRef Name) {
  return withoutLinkageMarks(withPlainAnonymousNamespaces(Name));
}

ResourceTable forKernels(const ResourceTable &Reported,
                         const std::vector<Kernel> &Kernels) {
  std::map<std::string, const KernelResources *> ByName;
  for (const auto &[Name, Resources] : Reported)
    ByName[canonical(Name)] = &Resources;
  ResourceTable Result;
  for (const Kernel &K : Kernels)
    if (auto It = ByName.find(canonical(K.Id)); It != ByName.end())
      Result[K.Id] = *It->second;
  return Result;
}

} // namespace bankstripe
