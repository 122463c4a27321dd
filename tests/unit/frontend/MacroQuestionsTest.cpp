//===-- MacroQuestionsTest.cpp - macros that only nvcc knows --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "frontend/NvccCommand.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// Whether the file of Job is read, and with ForHost for the host, too.
bool isRead(const CompileJob &Job, bool ForHost = false) {
  std::string Messages;
  llvm::raw_string_ostream OS(Messages);
  HostView Host = HostView::Same;
  auto Outcome = parseUnit(Job, OS, [&](ParsedUnit &Unit) {
    Host = Unit.readForHost([](ParsedUnit &) {});
  });
  llvm::consumeError(Outcome.takeError());
  return bool(Outcome) && (!ForHost || Host == HostView::Read);
}

/// The same of Code, without nvcc and without a header.
bool isRead(llvm::StringRef Code, const std::vector<std::string> &Args = {}) {
  TemporaryFolder Folder;
  CompileJob Job = builtinJob(Folder.write("a.cu", Code));
  Job.OriginalArgs = {"nvcc"};
  Job.ClangArgs.insert(Job.ClangArgs.end(), Args.begin(), Args.end());
  return isRead(Job);
}

/// With nvcc, where there is one.
class MacroQuestionsToNvcc : public ::testing::Test {
protected:
  void SetUp() override {
    auto Found = findToolkit("");
    ASSERT_TRUE(bool(Found));
    Kit = *Found;
    if (Kit.Nvcc.empty())
      GTEST_SKIP() << "no nvcc here";
  }

  CompileJob jobOf(const std::string &Code,
                   std::vector<std::string> Args = {}) {
    CompileJob Job;
    Job.File = Folder.write("a.cu", Code);
    Job.Directory = "/";
    Job.OriginalArgs = {"nvcc", "-arch=sm_90"};
    Job.OriginalArgs.insert(Job.OriginalArgs.end(), Args.begin(), Args.end());
    translateCommand(Job, FrontendOptions(), Kit);
    return Job;
  }

  Toolkit Kit;
  TemporaryFolder Folder;
};

} // namespace

// Headers refuse the GCC 4.2 that Clang says it is.
TEST(MacroQuestions, TheVersionOfTheLibraryIsShownWithoutNvcc) {
  EXPECT_TRUE(isRead("#include <vector>\n#if __GNUC__ < 9\n#error\n"
                     "#endif\n"));
}

TEST(MacroQuestions, AreNotAboutMacrosOfTheUser) {
  EXPECT_TRUE(isRead("#if FAST != 2\n#error\n#endif\n", {"-DFAST=2"}));
  EXPECT_TRUE(isRead("#undef __GNUC__\n#define __GNUC__ 3\n"
                     "#if __GNUC__ != 3\n#error\n#endif\n"));
}

TEST_F(MacroQuestionsToNvcc, AreAnsweredByNvcc) {
  EXPECT_TRUE(isRead(
      jobOf("#if __GNUC__ == 4 || !defined(__GNUC__)\n#error GNUC\n#endif\n"
            "#ifdef __llvm__\n#error llvm\n#endif\n"
            "#ifdef __OPTIMIZE__\n#error OPTIMIZE\n#endif\n"
            "#if __CUDACC_RDC__ != 1\n#error RDC\n#endif\n"
            "#ifdef __has_feature\n#error has_feature\n#endif\n"
            "#define GCC __GNUC__\n#if GCC == 4\n#error GCC\n#endif\n"
            "#include <vector>\nstd::vector<int> v;\n",
            {"-rdc=true"})));
}

TEST_F(MacroQuestionsToNvcc, OfAllKindsTakeOneMoreParse) {
  ReadCounter Watch(Folder.write(
      "asks.h", "#if __GNUC__ == 4\n#error GNUC\n#endif\nint a;\n"
                "#ifdef __llvm__\n#error llvm\n#endif\nint b;\n"
                "#ifdef __OPTIMIZE__\n#error OPTIMIZE\n#endif\nint c;\n"
                "#if __CUDACC_RDC__ != 1\n#error RDC\n#endif\nint d;\n"));
  const CompileJob Job = jobOf("#include \"asks.h\"\n", {"-rdc=true"});
  EXPECT_TRUE(bool(parseUnit(Job, llvm::nulls(), [](ParsedUnit &) {}, &Watch)));
  EXPECT_EQ(Watch.Reads, 2u);
}

