//===-- LookupTest.cpp - which decisions file speaks for a source file ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "decisions/Decisions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

/// A folder with files.
class Lookup : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Path, Real;
    ASSERT_FALSE(fs::createUniqueDirectory("decisions", Path));
    ASSERT_FALSE(fs::real_path(Path, Real));
    Root = std::string(Real) + "/";
  }
  void TearDown() override { fs::remove_directories(Root); }

  std::string write(const std::string &Name, StringRef Text = "") {
    const std::string Path = Root + Name;
    EXPECT_FALSE(fs::create_directories(llvm::sys::path::parent_path(Path)));
    std::error_code EC;
    llvm::raw_fd_ostream OS(Path, EC);
    EXPECT_FALSE(EC);
    OS << Text;
    return Path;
  }
  static std::string layout(StringRef Name) {
    return ("version: 1\ndefaults: {layout: " + Name + "}\n").str();
  }
  static std::string about(StringRef File) {
    return ("version: 1\narrays:\n  - {file: " + File +
            ", function: f, array: a, decision: slot}\n")
        .str();
  }
  static void read(DecisionsLookup &L, StringRef File) {
    if (llvm::Error E = L.readFor(File))
      ADD_FAILURE() << toString(std::move(E));
  }

  std::string Root;
};

TEST_F(Lookup, TheNearestFileSpeaks) {
  write(".bankstripe.yaml", layout("slot"));
  write("src/deep/.bankstripe.yaml", layout("keep"));
  const std::string Outer = write("src/a.cu"), Inner = write("src/deep/b.cuh");
  DecisionsLookup L({});
  read(L, Outer);
  read(L, Inner);
  EXPECT_EQ(L.defaultsFor(Outer).Wanted, Layout::Slot);
  EXPECT_EQ(L.defaultsFor(Outer).From, Root + ".bankstripe.yaml");
  EXPECT_EQ(L.defaultsFor(Inner).Wanted, Layout::Keep);
}

TEST_F(Lookup, WithoutAFileThereAreNoDecisions) {
  const std::string Source = write("a.cu");
  DecisionsLookup L({});
  read(L, Source);
  EXPECT_EQ(L.defaultsFor(Source), FileDefaults());
  EXPECT_TRUE(L.decisionsFor("sm_90").Arrays.empty());
}

TEST_F(Lookup, NoneIsObeyedWhenNoneIsWanted) {
  write(".bankstripe.yaml", "broken");
  const std::string Source = write("a.cu");
  DecisionsLookup L({/*None=*/true, ""});
  read(L, Source);
  EXPECT_EQ(L.defaultsFor(Source).Wanted, Layout::Auto);
}

TEST_F(Lookup, ANamedFileSpeaksForAll) {
  write("src/.bankstripe.yaml", "broken");
  const std::string Named = write("other/x.yaml", about("../src/a.cu"));
  const std::string Source = write("src/a.cu");
  DecisionsLookup L({/*None=*/false, Named});
  read(L, Source);
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].File, Source);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].Problem, "");
}

TEST_F(Lookup, FilesAreRelativeToTheDecisionsFile) {
  write(".bankstripe.yaml", about("src/a.cu"));
  const std::string Source = write("src/a.cu");
  DecisionsLookup L({});
  read(L, Source);
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].File, Source);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].Where,
            (Place{Root + ".bankstripe.yaml", 3, 6}));
}

TEST_F(Lookup, OfSeveralGpusTheNearestCounts) {
  const auto About = [](StringRef Gpu, StringRef Rest) {
    return ("  - {file: a.cu, function: f, array: a, gpu: " + Gpu +
            ", decision: " + Rest + "}\n")
        .str();
  };
  const std::string Source = write("a.cu");
  write(".bankstripe.yaml", "version: 1\narrays:\n" +
                                About("sm_80", "slot, by: tune") +
                                About("sm_90", "stripe, by: tune") +
                                About("sm_120", "keep, by: tune"));
  DecisionsLookup L({});
  read(L, Source);
  for (const auto &[Gpu, Wanted] :
       {std::pair("sm_80", Layout::Slot), std::pair("sm_89", Layout::Slot),
        std::pair("sm_90", Layout::Stripe), std::pair("sm_100", Layout::Stripe),
        std::pair("sm_120", Layout::Keep), std::pair("sm_75", Layout::Slot)}) {
    const std::vector<ArrayDecision> Found = L.decisionsFor(Gpu).Arrays;
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(Found[0].Wanted, Wanted) << Gpu;
  }
}

