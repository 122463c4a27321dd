//===-- ForeignCommandTest.cpp - what a project's command may do ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/ForeignCommand.h"
#include "FrontendTester.h"
#include "frontend/CommandLine.h"
#include "frontend/NvccCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Strings = std::vector<std::string>;

static ForeignCommand read(const char *Compiler, const Strings &Args,
                           llvm::StringRef Directory = "/") {
  Strings Command{Compiler};
  llvm::append_range(Command, Args);
  return readForeignCommand(Command, Directory);
}

static Strings refused(const Strings &Args, const char *Compiler = "nvcc") {
  return read(Compiler, Args).Refused;
}

TEST(ForeignCommand, UsualOptionsStay) {
  Strings Args;
  for (llvm::StringRef Word : llvm::split(
           "-std=c++17 -O3 -isystem /usr/include -arch=sm_90 -gencode "
           "arch=compute_90,code=[sm_90,compute_90] -Xcompiler "
           "-fPIC,-Wall,-Wextra,-march=native -Xptxas "
           "-v,-dlcm=ca,-O3,-maxrregcount=32 -Xcudafe --diag_suppress=177 "
           "--expt-relaxed-constexpr -allow-unsupported-compiler -lineinfo "
           "-rdc=true -fvisibility=hidden -diag-suppress 177,20012 -MD -MF a.d "
           "-c -o a.o -x cu /src/a.cu",
           ' '))
    Args.push_back(Word.str());
  llvm::append_range(Args, Strings{"-DNAME=\"x y\"", "-Iinclude dir",
                                   "-Xcompiler", "-fopenmp -pthread"});
  const ForeignCommand Result = read("nvcc", Args);
  EXPECT_THAT(Result.Refused, IsEmpty());
  EXPECT_THAT(Result.OnlyForClang, IsEmpty());
  Strings Expected{"nvcc"};
  llvm::append_range(Expected, Args);
  EXPECT_THAT(Result.Words, ElementsAreArray(Expected));
}

TEST(ForeignCommand, ProgramsToRunAreRefused) {
  for (const Strings &Args : std::vector<Strings>{
           {"-ccbin", "./evil"},
           {"-ccbin=./evil"},
           {"--compiler-bindir", "./evil"},
           {"--compiler-bindir=./evil"},
           {"-wrapper=./evil"},
           {"-B./evil"},
           {"-specs=evil"},
           {"--specs=evil"},
           {"-fplugin=evil.so"},
           {"-fplugin-arg-evil-a=b"},
           {"-fpass-plugin=evil.so"},
           {"-fmodule-mapper=|evil"},
           {"-fuse-ld=./evil"},
           {"-ldir", "evil"},
           {"-qpp-config=evil"},
           {"-dont-use-profile"},
           {"-e", "$(touch evil)"},
           {"-sanitize=`touch evil`"},
           {"-e", "a;touch evil"},
           {"-maxrregcount", "-ccbin=./evil"},
           {"@evil.rsp"},
           {"-D", "@evil.rsp"},
       })
    EXPECT_EQ(refused(Args), Args) << llvm::join(Args, " ");
}

