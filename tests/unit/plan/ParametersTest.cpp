//===-- ParametersTest.cpp - block sizes that callers give ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launching function gets the block size as its parameter 0; what it can be
// is known when all arguments are.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

using Values = std::set<int64_t>;

HostArgument argument(const std::string &Function,
                      std::optional<Values> Known) {
  HostArgument A;
  A.For = {Function, 0};
  A.Values = std::move(Known);
  return A;
}

HostArgument passedOn(const std::string &Function, const std::string &From) {
  HostArgument A = argument(Function, std::nullopt);
  A.Same = HostParameter{From, 0};
  return A;
}

// `void run(int threads)` launches `k`, and Arguments are what it is given.
TestUnit launchedBy(std::vector<HostArgument> Arguments) {
  TestUnit U;
  Launch &L = U.launch(1);
  L.Threads.reset();
  L.Source = "parameter 'threads'";
  L.Parameter = HostParameter{"run", 0};
  U.array();
  U.Result.Facts.Arguments = std::move(Arguments);
  return U;
}

TEST(Parameters, AreTheLargestArgument) {
  Plan P =
      launchedBy({argument("run", Values{64}), argument("run", Values{32, 96})})
          .plan();
  EXPECT_EQ(reasonOf(P), Reason::DynamicIndex);
  EXPECT_EQ(P.Kernels[0].Block.Threads, 96u);
  EXPECT_EQ(P.Kernels[0].Block.Text,
            "launch at a.cu:100 (parameter 'threads', from its callers)");
}

TEST(Parameters, OneUnknownArgumentIsEnough) {
  EXPECT_EQ(reasonOf(launchedBy({argument("run", Values{64}),
                                 argument("run", std::nullopt)})
                         .plan()),
            Reason::BlockSizeUnknown);
}

TEST(Parameters, OfAFunctionThatNobodyCalls) {
  EXPECT_EQ(reasonOf(launchedBy({}).plan()), Reason::BlockSizeUnknown);
  EXPECT_EQ(reasonOf(launchedBy({argument("walk", Values{64})}).plan()),
            Reason::BlockSizeUnknown);
}

TEST(Parameters, MayBePassedOn) {
  Plan P =
      launchedBy({passedOn("run", "outer"), argument("outer", Values{160})})
          .plan();
  EXPECT_EQ(P.Kernels[0].Block.Threads, 160u);
}

TEST(Parameters, ThatAreOnlyPassedToThemselvesAreUnknown) {
  EXPECT_EQ(
      reasonOf(launchedBy({passedOn("run", "run"), argument("run", Values{64})})
                   .plan()),
      Reason::BlockSizeUnknown);
}

TEST(Parameters, ThatAreNoBlockSizesAreUnknown) {
  for (int64_t Value : {0, -1, 1025})
    EXPECT_EQ(reasonOf(launchedBy({argument("run", Values{Value})}).plan()),
              Reason::BlockSizeUnknown)
        << Value;
}

TEST(Parameters, ArgumentsOfAllUnitsCount) {
  TestUnit A = launchedBy({argument("run", Values{64})});
  TestUnit B("/b.cu", /*WithKernel=*/false);
  B.Result.Facts.Arguments = {argument("run", Values{128})};
  Plan P = makePlan({A.result(), B.result()}, PlanOptions());
  EXPECT_EQ(P.Kernels[0].Block.Threads, 128u);
}

TEST(Parameters, DoNotMatterWhereTheLaunchIsKnown) {
  TestUnit U = launchedBy({argument("run", Values{512})});
  U.Result.Facts.Launches.front().Threads = 32;
  EXPECT_EQ(U.plan().Kernels[0].Block.Threads, 32u);
}

} // namespace
