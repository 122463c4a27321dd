//===-- UnitPlanTest.cpp - what a program's plan changes in one unit ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/UnitPlan.h"
#include "llvm/Support/FileSystem.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace bankstripe;
namespace fs = llvm::sys::fs;

namespace {

/// A folder with the sources `a.cu`, which changes, and `a.h`.
class UnitPlanTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("unit-plan", Folder));
    write("a.cu", Before);
    write("a.h", "int b;\n");
    Plan.Sources = {{path("a.cu"), digestOf(Before)},
                    {path("a.h"), digestOf("int b;\n")}};
    Plan.Changed[path("a.cu")] = After;
    PlanPath = unitPlanPath(path("plan"), path("a.cu"));
  }
  void TearDown() override { fs::remove_directories(Folder); }

  std::string path(llvm::StringRef Name) const {
    return (Folder + "/" + Name).str();
  }
  void write(llvm::StringRef Name, llvm::StringRef Text) const {
    std::ofstream(path(Name), std::ios::binary) << Text.str();
  }
  void write() const {
    EXPECT_EQ(toString(writeUnitPlan(Plan, PlanPath, "this")), "");
  }
  std::string problem() const {
    return toString(readUnitPlan(PlanPath, "this").takeError());
  }

  const std::string Before = "int a; // \xe4\n", After = "int aa; // \xe4\n";
  llvm::SmallString<128> Folder;
  UnitPlan Plan;
  std::string PlanPath;
};

} // namespace

TEST_F(UnitPlanTest, ComesBackAsItWas) {
  write();
  auto Changes = readUnitPlan(PlanPath, "this");
  ASSERT_TRUE(Changes && Changes->size() == 1);
  EXPECT_EQ(Changes->front().Path, path("a.cu"));
  EXPECT_EQ(Changes->front().Before, Before);
  EXPECT_EQ(Changes->front().After, After);
}

TEST_F(UnitPlanTest, IsOnlyWrittenWhereItDiffers) {
  write();
  fs::file_status First, Second, Third;
  ASSERT_FALSE(fs::status(PlanPath, First));
  write();
  ASSERT_FALSE(fs::status(PlanPath, Second));
  EXPECT_EQ(First.getUniqueID(), Second.getUniqueID());
  Plan.Changed.clear();
  write();
  ASSERT_FALSE(fs::status(PlanPath, Third));
  EXPECT_NE(First.getSize(), Third.getSize());
}

TEST_F(UnitPlanTest, IsRefusedWhenAnySourceHasChanged) {
  write();
  write("a.h", "int c;\n");
  EXPECT_EQ(problem(), "'" + path("a.h") +
                           "' has changed since it was planned for; build "
                           "again");
}

TEST_F(UnitPlanTest, IsRefusedWhenThereIsNone) {
  EXPECT_NE(problem().find("no plan was made for this file"),
            std::string::npos);
}

TEST_F(UnitPlanTest, IsRefusedWhenAnotherVersionWroteIt) {
  write();
  EXPECT_NE(toString(readUnitPlan(PlanPath, "another").takeError())
                .find("is not a plan that this version of bankstripe wrote"),
            std::string::npos);
}

TEST_F(UnitPlanTest, IsRefusedWhenItIsDamaged) {
  write();
  for (const char *Text :
       {"", "{}", "{\"tool\": \"this\"}",
        "{\"tool\": \"this\", \"sources\": [[\"a\"]], \"changed\": []}",
        "{\"tool\": \"this\", \"sources\": [], \"changed\": [[\"a\", "
        "\"b\"]]}"}) {
    std::ofstream(PlanPath) << Text;
    EXPECT_NE(problem().find("is not a plan"), std::string::npos) << Text;
  }
}