// Whoever reads the project would run it, too.
TEST(ForeignCommand, AHostCompilerOfTheUserStays) {
  TemporaryFolder Folder;
  for (const char *Name : {"g++", "other", "elsewhere/g++"}) {
    const std::string File = Folder.write(Name, "#!/bin/sh\n");
    ASSERT_FALSE(llvm::sys::fs::setPermissions(File, llvm::sys::fs::all_all));
  }
  const std::string Before = getenv("PATH");
  setenv("PATH", Folder.path().c_str(), 1);
  const std::string Found = Folder.path("g++"), Other = Folder.path("other");
  for (const Strings &Args : std::vector<Strings>{{"-ccbin", "g++"},
                                                  {"-ccbin=" + Found},
                                                  {"--compiler-bindir", Found}})
    EXPECT_THAT(read("nvcc", Args).Words,
                ElementsAre("nvcc", "-ccbin=" + Found));
  // None of its name is a compiler; it lies elsewhere; it is no program.
  for (const std::string &Value :
       {Other, std::string("other"), Folder.path("elsewhere/g++"),
        std::string("elsewhere/g++"), std::string("gcc")})
    EXPECT_THAT(refused({"-ccbin", Value}), ElementsAre("-ccbin", Value));
  setenv("CC", Other.c_str(), 1);
  EXPECT_THAT(refused({"-ccbin", Other}), IsEmpty());
  // Paths that mean something else in another folder.
  setenv("CC", "./other", 1);
  EXPECT_THAT(refused({"-ccbin", Other}), ElementsAre("-ccbin", Other));
  unsetenv("CC");
  // Nobody has a compiler of such a name, whatever is on PATH.
  const std::string Named = Folder.write("x-cc", "#!/bin/sh\n");
  ASSERT_FALSE(llvm::sys::fs::setPermissions(Named, llvm::sys::fs::all_all));
  EXPECT_THAT(refused({"-ccbin", "x-cc"}), ElementsAre("-ccbin", "x-cc"));
  setenv("PATH", Before.c_str(), 1);
}

TEST(ForeignCommand, OfAListWhatIsHarmlessStays) {
  struct {
    Strings Args, Refused, Kept;
  } const Rows[] = {
      {{"-Xcompiler", "-wrapper,./evil"}, {"-Xcompiler=-wrapper,./evil"}, {}},
      {{"-Xcompiler", "-fPIC -wrapper ./evil"},
       {"-Xcompiler=-wrapper,./evil"},
       {"-Xcompiler=-fPIC"}},
      {{"-Xcompiler=-B./evil,-DA"},
       {"-Xcompiler=-B./evil"},
       {"-Xcompiler=-DA"}},
      {{"-Xcompiler", "-fplugin=e.so"}, {"-Xcompiler=-fplugin=e.so"}, {}},
      {{"-Xcompiler", "-Wp,-MD,out"},
       {"-Xcompiler=-MD,out"},
       {"-Xcompiler=-Wp"}},
      {{"-Xcompiler", "\"-Wp,-MD,out\""}, {"-Xcompiler=-Wp,-MD,out"}, {}},
      {{"-Xcompiler", "-fdump-tree-all=out"},
       {"-Xcompiler=-fdump-tree-all=out"},
       {}},
      {{"-Xcompiler", "-Wall;evil"}, {"-Xcompiler=-Wall;evil"}, {}},
      {{"-Xptxas", "-v,-o,out"}, {"-Xptxas=-o,out"}, {"-Xptxas=-v"}},
      {{"-Xptxas", "--output-file=out"}, {"-Xptxas=--output-file=out"}, {}},
      {{"-Xcudafe", "--list=out"}, {"-Xcudafe=--list=out"}, {}},
  };
  for (const auto &Row : Rows) {
    const ForeignCommand Result = read("nvcc", Row.Args);
    EXPECT_EQ(Result.Refused, Row.Refused) << llvm::join(Row.Args, " ");
    EXPECT_EQ(Strings(Result.Words.begin() + 1, Result.Words.end()), Row.Kept)
        << llvm::join(Row.Args, " ");
  }
}

TEST(ForeignCommand, WhatResponseFilesSayIsReadLikeTheRest) {
  TemporaryFolder Folder;
  Folder.write("a.rsp", "-DA --options-file b.rsp");
  Folder.write("b.rsp", "-ccbin ./evil -DB");
  const ForeignCommand Result = read("nvcc", {"@a.rsp"}, Folder.path());
  EXPECT_THAT(Result.Words, ElementsAre("nvcc", "-DA", "-DB"));
  EXPECT_THAT(Result.Refused, ElementsAre("-ccbin", "./evil"));
}

