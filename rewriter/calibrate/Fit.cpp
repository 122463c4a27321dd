//===-- Fit.cpp - constants from timings ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants that say what a word costs that is loaded again and again are
// fitted afterwards, to the kernels that only read their array; all others, to
// those that update it. The search is that of Levenberg and Marquardt, on the
// constants' logarithms.
//
//===----------------------------------------------------------------------===//

#include "calibrate/Fit.h"
#include "plan/Profit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unsupported/Eigen/NonLinearOptimization>

using namespace bankstripe;
using llvm::StringRef;

llvm::Error bankstripe::addTimings(StringRef Text, Timings &T) {
  for (StringRef Line : llvm::split(Text, '\n')) {
    llvm::SmallVector<StringRef, 16> Cells;
    Line.trim("# \r").split(Cells, " | ");
    if (Line.starts_with("#")) {
      if (Cells.size() != 4)
        continue;
      T.Gpu = Cells[0];
      T.Arch = "sm_" + Cells[1].str();
      if (!Cells[2].getAsDouble(T.Multiprocessors) &&
          !Cells[3].getAsDouble(T.Megahertz))
        continue;
    }
    if (Line.empty() || (Cells.size() == 15 && Cells[8] == "-"))
      continue;
    Timing &New = T.All.emplace_back();
    if (Cells.size() != 15 || Cells[0].getAsInteger(10, New.Bytes) ||
        Cells[1].getAsInteger(10, New.Elements) ||
        Cells[3].getAsInteger(10, New.Arithmetic) ||
        Cells[5].getAsInteger(10, New.Block) ||
        Cells[6].getAsInteger(10, New.Grid) ||
        Cells[8].getAsDouble(New.Milliseconds) ||
        Cells[12].getAsInteger(10, New.Shared) ||
        Cells[13].getAsInteger(10, New.Blocks))
      return llvm::createStringError("this is no line of timings: " + Line);
    New.Pattern = Cells[2];
    New.Stream = Cells[4];
    New.Variant = Cells[7];
    New.Same = Cells[14] == "same";
  }
  return llvm::Error::success();
}

static bool isLocal(const Timing &T) {
  // The second is the original with as much shared memory as a stripe takes.
  return T.Variant == "original" || T.Variant == "reserved";
}

static bool isUpdate(const Timing &T) {
  return !StringRef(T.Stream).contains(' ');
}

static double stepsOf(const Timing &T) {
  return std::max(256u, 2 * T.Elements);
}

// What bankstripe counts in that kernel, which fills its array, takes the
// steps, and reads it through (tests/gpu/sweep/decide.py holds it to that).
static KernelTraffic trafficOf(const Timing &T) {
  const bool Uniform = T.Pattern == "uniform";
  const bool Float = T.Bytes == 4, Double = T.Bytes == 8;
  const double Steps = stepsOf(T), N = T.Elements, Words = Double ? 2 : 1;
  const StringRef Stream = StringRef(T.Stream).split(' ').first;
  const double Loads = Stream == "none" ? 0 : Stream == "table" ? 8.02 : 7.03;
  const double PerElement = Double ? 17 : Float ? 15 : 18;
  double PerStep = (Float ? 12.24 : 14.23) + (Uniform ? 0 : 2) + Loads;
  PerStep += Double ? 0 : T.Arithmetic * (Float ? 1. : 2.);
  if (!isUpdate(T) && T.Bytes < 4)
    PerStep -= 1;
  KernelTraffic K;
  K.Threads = T.Block;
  K.Work.Instructions = PerElement * N + PerStep * Steps;
  K.Work.DoubleOperations = Double ? N + (T.Arithmetic + 1.01) * Steps : 0;
  K.Work.Global = (Uniform ? 0 : 0.02) * Steps;
  (Stream == "loads"  ? K.Work.Global
   : Stream == "rows" ? K.Work.Rows
                      : K.Work.Gathered) += Loads ? Steps : 0;
  ArrayTraffic A;
  A.Uniform = {Words * N, Words * N};
  struct Words &W = Uniform ? A.Uniform : A.NonUniform;
  W.Loaded += Words * Steps;
  W.Stored += isUpdate(T) ? Words * Steps : 0;
  A.ElementBytes = T.Bytes;
  A.BytesPerThread = (T.Bytes * T.Elements + 3) / 4 * 4;
  A.Moved = !isLocal(T);
  A.Slot = T.Variant == "slot";
  A.Form = T.Variant == "packed"     ? StripeForm::Packed
           : T.Variant == "unpacked" ? StripeForm::Unpacked
           : T.Variant == "word"     ? StripeForm::Wide
                                     : StripeForm::Plain;
  K.Arrays = {A};
  return K;
}

// How far indices are apart if the lanes ask for as many rows as the pattern
// says.
static double spreadOf(const Timing &T) {
  const unsigned WholeWords = (T.Bytes * T.Elements + 3) / 4 * 4;
  const double Rows = std::max(1., double(WholeWords) / std::max(4u, T.Bytes));
  const double Random = Rows * (1 - std::pow(1 - 1 / Rows, 32));
  return !isLocal(T) || T.Pattern == "random" || Random == 1
             ? 1
             : (std::min(Rows, 32.) - 1) / (Random - 1);
}

namespace {

/// A timing, and what the model is asked about it.
struct Question {
  KernelTraffic Traffic;
  Resources Has;
  Assumption Assumed;
  double Measured; ///< Cycles of an SM per warp.