// Headers of Clang would not know what they are compiled by.
TEST_F(MacroQuestionsToNvcc, OfSystemHeadersAreAnsweredByClang) {
  Folder.write("asks.h", "#pragma GCC system_header\n"
                         "#ifndef __llvm__\n#error\n#endif\n");
  EXPECT_TRUE(isRead(jobOf("#ifdef __llvm__\n#error\n#endif\n"
                           "#include \"asks.h\"\n"
                           "#ifdef __llvm__\n#error\n#endif\n")));
}

// Libraries make numbers by what they ask, and ask much that is no number.
TEST_F(MacroQuestionsToNvcc, OfFoldersThatAreGivenAreAnsweredByNvcc) {
  Folder.write("system/asks.h",
               "#if !defined(__NVCC__) || defined(__llvm__)\n#error\n#endif\n"
               "#if __has_builtin(__builtin_clz)\n#endif\n");
  EXPECT_TRUE(isRead(
      jobOf("#include <asks.h>\n", {"-isystem", Folder.path("system")})));
}

// Which Clang includes by itself.
TEST_F(MacroQuestionsToNvcc, WithTheCommandsValueWhereAHeaderHasAnother) {
  EXPECT_TRUE(isRead(
      jobOf("static_assert(THREAD_NUM == 512, \"curand_mtgp32.h has 256\");\n",
            {"-DTHREAD_NUM=512"})));
}

TEST_F(MacroQuestionsToNvcc, OfTheHostAreAnsweredForTheHost) {
  EXPECT_TRUE(isRead(jobOf("#ifdef CUDA_DOUBLE_MATH_FUNCTIONS\n"
                           "int device = __CUDA_ARCH__;\n#else\n"
                           "#ifdef __CUDA_ARCH__\n#error\n#endif\n#endif\n"),
                     /*ForHost=*/true));
}

TEST(NvccMacros, AreReadFromWhatThePreprocessorPrints) {
  const CompilerMacros Macros = readMacros("# 0 \"<built-in>\"\n"
                                           "#define __GNUC__ 12\n"
                                           "#define __INT8_C(c) c\n"
                                           "#define EMPTY\n"
                                           "#define GONE 1\n"
                                           "# 1 \"a.h\" 1\n"
                                           "#define A_H 1\n"
                                           "#undef GONE\n"
                                           "# 0 \"<command-line>\" 2\n"
                                           "#define N 3 + 4\n"
                                           "int x;\n");
  EXPECT_EQ(Macros.size(), 5u);
  EXPECT_EQ(Macros.lookup("__GNUC__").Body, "12");
  EXPECT_TRUE(Macros.lookup("__GNUC__").IsPredefined);
  EXPECT_EQ(Macros.lookup("__INT8_C").Parameters, "(c)");
  EXPECT_EQ(Macros.lookup("__INT8_C").Body, "c");
  EXPECT_EQ(Macros.lookup("EMPTY").Body, "");
  EXPECT_EQ(Macros.lookup("N").Body, "3 + 4");
  EXPECT_TRUE(Macros.lookup("N").IsPredefined);
  EXPECT_FALSE(Macros.lookup("A_H").IsPredefined);
}

// sm_90a has what sm_90 has not.
TEST_F(MacroQuestionsToNvcc, WhatAnArchitectureAloneHasIsDefinedForTheDevice) {
  EXPECT_TRUE(
      isRead(jobOf("#ifdef __CUDA_ARCH__\n#ifndef __CUDA_ARCH_FEAT_SM90_ALL\n"
                   "#error\n#endif\n#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)\n"
                   "#error\n#endif\n",
                   {"-arch=sm_90a"}),
             /*ForHost=*/true));
}