TEST(ForeignCommand, ClangIsGivenNothingThatLoadsOrWrites) {
  for (const Strings &Args : std::vector<Strings>{
           {"-Xclang", "-load"},
           {"-Xclang", "-dependency-file"},
           {"-Bevil"},
           {"-fprebuilt-module-path=evil"},
           {"-Xarch_device", "-fplugin=evil.so"},
       })
    EXPECT_EQ(refused(Args, "clang++"), Args) << llvm::join(Args, " ");
  EXPECT_THAT(refused({"-Xarch_device", "-DA", "-ffast-math", "-DB=\"b\"",
                       "--offload-arch=sm_90", "-xcuda", "-c", "a.cu"},
                      "clang++"),
              IsEmpty());
}

// How a source is read must not depend on what a shell would make of it.
TEST(ForeignCommand, WhatAShellWouldReadIsForClangOnly) {
  for (const char *Compiler : {"nvcc", "clang++"})
    for (const char *Macro : {"-DA=$(touch evil)", "-DA=`touch evil`",
                              "-DA=\\\"", "-Ia\"`touch evil`\"", "-DA,@evil"}) {
      const ForeignCommand Result = read(Compiler, {Macro});
      EXPECT_THAT(Result.Words, ElementsAre(Compiler, Macro));
      EXPECT_THAT(Result.OnlyForClang, ElementsAre(Macro));
      CompileJob Job;
      Job.File = "/src/a.cu";
      EXPECT_FALSE(bool(checkForNvcc(Job, Job.File, {})));
      Job.OnlyForClang = Macro;
      EXPECT_THAT(toString(checkForNvcc(Job, Job.File, {})),
                  HasSubstr("--trust-commands"));
    }
}

TEST(ForeignCommand, NvccIsNotAskedAboutNamesThatAShellWouldRead) {
  for (const char *Name :
       {"$(touch evil)", "`touch evil`", "\";touch evil;\"", "\\", "a\nb"}) {
    CompileJob Job;
    Job.File = std::string("/src/") + Name + ".cu";
    EXPECT_THAT(toString(checkForNvcc(Job, "/tmp/a.cu", {})),
                HasSubstr("to a shell; rename it"));
    Job.File = "/src/a.cu";
    EXPECT_TRUE(bool(checkForNvcc(Job, Job.File, {std::string("-I") + Name})));
  }
  CompileJob Job;
  Job.File = "/src/dir (x)/it's a;b.cu";
  EXPECT_FALSE(bool(checkForNvcc(Job, Job.File, {})));
}

TEST(ForeignCommand, ADatabaseIsTrustedWhenTheUserSaysSo) {
  TemporaryFolder Folder;
  const std::string File = Folder.write("a.cu", "");
  Folder.write("compile_commands.json",
               "[{\"directory\": \"" + Folder.path() +
                   "\", \"file\": \"a.cu\", \"command\": "
                   "\"nvcc -ccbin ./evil -DA a.cu\"}]");
  FrontendOptions Options;
  Options.DatabaseDirectory = Folder.path();
  auto Jobs = collectJobs({File}, Options);
  ASSERT_TRUE(bool(Jobs));
  EXPECT_THAT(Jobs->front().OriginalArgs, Not(Contains("-ccbin")));
  EXPECT_EQ(Jobs->front().Refused, "-ccbin ./evil");
  Options.ExtraArgs = {"-ccbin=mine"};
  Jobs = collectJobs({File}, Options);
  ASSERT_TRUE(bool(Jobs));
  EXPECT_THAT(Jobs->front().OriginalArgs, Contains("-ccbin=mine"));
  Options.TrustsCommands = true;
  Jobs = collectJobs({File}, Options);
  ASSERT_TRUE(bool(Jobs));
  EXPECT_THAT(Jobs->front().OriginalArgs, Contains("./evil"));
  EXPECT_EQ(Jobs->front().Refused, "");
}
