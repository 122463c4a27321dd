//===-- Measurement.cpp - what one comparison on the GPU found ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Measurement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// The version of runtime/verify/JSON.md that is read here.
static constexpr int64_t KnownVersion = 1;

// Demanglers differ in blanks, as in `> >`.
std::string bankstripe::comparableName(StringRef Name) {
  std::string Result = llvm::demangle(Name);
  llvm::erase(Result, ' ');
  return Result;
}

static StringRef textIn(const json::Object &O, StringRef Key) {
  return O.getString(Key).value_or("");
}

// Says what differs, and in which kernel.
static void readDifference(const json::Object &Root, Measurement &M) {
  M.Problem = textIn(Root, "reason").str();
  if (const json::Object *D = Root.getObject("difference")) {
    M.Culprit = comparableName(textIn(*D, "original-kernel"));
    M.Problem = ("'" + textIn(*D, "original-kernel") +
                 "' computes something else: " + textIn(*D, "kind"))
                    .str();
  }
  if (M.Problem.empty())
    M.Problem = "the program prints something else";
}

llvm::Expected<Measurement> bankstripe::parseMeasurement(StringRef Json) {
  llvm::Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed)
    return llvm::createStringError("the result of bankstripe-verify is no "
                                   "JSON: " +
                                   toString(Parsed.takeError()));
  const json::Object *Root = Parsed->getAsObject();
  if (!Root || Root->getInteger("version") != KnownVersion)
    return llvm::createStringError("the result of bankstripe-verify is of "
                                   "another version; install both programs "
                                   "from the same release");
  Measurement M;
  M.Device = textIn(*Root, "device").str();
  const StringRef Verdict = textIn(*Root, "verdict");
  if (Verdict == "not-verified")
    return llvm::createStringError(textIn(*Root, "reason"));
  if (Verdict != "identical")
    readDifference(*Root, M);
  if (const json::Array *Kernels = Root->getArray("kernels"))
    for (const json::Value &V : *Kernels) {
      const json::Object *K = V.getAsObject();
      if (!K)
        continue;
      const double Original = K->getNumber("original-total-ns").value_or(0);
      const double Changed = K->getNumber("rewritten-total-ns").value_or(0);
      if (Original > 0 && Changed > 0)
        M.Kernels[comparableName(textIn(*K, "name"))] = {Original, Changed};
    }
  return M;
}
