//===-- CommandTest.cpp - what kind of command a launcher is given --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Command.h"
#include "llvm/ADT/SmallVector.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using Words = std::vector<std::string>;

static CompilerCommand read(llvm::StringRef Line) {
  llvm::SmallVector<llvm::StringRef, 16> Parts;
  Line.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  Words Result;
  for (llvm::StringRef Part : Parts)
    Result.push_back(Part.str());
  return readCompilerCommand(Result, "/");
}

static bool isCompile(llvm::StringRef Line) {
  return read(Line).WhyNot.empty();
}

TEST(Command, NamesInputAndOutput) {
  const CompilerCommand C = read("nvcc -arch=sm_90 -c src/a.cu -o obj/a.o");
  EXPECT_EQ(C.WhyNot, "");
  EXPECT_EQ(C.Input, "src/a.cu");
  EXPECT_EQ(C.Output, "obj/a.o");
  EXPECT_TRUE(C.IsNvcc);
}

TEST(Command, TheOutputFollowsFromTheInput) {
  EXPECT_EQ(read("nvcc -c src/a.cu").Output, "a.o");
  EXPECT_EQ(read("nvcc -ptx src/a.cu").Output, "a.ptx");
  EXPECT_EQ(read("nvcc -c src/a.cu -odir obj").Output, "obj/a.o");
}

TEST(Command, ValuesOfOptionsAreNoInputs) {
  EXPECT_EQ(read("nvcc -include first.cu -ccbin g++ -c a.cu -o a.o").Input,
            "a.cu");
  EXPECT_EQ(read("clang++ -x cuda -include first.cu -c a.cu -o a.o").Input,
            "a.cu");
  EXPECT_EQ(read("clang++ -serialize-diagnostics d.cu -c a.cu -o a.o").Input,
            "a.cu");
}

TEST(Command, ObjectsMayStandBesideTheSource) {
  EXPECT_EQ(read("nvcc a.cu main.o -lcuda -o program").Input, "a.cu");
}

TEST(Command, LaunchersMayStandBeforeTheCompiler) {
  const CompilerCommand C = read("ccache /opt/cuda/bin/nvcc -c a.cu -o a.o");
  EXPECT_EQ(C.Compiler, 1u);
  EXPECT_EQ(C.Input, "a.cu");
  for (const char *Start :
       {"env A=1 ccache", "env -u X", "env CUDACXX=/opt/bin/nvcc",
        "cmake -E env A=1 --unset=B ccache", "cmake -E env --", "cmake -E time",
        "nice -n 5", "timeout -k 5 100", "taskset -c 0", "stdbuf -o L",
        "chrt -f 10", "setarch x86_64 -R", "strace -o nvcc", "distcc"}) {
    for (const char *Compiler :
         {"nvcc", "/opt/cuda-13.0/bin/nvcc", "nvcc-12.4", "nvcc_wrapper"}) {
      const CompilerCommand C = read(std::string(Start) + " " + Compiler +
                                     " -ccbin clang++ -c a.cu -o a.o");
      EXPECT_EQ(C.WhyNot, "") << Start;
      EXPECT_EQ(C.Words[C.Compiler], Compiler) << Start;
    }
    EXPECT_FALSE(read(std::string(Start) + " clang++-22 -c a.cu").IsNvcc);
  }
}

TEST(Command, AnArgumentIsNoCompiler) {
  for (const char *Line :
       {"hipcc -ccbin nvcc -c a.cu", "hipcc -c a.cu -o nvcc",
        "hipcc -o bin/nvcc -c a.cu", "hipcc -I nvcc -I/opt/nvcc -c a.cu",
        "hipcc -c nvcc.cu -o nvcc.o", "cp nvcc.txt a.cu"})
    EXPECT_NE(read(Line).WhyNot, "") << Line;
}