  double error(const CostModel &M) const {
    return std::log(timeOf(Traffic, Has, Assumed, M) / Measured);
  }
};

/// What is made small: errors beyond Outlier count less than squared.
struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum {
    InputsAtCompileTime = Eigen::Dynamic,
    ValuesAtCompileTime = Eigen::Dynamic
  };
  static constexpr double Outlier = 0.1;

  std::vector<Question> Questions;
  CostModel &M;
  std::vector<double *> Constants; ///< Of M, that are fitted.

  int inputs() const { return Constants.size(); }
  int values() const { return Questions.size(); }
  int operator()(const InputType &Logarithms, ValueType &Errors) const {
    for (auto [Constant, Logarithm] : llvm::zip(Constants, Logarithms))
      *Constant = std::exp(Logarithm);
    for (auto [Q, Error] : llvm::zip(Questions, Errors)) {
      const double E = Q.error(M) / Outlier;
      Error = std::copysign(std::sqrt(2 * (std::sqrt(1 + E * E) - 1)), E);
    }
    return 0;
  }
};

} // namespace

static std::vector<Question>
questions(const Timings &T, llvm::function_ref<bool(const Timing &)> Wanted) {
  std::vector<Question> Result;
  for (const Timing &One : T.All) {
    if (!One.Same || !Wanted(One))
      continue;
    Question &Q = Result.emplace_back();
    Q.Traffic = trafficOf(One);
    const unsigned Warps = One.Block / 32;
    Q.Has = {Warps * One.Blocks, One.Shared * One.Blocks};
    Q.Assumed.Spread = spreadOf(One);
    if (One.Stream == "table")
      Q.Assumed.Gathered = 65536;
    Q.Measured = One.Milliseconds * 1e3 * T.Megahertz * T.Multiprocessors /
                 (One.Grid * double(Warps));
  }
  return Result;
}

// For all but what loaded words cost.
static bool isFitted(const Timing &T) {
  return isUpdate(T) && T.Variant != "carve-out" && T.Variant != "registers";
}

double bankstripe::errorOf(const CostModel &M, const Timings &T) {
  double Sum = 0;
  const auto All = questions(T, isFitted);
  for (const Question &Q : All)
    Sum += std::pow(Q.error(M), 2);
  return std::sqrt(Sum / All.size());
}

static void fit(CostModel &M, std::vector<Question> Questions, bool Loaded) {
  Residuals R{std::move(Questions), M, {}};
  for (auto [Name, Constant] : constantsOf(M))
    if (StringRef(Name).starts_with("issue-loaded") == Loaded)
      R.Constants.push_back(Constant);
  Eigen::VectorXd At(R.inputs());
  for (auto [Logarithm, Constant] : llvm::zip(At, R.Constants))
    Logarithm = std::log(*Constant);
  if (R.values() < R.inputs())
    return;
  Eigen::NumericalDiff<Residuals> Sloped(R);
  Eigen::LevenbergMarquardt<decltype(Sloped)> Search(Sloped);
  Search.minimize(At);
  Eigen::VectorXd Errors(R.values());
  R(At, Errors);
}

CostModel bankstripe::fitted(const Timings &T, CostModel Start) {
  CostModel M = std::move(Start);
  M.Gpu = T.Gpu;
  M.GpuArch = T.Arch;
  M.Arch = archInfo(T.Arch);
  fit(M, questions(T, isFitted), /*Loaded=*/false);
  fit(M,
      questions(T,
                [](const Timing &One) {
                  return isLocal(One) &&
                         StringRef(One.Stream).ends_with(" reads");
                }),
      /*Loaded=*/true);
  return M;
}

std::string bankstripe::tableOf(const Timings &T) {
  constexpr StringRef Patterns[] = {"uniform", "random", "worst"};
  std::string Text = llvm::formatv(
      "float[32], 256 steps, blocks of 128 on {0}; time over that of local "
      "memory at uniform indices\n",
      T.Gpu);
  auto Find = [&](StringRef Variant, StringRef Pattern) {
    for (const Timing &One : T.All)
      if (One.Bytes == 4 && One.Elements == 32 && One.Arithmetic == 0 &&
          One.Stream == "none" && One.Block == 128 && One.Variant == Variant &&
          One.Pattern == Pattern)
        return One.Milliseconds;
    return std::nan("");
  };
  const double Base = Find("original", "uniform");
  for (auto [Name, Variant] : {std::pair("registers", "registers"),
                               {"local memory", "original"},
                               {"shared memory", "stripe"}})
    for (StringRef Pattern : Patterns) {
      const double Ratio = Find(Variant, Pattern) / Base;
      Text += llvm::formatv(
          "  {0,-14} {1,-8} {2,7:f2} {3}\n", Name, Pattern, Ratio,
          std::string(
              std::isnan(Ratio) ? 0 : std::lround(10 * std::log2(1 + Ratio)),
              '#'));
    }
  Text += llvm::formatv(
      "  local memory, worst over uniform: {0:f1} (Tesla K20 24, Maxwell 14)\n"
      "  local over shared memory, uniform: {1:f2} (Tesla K20 1.34, Maxwell "
      "4)\n",
      Find("original", "worst") / Base, Base / Find("stripe", "uniform"));
  return Text;
}