TEST_F(Lookup, WhatAPersonDecidedForAllGpusComesBeforeWhatWasMeasured) {
  const std::string Source = write("a.cu");
  write(".bankstripe.yaml",
        about("a.cu") + "  - {file: a.cu, function: f, array: a, gpu: sm_90, "
                        "decision: keep, by: tune}\n");
  DecisionsLookup L({});
  read(L, Source);
  const std::vector<ArrayDecision> Found = L.decisionsFor("sm_90").Arrays;
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Wanted, Layout::Slot);
}

TEST_F(Lookup, LinksAreFollowed) {
  write("real/.bankstripe.yaml", about("a.cu"));
  const std::string Source = write("real/a.cu");
  ASSERT_FALSE(fs::create_link(Root + "real", Root + "link"));
  DecisionsLookup L({});
  read(L, Root + "link/a.cu");
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].File, Source);
}

TEST_F(Lookup, DecisionAboutAFileThatIsGone) {
  write(".bankstripe.yaml", about("gone.cu"));
  DecisionsLookup L({});
  read(L, write("a.cu"));
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].Problem, "there is no such file");
}

TEST_F(Lookup, DecisionAboutAFileForWhichAnotherSpeaks) {
  write(".bankstripe.yaml", about("src/a.cu"));
  write("src/.bankstripe.yaml", layout("auto"));
  write("src/a.cu");
  DecisionsLookup L({});
  read(L, write("b.cu"));
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].Problem,
            "'" + Root + "src/.bankstripe.yaml' speaks for that file");
}

TEST_F(Lookup, DecisionAboutAFileOutsideItsFolder) {
  write("src/.bankstripe.yaml", about("../b.cu"));
  write("b.cu");
  DecisionsLookup L({});
  read(L, write("src/a.cu"));
  ASSERT_EQ(L.decisionsFor("sm_90").Arrays.size(), 1u);
  EXPECT_EQ(L.decisionsFor("sm_90").Arrays[0].Problem,
            "that file lies outside the folder of its decisions file");
}

TEST_F(Lookup, DecisionsAboutKernels) {
  write(".bankstripe.yaml", "version: 1\nkernels:\n"
                            "  - {file: a.cu, kernel: k, carveout: auto}\n"
                            "  - {file: gone.cu, kernel: k, carveout: 10}\n");
  const std::string Source = write("a.cu");
  DecisionsLookup L({});
  read(L, Source);
  ASSERT_EQ(L.decisionsFor("sm_90").Kernels.size(), 2u);
  EXPECT_EQ(L.decisionsFor("sm_90").Kernels[0].File, Source);
  EXPECT_EQ(L.decisionsFor("sm_90").Kernels[0].Problem, "");
  EXPECT_EQ(L.decisionsFor("sm_90").Kernels[1].Problem,
            "there is no such file");
}

TEST_F(Lookup, WhatCannotBeObeyedIsAnError) {
  write(".bankstripe.yaml", "version: 1\nlayot: slot\n");
  DecisionsLookup L({});
  EXPECT_EQ(toString(L.readFor(write("a.cu"))),
            "cannot obey the decisions file\n" + Root +
                ".bankstripe.yaml:2:1: error: unknown key 'layot'\n"
                "layot: slot\n^~~~~");
  DecisionsLookup Missing({/*None=*/false, Root + "none.yaml"});
  EXPECT_NE(toString(Missing.readFor(Root + "a.cu")).find("cannot read"),
            std::string::npos);
}

} // namespace