TEST(Command, WhatCouldBeRewrittenIsToldFromTheRest) {
  EXPECT_EQ(read("nvcc -x cu -c -").Sources, Words{"-"});
  EXPECT_EQ(read("nvcc -MD -c a.cu b.cu").Sources.size(), 2u);
  EXPECT_EQ(read("hipcc -c a.cu").Sources, Words{"a.cu"});
  for (const char *Line : {"nvcc -c a.cpp", "nvcc -E a.cu", "nvcc a.o -o a"})
    EXPECT_TRUE(read(Line).Sources.empty()) << Line;
}

TEST(Command, TheWrapperOfKokkosCompilesCuda) {
  const CompilerCommand C = read("nvcc_wrapper -c a.cpp lib.so.1 -o a.o");
  EXPECT_EQ(C.Sources, Words{"a.cpp"});
  EXPECT_EQ(C.AllArgs,
            (Words{"-x", "cu", "-c", "a.cpp", "lib.so.1", "-o", "a.o"}));
  EXPECT_FALSE(isCompile("nvcc_wrapper --host-only -c a.cpp -o a.o"));
  EXPECT_FALSE(isCompile("nvcc_wrapper -x c++ -c a.cpp -o a.o"));
}

TEST(Command, SourcesMayLieInSeveralFolders) {
  EXPECT_TRUE(read("nvcc a/x.cu a/y.cu b/z.o libx.so.1").OneFolder);
  EXPECT_FALSE(read("nvcc a/x.cu b/y.cu").OneFolder);
  EXPECT_FALSE(read("nvcc a/x.cu b/y.cpp").OneFolder);
}

TEST(Command, LanguagesAreObeyed) {
  EXPECT_TRUE(isCompile("nvcc -x cu -c a.cpp -o a.o"));
  EXPECT_TRUE(isCompile("clang++ -x cuda -c a.cpp -o a.o"));
  EXPECT_FALSE(isCompile("nvcc -x c++ -c a.cu -o a.o"));
  EXPECT_FALSE(isCompile("nvcc -c a.cpp -o a.o"));
}

TEST(Command, OtherPhasesAreNoCompiles) {
  for (const char *Option : {"-M", "-MM", "-E", "--preprocess", "-dlink",
                             "--device-link", "-lib", "--dryrun", "-optix-ir"})
    EXPECT_FALSE(isCompile(std::string("nvcc a.cu ") + Option)) << Option;
  for (const char *Option : {"-ptx", "-cubin", "-fatbin", "-dc", "-c"})
    EXPECT_TRUE(isCompile(std::string("nvcc a.cu ") + Option)) << Option;
}

TEST(Command, OtherCompilersAreLeftAlone) {
  EXPECT_FALSE(isCompile("g++ -c a.cu -o a.o"));
  EXPECT_TRUE(isCompile("wrapper -x cuda -c a.cc -o a.o"));
}

TEST(Command, SeveralSourcesAreSeveralCommands) {
  const auto All = oneBySource(read("nvcc -Ia a.cu b.cu c.cpp d.o -o program"));
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[1].Input, "b.cu");
  EXPECT_EQ(All[1].AllArgs, (Words{"-Ia", "b.cu", "d.o", "-o", "program"}));
  EXPECT_EQ(All[1].Output, "program.b");
  EXPECT_FALSE(All[1].WholeProgram);
  EXPECT_EQ(oneBySource(read("nvcc -c a.cu -o a.o")).front().Output, "a.o");
}

TEST(Command, SourcesAreLeftAloneThatAreNotToldApart) {
  EXPECT_FALSE(isCompile("nvcc -x cu -c -"));
  EXPECT_FALSE(isCompile("nvcc -c a/x.cu b/x.cu"));
  EXPECT_FALSE(isCompile("nvcc -MD -c a.cu b.cu"));
}

