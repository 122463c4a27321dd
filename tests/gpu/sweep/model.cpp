//===-- model.cpp - asks the tool's model about kernels -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sweep_model KERNELS.json    (fit.py starts it)
//
// Prints the fitted constants of the model by their names, as a JSON object on
// one line. Then, for each line that it reads, an object with constants of
// which some may be missing, it prints the cycles of an SM that a
// warp of each kernel takes with them, as an array on one line.
//
// KERNELS.json is an array of objects with a single array each:
//
//   work              what a thread does, as in the JSON of `analyze`
//   elementBytes, bytesPerThread
//   layout            local, stripe, word, packed, unpacked or slot
//   threads           of a block
//   warps             that are resident
//   sharedBytes       of all of them
//   spread            how far indices are apart, 0 to 1
//   gatheredBytes     that gathered loads are about; missing if nobody knows
//
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>

using namespace bankstripe;
using namespace llvm;

namespace {

struct Question {
  KernelTraffic Traffic;
  Resources Has;
  Assumption Assumed;
};

} // namespace

// The constants that are fitted, by their names.
static std::vector<std::pair<StringRef, double *>> constantsOf(CostModel &M) {
  return {{"Issue.Instruction", &M.Issue.Instruction},
          {"Issue.DoubleOperation", &M.Issue.DoubleOperation},
          {"Issue.Global", &M.Issue.Global},
          {"Issue.LocalWord", &M.Issue.LocalWord},
          {"Issue.LocalRow", &M.Issue.LocalRow},
          {"Issue.LoadedRow", &M.Issue.LoadedRow},
          {"Issue.LoadedRowMiss", &M.Issue.LoadedRowMiss},
          {"Issue.SharedWord", &M.Issue.SharedWord},
          {"Issue.Packing", &M.Issue.Packing},
          {"Issue.MissFactor", &M.Issue.MissFactor},
          {"Issue.Lines", &M.Issue.Lines},
          {"Issue.LinesMiss", &M.Issue.LinesMiss},
          {"Latency.Instruction", &M.Latency.Instruction},
          {"Latency.DoubleOperation", &M.Latency.DoubleOperation},
          {"Latency.Global", &M.Latency.Global},
          {"Latency.Local", &M.Latency.Local},
          {"Latency.Shared", &M.Latency.Shared},
          {"Latency.Packing", &M.Latency.Packing},
          {"Latency.Miss", &M.Latency.Miss},
          {"Latency.Lines", &M.Latency.Lines},
          {"Latency.LinesMiss", &M.Latency.LinesMiss},
          {"Sharpness", &M.Sharpness},
          {"HitExponent", &M.HitExponent},
          {"UnpackedPasses", &M.UnpackedPasses}};
}

static Words words(const json::Object &Array, StringRef Name) {
  const json::Object &W = *Array.getObject(Name);
  return {*W.getNumber("loaded"), *W.getNumber("stored")};
}

static Question questionFrom(const json::Object &O) {
  Question Q;
  const json::Object &Work = *O.getObject("work");
  KernelWork &W = Q.Traffic.Work;
  W.Instructions = *Work.getNumber("instructions");
  W.DoubleOperations = *Work.getNumber("doubleOperations");
  W.Global = *Work.getNumber("global");
  W.Rows = *Work.getNumber("rows");
  W.Gathered = *Work.getNumber("gathered");
  const json::Object &Array = *Work.getArray("arrays")->front().getAsObject();
  const StringRef Layout = *O.getString("layout");
  Q.Traffic.Arrays = {{words(Array, "uniform"), words(Array, "nonUniform"),
                       words(Array, "counted"),
                       unsigned(*O.getInteger("elementBytes")),
                       uint64_t(*O.getInteger("bytesPerThread")),
                       Layout != "local", Layout == "slot",
                       Layout == "packed"     ? StripeForm::Packed
                       : Layout == "unpacked" ? StripeForm::Unpacked
                                              : StripeForm::Plain}};
  Q.Traffic.Threads = *O.getInteger("threads");
  Q.Has.Warps = *O.getInteger("warps");
  Q.Has.SharedBytes = *O.getInteger("sharedBytes");
  Q.Assumed.Spread = *O.getNumber("spread");
  if (auto Bytes = O.getNumber("gatheredBytes"))
    Q.Assumed.Gathered = *Bytes;
  return Q;
}

int main(int ArgCount, char **Args) {
  if (ArgCount != 2) {
    errs() << "usage: sweep_model KERNELS.json\n";
    return 2;
  }
  std::vector<Question> Questions;
  auto Text = cantFail(errorOrToExpected(MemoryBuffer::getFile(Args[1])));
  const json::Value Read = cantFail(json::parse(Text->getBuffer()));
  for (const json::Value &V : *Read.getAsArray())
    Questions.push_back(questionFrom(*V.getAsObject()));

  CostModel Shipped;
  json::Object Known;
  for (auto [Name, Constant] : constantsOf(Shipped))
    Known[Name] = *Constant;
  outs() << json::Value(std::move(Known)) << '\n';
  outs().flush();
  for (std::string Line; std::getline(std::cin, Line);) {
    const json::Value Given = cantFail(json::parse(Line));
    CostModel M;
    for (auto [Name, Constant] : constantsOf(M))
      *Constant = Given.getAsObject()->getNumber(Name).value_or(*Constant);
    json::Array Cycles;
    for (const Question &Q : Questions)
      Cycles.push_back(timeOf(Q.Traffic, Q.Has, Q.Assumed, M));
    outs() << json::Value(std::move(Cycles)) << '\n';
    outs().flush();
  }
  return 0;
}
