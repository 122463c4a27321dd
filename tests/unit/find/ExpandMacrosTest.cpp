//===-- ExpandMacrosTest.cpp - what macros stand for ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gmock/gmock.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// What the uses of macros in Code that declare arrays or kernels stand for.
std::vector<std::string> expansionsIn(StringRef Code) {
  std::vector<std::string> Result;
  for (const ExpandedMacro &M : factsOf(Code).Expandable)
    Result.push_back(M.Written + " => " + M.Text);
  return Result;
}

} // namespace

TEST(ExpandMacros, ThatDeclareArrays) {
  const std::string Use = kernelAround("BUFFER(int, a); a[i] = j;");
  auto With = [&](StringRef Macros) {
    return expansionsIn(Macros.str() + "\n" + Use);
  };
  EXPECT_THAT(With("#define BUFFER(T, x) T x##1[4]; T x[4]"),
              ElementsAre("BUFFER(int, a) => int a1[4]; int a[4]"));
  EXPECT_THAT(With("#define ARRAY(T, x, n) T x[n]\n"
                   "#define BUFFER(T, x) ARRAY(T, x, 4)"),
              ElementsAre("BUFFER(int, a) => int a[4]"));
  // It would be expanded once more.
  EXPECT_THAT(With("#define BUFFER(T, x) T x[4], *BUFFER"), IsEmpty());
}

TEST(ExpandMacros, LeavesToTheBuildWhatItDefines) {
  const std::string Use = kernelAround("BUFFER(int, a); a[i] = j;");
  EXPECT_THAT(expansionsIn("#define N 8\n#define BUFFER(T, x) T x[N]\n" + Use),
              ElementsAre("BUFFER(int, a) => int a[N]"));
  EXPECT_THAT(expansionsIn("#define BUFFER(T, x) T x[__LINE__]\n" + Use),
              ElementsAre("BUFFER(int, a) => int a[__LINE__]"));
  EXPECT_THAT(expansionsIn("#ifdef BIG\n"
                           "#define BUFFER(T, x) T x[64]\n"
                           "#else\n"
                           "#define BUFFER(T, x) T x[4]\n"
                           "#endif\n" +
                           Use),
              IsEmpty());
  EXPECT_THAT(expansionsIn("#ifndef BUFFER\n"
                           "#define BUFFER(T, x) T x[4]\n"
                           "#endif\n" +
                           Use),
              IsEmpty());
  EXPECT_THAT(expansionsIn("#define BUFFER(T, x) T x[4]\n" + Use +
                           "#ifdef MORE\nBUFFER(int, b);\n#endif\n"),
              ElementsAre("BUFFER(int, a) => int a[4]"));
}

TEST(ExpandMacros, AsTheyWereThere) {
  EXPECT_THAT(
      expansionsIn("#define N 4\n"
                   "#define KERNEL(T, name) __global__ void name(T *p,\\\n"
                   "  int i) { T a[N]; a[i] = 1; *p = a[*p]; }\n"
                   "KERNEL(int,\n  first)\n"
                   "#undef N\n"
                   "#define N 8\n"
                   "KERNEL(char, second)\n"
                   "#undef KERNEL\n"),
      ElementsAre(
          "KERNEL(int,\n  first) => __global__ void first(int *p,\v  int i) "
          "{ int a[N]; a[i] = 1; *p = a[*p]; }\n",
          "KERNEL(char, second) => __global__ void second(char *p,\v"
          "  int i) { char a[N]; a[i] = 1; *p = a[*p]; }"));
}
