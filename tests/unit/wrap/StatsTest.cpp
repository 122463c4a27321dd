//===-- StatsTest.cpp - what became of the files of a build ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Stats.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace bankstripe;
namespace fs = llvm::sys::fs;

namespace {

class Stats : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("stats", Folder));
    ASSERT_FALSE(fs::create_directory(Folder + "/sub"));
  }
  void TearDown() override { fs::remove_directories(Folder); }

  /// Says that Object was made of a.cu with Stripes stripes.
  bool add(const std::string &Object, int64_t Stripes) const {
    CompileStats S;
    S.Source = "/a.cu";
    S.Object = (Folder + "/" + Object).str();
    std::ofstream(S.Object) << "object";
    S.Counts = {{"parsed", Stripes != 0},
                {"rewritten", Stripes != 0},
                {"moved", Stripes},
                {"kernels", 1},
                {"verdict stripe", Stripes},
                {"verdict unchanged", 1},
                {"reason block-size-unknown", 1}};
    S.Seconds = 0.5;
    const bool News = areNews(S);
    addStats(S);
    return News;
  }
  std::string sum() const {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    printStats(OS, Folder);
    return Text;
  }

  llvm::SmallString<128> Folder;
};

} // namespace

TEST_F(Stats, AreThoseOfAllFolders) {
  add("a.o", 2);
  add("sub/b.o", 0);
  EXPECT_EQ(sum(), "2 CUDA files: 1 parsed, 1 rewritten\n"
                   "arrays: stripe 2, unchanged 2\n"
                   "why arrays stay: block-size-unknown 2\n"
                   "time added: 1.0 s\n");
}

TEST_F(Stats, AreOfTheLastCompileOfAnObject) {
  add("a.o", 2);
  add("a.o", 3);
  EXPECT_NE(sum().find("arrays: stripe 3, unchanged 1\n"), std::string::npos);
}

TEST_F(Stats, AreOfObjectsThatAreThere) {
  add("a.o", 2);
  ASSERT_FALSE(fs::remove(Folder + "/a.o"));
  EXPECT_EQ(sum(), "0 CUDA files: 0 parsed, 0 rewritten\ntime added: 0.0 s\n");
}

TEST_F(Stats, AreNewsWhereTheySaySomethingElseOfTheSource) {
  EXPECT_TRUE(add("a.o", 2));
  EXPECT_FALSE(add("a.o", 2));
  EXPECT_FALSE(add("b.o", 2));
  EXPECT_TRUE(add("a.o", 3));
}

TEST_F(Stats, OfOtherVersionsAreLeftOut) {
  std::ofstream((Folder + "/" + StatsFileName).str())
      << "{\"source\": 1}\nno\n";
  add("a.o", 2);
  EXPECT_EQ(sum().find("1 CUDA file: 1 parsed"), 0u);
}

TEST_F(Stats, AreSaidInWords) {
  CompileStats S;
  S.Counts = {{"moved", 2}, {"kernels", 1}};
  EXPECT_EQ(S.text(), "2 arrays of 1 kernel moved");
  S.Counts = {{"moved", 1}, {"kernels", 3}};
  EXPECT_EQ(S.text(), "1 array of 3 kernels moved");
}

TEST_F(Stats, SayHowManyKernelsChoose) {
  CompileStats S;
  S.Counts = {{"moved", 3}, {"kernels", 2}};
  EXPECT_EQ(S.text(), "3 arrays of 2 kernels moved");
  S.Counts["choosing"] = 2;
  EXPECT_EQ(S.text(),
            "3 arrays of 2 kernels moved, 2 kernels choose at run time");
  S.Counts["choosing"] = 1;
  EXPECT_EQ(S.text(),
            "3 arrays of 2 kernels moved, 1 kernel chooses at run time");
}