TEST(Command, TheEnvironmentAddsArguments) {
  const CompilerCommand C =
      readCompilerCommand({"nvcc", "-c", "a.cu"}, "/", "-Ia", "-rdc=true");
  EXPECT_EQ(C.AllArgs, (Words{"-Ia", "-c", "a.cu", "-rdc=true"}));
  EXPECT_EQ(C.Folders.Any, Words{"a"});
  EXPECT_EQ(C.Args, (Words{"-c", "a.cu"}));
  IncludeFolders Folders = C.Folders;
  Folders.addFromEnvironment("");
  EXPECT_EQ(Folders.Any, Words{"a"});
  Folders.addFromEnvironment("b:");
  EXPECT_EQ(Folders.Any, (Words{"a", "b", "."}));
}

TEST(Command, ASourceThatIsLinkedAloneIsTheProgram) {
  EXPECT_TRUE(read("nvcc -O3 a.cu -o a -lm").WholeProgram);
  EXPECT_FALSE(read("nvcc a.cu main.o -o a").WholeProgram);
  EXPECT_FALSE(read("nvcc -c a.cu -o a.o").WholeProgram);
  EXPECT_FALSE(read("nvcc -shared a.cu -o a.so").WholeProgram);
  EXPECT_FALSE(read("nvcc -rdc=true a.cu -o a").WholeProgram);
  EXPECT_FALSE(read("nvcc -Xcompiler -fPIC,-shared a.cu -o a.so").WholeProgram);
  EXPECT_FALSE(read("nvcc -Xcompiler=-Wl,-shared a.cu").WholeProgram);
  EXPECT_FALSE(read("nvcc -Xlinker -r a.cu -o a.o").WholeProgram);
  EXPECT_FALSE(read("nvcc -Xlinker host.o a.cu -o a").WholeProgram);
  EXPECT_FALSE(read("nvcc a.cu -L. -lhost -o a").WholeProgram);
  EXPECT_FALSE(read("nvcc a.cu -L. -lcustom -o a").WholeProgram);
  EXPECT_TRUE(read("nvcc -Xcompiler -Wall,-O2 a.cu -lcublas -Xlinker "
                   "-rpath,/opt/lib -o a")
                  .WholeProgram);
}

TEST(Command, ModulesAreNoObjects) {
  EXPECT_TRUE(read("nvcc -cubin a.cu").MakesModule);
  EXPECT_FALSE(read("nvcc -c a.cu").MakesModule);
}

TEST(Command, FoldersAreInOrder) {
  const CompilerCommand C =
      read("nvcc -Ia -I b --include-path=c,d -iquote e -c a.cu");
  EXPECT_EQ(C.Folders.Any, (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(C.Folders.Quote, Words{"e"});
  const CompilerCommand HandedOn =
      read("nvcc -Xcompiler -Ia,-iquote,b -c a.cu");
  EXPECT_EQ(HandedOn.Folders.Any, Words{"a"});
  EXPECT_EQ(HandedOn.Folders.Quote, Words{"b"});
}

TEST(Command, DependenciesGoWhereTheCommandSays) {
  EXPECT_EQ(read("nvcc -MD -MF x.d -c a.cu -o a.o").Depfiles, Words{"x.d"});
  EXPECT_EQ(read("nvcc -MMD -c a.cu -o obj/a.o").Depfiles.front(), "obj/a.d");
  EXPECT_TRUE(read("nvcc -c a.cu -o a.o").Depfiles.empty());
}

TEST(Command, TheInputIsReplaced) {
  EXPECT_EQ(compileInstead(read("nvcc -MT a.cu -c a.cu -o a.o"),
                           {{"a.cu", "b.cu"}}, {}),
            (Words{"nvcc", "-MT", "a.cu", "-c", "b.cu", "-o", "a.o"}));
  EXPECT_EQ(compileInstead(read("ccache nvcc a.cu -o a.cu"), {{"a.cu", "b.cu"}},
                           {"-I."}),
            (Words{"ccache", "nvcc", "-I.", "b.cu", "-o", "a.cu"}));
  EXPECT_EQ(compileInstead(read("nvcc a.cu b.cu c.cu"),
                           {{"a.cu", "d.cu"}, {"c.cu", "e.cu"}}, {}),
            (Words{"nvcc", "d.cu", "b.cu", "e.cu"}));
}
