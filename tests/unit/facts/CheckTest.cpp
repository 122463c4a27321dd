//===-- CheckTest.cpp - whether facts still hold --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

/// Two units in a folder: a.cu reads size.h, b.cu does not.
class CheckFacts : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("facts", Folder));
    for (const char *Name : {"a.cu", "b.cu"}) {
      write(Name, "int a[4];\n");
      Facts.Units.push_back(makeUnit(path(Name)));
    }
    write("size.h", "// 4\n");
    Facts.Units.front().Unit.Facts.Sources.push_back(
        {path("size.h"), digestOf("// 4\n")});
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(Folder));
  }

  std::string path(StringRef Name) const { return (Folder + "/" + Name).str(); }
  void write(StringRef Name, StringRef Text) const {
    std::error_code EC;
    llvm::raw_fd_ostream(path(Name), EC) << Text;
    ASSERT_FALSE(EC);
  }
  /// The names of the files whose texts were read, or what went wrong.
  std::string readGiven(const std::set<std::string> &Given,
                        const std::set<std::string> &MayDiffer = {}) const {
    auto In = [&](const std::set<std::string> &Names) {
      return [&](StringRef File) {
        return Names.count(llvm::sys::path::filename(File).str()) != 0;
      };
    };
    auto Texts = readGivenSources(Facts, In(Given), In(MayDiffer));
    if (!Texts)
      return toString(Texts.takeError());
    std::string Names;
    for (const auto &[Path, Text] : *Texts) {
      EXPECT_EQ(Text, "int a[4];\n");
      Names += llvm::sys::path::filename(Path).str() + " ";
    }
    return Names;
  }
  std::string changed(StringRef Name) const {
    return "'" + path(Name) +
           "' has changed since its facts were written; run 'bankstripe "
           "facts' again";
  }

  llvm::SmallString<128> Folder;
  ProgramFacts Facts;
};

} // namespace

TEST_F(CheckFacts, TextsAreThoseOfTheGivenFiles) {
  EXPECT_EQ(readGiven({"a.cu", "b.cu", "size.h"}), "a.cu b.cu ");
  EXPECT_EQ(readGiven({"b.cu"}), "b.cu ");
}

TEST_F(CheckFacts, ChangedFileIsNamed) {
  write("a.cu", "int a[5];\n");
  EXPECT_EQ(readGiven({"a.cu"}), changed("a.cu"));
}

TEST_F(CheckFacts, ChangedHeaderOfAGivenFile) {
  write("size.h", "// 5\n");
  EXPECT_EQ(readGiven({"a.cu"}), changed("size.h"));
  EXPECT_EQ(readGiven({"b.cu"}), "b.cu ");
}

TEST_F(CheckFacts, AllChangedFilesAreNamed) {
  write("a.cu", "int a[5];\n");
  write("size.h", "// 5\n");
  EXPECT_EQ(readGiven({"a.cu"}), changed("a.cu") + "\n" + changed("size.h"));
}

TEST_F(CheckFacts, FileThatSomebodyElseEditsMayDiffer) {
  write("size.h", "// 5\n");
  EXPECT_EQ(readGiven({"a.cu"}, {"size.h"}), "a.cu ");
}

TEST_F(CheckFacts, GivenFileMayNot) {
  write("a.cu", "int a[5];\n");
  EXPECT_EQ(readGiven({"a.cu"}, {"a.cu"}), changed("a.cu"));
}

TEST_F(CheckFacts, FileThatIsGone) {
  ASSERT_FALSE(llvm::sys::fs::remove(path("size.h")));
  EXPECT_EQ(readGiven({"a.cu"}),
            "cannot read '" + path("size.h") + "': No such file or directory");
}
