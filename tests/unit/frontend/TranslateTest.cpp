//===-- TranslateTest.cpp - command lines for nvcc and Clang --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Strings = std::vector<std::string>;

namespace {

CompileJob translate(Strings Command, FrontendOptions Options = {},
                     Toolkit Kit = {}, std::string Directory = "/project") {
  CompileJob Job;
  Job.File = "/project/a.cu";
  Job.Directory = Directory;
  Job.OriginalArgs = std::move(Command);
  translateCommand(Job, Options, Kit);
  return Job;
}

Strings words(llvm::StringRef Line) {
  Strings Words;
  for (llvm::StringRef Word : llvm::split(Line, ' '))
    if (!Word.empty())
      Words.push_back(Word.str());
  return Words;
}

/// One row: an nvcc command, what Clang must be given, what must be dropped.
struct Row {
  const char *Behaviour, *Args, *Kept, *Dropped;
};

const Row Rows[] = {
    {"JoinedAndSeparateIncludes",
     "-Ia -I b -I=c --include-path d --include-path=e,f",
     "-Ia -Ib -Ic -Id -Ie -If", ""},
    {"SystemIncludes", "-isystem a -isystem=b --system-include c",
     "-isystem a -isystem b -isystem c", ""},
    {"PreIncludes", "-include a.h --pre-include=b.h",
     "-include a.h -include b.h", ""},
    {"Macros",
     "-DA -D B=1 --define-macro=C --define-macro D=2 -UE -U F --undefine-macro "
     "G",
     "-DA -DB=1 -DC -DD=2 -UE -UF -UG", ""},
    {"ListsOfMacros", "-DA=1,B=2", "-DA=1 -DB=2", ""},
    {"EscapedCommaIsPartOfTheValue", "-DA=1\\,2", "-DA=1,2", ""},
    {"QuotedCommaIsPartOfTheValue", "-DA=\"1,2\"", "-DA=\"1,2\"", ""},
    {"StandardJoined", "-std=c++20", "-std=c++20", ""},
    {"StandardSeparate", "--std c++14", "-std=c++14", ""},
    {"DefaultStandard", "", "-std=gnu++17", ""},
    {"HostOptionsWithMeaning",
     "-Xcompiler -fPIC,-DA,-Ib -Xcompiler=-fno-exceptions --compiler-options "
     "-Wall",
     "-DA -Ib -fno-exceptions", "-fPIC -Wall"},
    {"HostOptionWithItsOwnValue", "-Xcompiler -include,a.h", "-include a.h",
     ""},
    {"HostOpenMPIsAMacro", "-Xcompiler -fopenmp", "-D_OPENMP=201511", ""},
    {"HostOptimisationsThatClangLacks",
     "-Xcompiler -fno-tree-vectorize,-march=native", "",
     "-fno-tree-vectorize -march=native"},
    {"OtherProgramsOptions",
     "-Xptxas -v -Xptxas=-O3 -Xcudafe --diag_suppress=1 -Xlinker -rpath "
     "-Xnvlink x -Xfatbin -compress-all",
     "",
     "-Xptxas -v -Xptxas=-O3 -Xcudafe --diag_suppress=1 -Xlinker -rpath "
     "-Xnvlink x -Xfatbin -compress-all"},
    {"RelocatableDeviceCode", "-rdc=true", "-fgpu-rdc", ""},
    {"RelocatableDeviceCodeLong", "--relocatable-device-code true", "-fgpu-rdc",
     ""},
    {"RelocatableDeviceCodeOff", "-rdc=false", "", "-rdc=false"},
    {"DeviceCompile", "-dc", "-fgpu-rdc", ""},
    {"ExtendedLambda", "--extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__", ""},
    {"ExtendedLambdaOldName", "-expt-extended-lambda",
     "-D__CUDACC_EXTENDED_LAMBDA__", ""},
    {"RelaxedConstexpr", "--expt-relaxed-constexpr",
     "-D__CUDACC_RELAXED_CONSTEXPR__", ""},
    {"FastMath", "-use_fast_math",
     "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero", ""},
    {"NoFusedMultiplyAdd", "-fmad=false", "-ffp-contract=off", ""},
    {"PerThreadStream", "-default-stream per-thread",
     "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", ""},
    {"DebugAndLineInfo", "-g -lineinfo -O3 -O 2", "", "-g -lineinfo -O3 -O 2"},
    {"DeviceDebug", "-G", "-D__CUDACC_DEBUG__", ""},
    {"Registers", "-maxrregcount=32 --maxrregcount 64", "",
     "-maxrregcount=32 --maxrregcount 64"},
    {"HostCompiler", "-ccbin g++-12 --compiler-bindir=/usr/bin", "",
     "-ccbin g++-12 --compiler-bindir=/usr/bin"},
    {"OutputsAndDependencies", "-c -o a.o -MD -MT a.o -MF a.d -x cu", "",
     "-c -o a.o -MD -MT a.o -MF a.d"},
    {"Threads", "-t 4 --threads=0 -t8", "", "-t 4 --threads=0 -t8"},
    {"Diagnostics",
     "-diag-suppress 177 --diag-suppress=20012 -Werror all-warnings -w", "",
     "-diag-suppress 177 --diag-suppress=20012 -Werror all-warnings -w"},
    {"Libraries", "-lcublas -L/opt/lib -l m -cudart static", "",
     "-lcublas -L/opt/lib -l m -cudart static"},
    {"ForwardedUnknownOptions",
     "-forward-unknown-to-host-compiler -pthread -Wextra -fvisibility=hidden",
     "-pthread",
     "-forward-unknown-to-host-compiler -Wextra -fvisibility=hidden"},
    {"HostLayout", "-Xcompiler -fpack-struct=2,-mlong-double-64",
     "-Xarch_host -fpack-struct=2 -Xarch_host -mlong-double-64", ""},
    {"OneListForTheHost",
     "-Xcompiler -I -Xcompiler inc -DA -Xcompiler=-include -Xcompiler=b.h",
     "-I inc -include b.h -DA", ""},
    {"PreprocessorOfTheHost",
     "-DB=1 -Xcompiler -Wp\\,-DA\\,-UB -Xcompiler=-Xpreprocessor,-DC",
     "-DA -UB -DC -DB=1", ""},
    {"OtherInputs", "b.o /project/a.cu a.cu", "", "b.o"},
};

class NvccRow : public ::testing::TestWithParam<Row> {};

TEST_P(NvccRow, IsTranslated) {
  const Strings Kept = words(GetParam().Kept);
  const CompileJob Job = translate(
      words(std::string("/usr/local/cuda/bin/nvcc ") + GetParam().Args));
  EXPECT_THAT(Job.ClangArgs, IsSupersetOf(Kept));
  EXPECT_EQ(Job.Dropped, words(GetParam().Dropped));
  // Nothing else, but for what every command gets.
  size_t Added = 0;
  for (const std::string &Arg : Job.ClangArgs)
    Added += Arg == "--cuda-gpu-arch=sm_90" || Arg == "-std=gnu++17";
  const bool DefaultIsTheRow = llvm::is_contained(Kept, "-std=gnu++17");
  EXPECT_EQ(Job.ClangArgs.size(), Kept.size() + Added - DefaultIsTheRow);
}

INSTANTIATE_TEST_SUITE_P(Nvcc, NvccRow, ::testing::ValuesIn(Rows),
                         [](const auto &Info) {
                           return std::string(Info.param.Behaviour);
                         });

TEST(Translate, HostOptionsInOneArgument) {
  const CompileJob Job =
      translate({"nvcc", "-Xcompiler", "-Wall -DA -fno-signed-char"});
  EXPECT_THAT(Job.ClangArgs, IsSupersetOf({"-DA", "-fno-signed-char"}));
  EXPECT_EQ(Job.Dropped, Strings{"-Wall"});
}

struct ArchRow {
  const char *Behaviour, *Args, *Arch;
};

const ArchRow ArchRows[] = {
    {"None", "", "sm_90"},
    {"Real", "-arch=sm_80", "sm_80"},
    {"Virtual", "-arch compute_86", "sm_86"},
    {"LongName", "--gpu-architecture=sm_75", "sm_75"},
    {"WithCode", "-arch=compute_70 -code=sm_70,sm_75", "sm_75"},
    {"Gencode", "-gencode arch=compute_80,code=sm_80", "sm_80"},
    {"GenerateCode", "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
     "sm_80"},
    {"HighestOfSeveral",
     "-gencode=arch=compute_120,code=sm_120 "
     "-gencode=arch=compute_80,code=sm_80",
     "sm_120"},
    {"QuotedCodes", "--generate-code arch=compute_80,code=\"sm_80,sm_86\"",
     "sm_86"},
    {"SpecificOverGeneral", "-arch=sm_90 -code=sm_90a,sm_90", "sm_90a"},
    {"Native", "-arch=native", "sm_90"},
    {"All", "-arch=all-major", "sm_90"},
};

class NvccArch : public ::testing::TestWithParam<ArchRow> {};

TEST_P(NvccArch, IsFound) {
  const CompileJob Job =
      translate(words(std::string("nvcc ") + GetParam().Args));
  EXPECT_EQ(Job.GpuArch, GetParam().Arch);
  EXPECT_THAT(Job.ClangArgs,
              Contains(std::string("--cuda-gpu-arch=") + GetParam().Arch));
  EXPECT_THAT(Job.Dropped, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Nvcc, NvccArch, ::testing::ValuesIn(ArchRows),
                         [](const auto &Info) {
                           return std::string(Info.param.Behaviour);
                         });

TEST(Translate, ArchitectureOfTheOptionsWins) {
  FrontendOptions Options;
  Options.GpuArch = "sm_86";
  EXPECT_EQ(translate({"nvcc", "-arch=sm_120"}, Options).GpuArch, "sm_86");
  EXPECT_EQ(translate({"nvcc", "-arch=sm_120"}, Options).AllGpuArchs,
            std::vector<std::string>{"sm_86"});
}

TEST(Translate, ArchitectureThatClangLacksIsParsedAsALowerOne) {
  const CompileJob Job = translate({"nvcc", "-arch=sm_9999"});
  EXPECT_EQ(Job.GpuArch, "sm_9999");
  EXPECT_THAT(Job.ClangArgs, Contains("--cuda-gpu-arch=sm_121"));
}

TEST(Translate, FamiliesOfArchitecturesAreParsedAsTheirFirst) {
  const CompileJob Job = translate({"nvcc", "-arch=sm_121f"});
  EXPECT_EQ(Job.GpuArch, "sm_121f");
  EXPECT_THAT(Job.ClangArgs,
              Contains(::testing::StartsWith("--cuda-gpu-arch=sm_121")));
}

TEST(Translate, WhatIsForTheHostsCompilerComesFirst) {
  const Strings Args = translate({"nvcc", "-DB=1", "-Xcompiler=-UB"}).ClangArgs;
  EXPECT_LT(std::ranges::find(Args, "-UB"), std::ranges::find(Args, "-DB=1"));
}

TEST(Translate, FlagsOfTheEnvironmentStandAroundThoseOfNvcc) {
  setenv("NVCC_PREPEND_FLAGS", "-DA=1 -DB", 1);
  setenv("NVCC_APPEND_FLAGS", "-UA", 1);
  const Strings Nvcc = translate({"nvcc", "-DC", "a.cu"}).ClangArgs;
  const Strings Clang = translate({"clang++", "-x", "cuda", "a.cu"}).ClangArgs;
  setenv("BANKSTRIPE_WRAPPED", "1", 1);
  const Strings Launched = translate({"nvcc", "-DC", "a.cu"}).ClangArgs;
  unsetenv("BANKSTRIPE_WRAPPED");
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_THAT(Nvcc, IsSupersetOf({"-DA=1", "-DB", "-DC", "-UA"}));
  EXPECT_LT(std::ranges::find(Nvcc, "-DC"), std::ranges::find(Nvcc, "-UA"));
  EXPECT_THAT(Clang, Not(Contains("-DB")));
  EXPECT_THAT(Launched, Not(Contains("-DB"))) << "the launcher adds them";
}

TEST(Translate, LauncherBeforeNvcc) {
  const CompileJob Job =
      translate({"/usr/bin/ccache", "/opt/cuda/bin/nvcc", "-rdc=true"});
  EXPECT_THAT(Job.ClangArgs, Contains("-fgpu-rdc"));
}

TEST(Translate, OurLauncherBeforeNvcc) {
  const CompileJob Job =
      translate({"/opt/bin/bankstripe", "wrap", "nvcc", "-rdc=true"});
  EXPECT_THAT(Job.ClangArgs, Contains("-fgpu-rdc"));
  const CompileJob WithOptions = translate(
      {"/opt/bin/bankstripe", "wrap", "--no-confirm", "nvcc", "-rdc=true"});
  EXPECT_EQ(WithOptions.ClangArgs, Job.ClangArgs);
}

TEST(Translate, OptionsFileAndResponseFile) {
  TemporaryFolder Folder;
  Folder.write("options.txt",
               "-DA -Ifirst\n-gencode arch=compute_80,code=sm_80");
  Folder.write("more.rsp", "\"-DNAME=two words\" @nested.rsp");
  Folder.write("nested.rsp", "-DNESTED");
  const CompileJob Job =
      translate({"nvcc", "--options-file", "options.txt", "@more.rsp"}, {}, {},
                Folder.path());
  EXPECT_THAT(Job.ClangArgs,
              IsSupersetOf({"-DA", "-Ifirst", "-DNAME=two words", "-DNESTED"}));
  EXPECT_EQ(Job.GpuArch, "sm_80");
}

TEST(Translate, ResponseFileThatNamesItself) {
  TemporaryFolder Folder;
  Folder.write("a.rsp", "-DA @a.rsp");
  const CompileJob Job = translate({"nvcc", "@a.rsp"}, {}, {}, Folder.path());
  EXPECT_THAT(Job.ClangArgs, Contains("-DA"));
}

TEST(Translate, ToolkitIsNamedWithItsVersion) {
  const CompileJob Job = translate(
      {"nvcc"}, {}, Toolkit{"/opt/cuda", "/opt/cuda/bin/nvcc", "12.8"});
  EXPECT_EQ(Job.CudaPath, "/opt/cuda");
  EXPECT_THAT(Job.ClangArgs, IsSupersetOf({"--cuda-path=/opt/cuda",
                                           "-D__CUDACC_VER_MAJOR__=12",
                                           "-D__CUDACC_VER_MINOR__=8"}));
}

TEST(Translate, VersionIsNotDefinedForClang) {
  const CompileJob Job =
      translate({"clang++"}, {}, Toolkit{"/opt/cuda", "", "12.8"});
  EXPECT_THAT(Job.ClangArgs, Not(Contains("-D__CUDACC_VER_MAJOR__=12")));
}

/// The folders that are searched for system headers, in their order.
static Strings systemFolders(const CompileJob &Job) {
  Strings Folders;
  for (size_t I = 0; I + 1 < Job.ClangArgs.size(); ++I)
    if (Job.ClangArgs[I] == "-isystem")
      Folders.push_back(Job.ClangArgs[I + 1]);
  return Folders;
}

// As nvcc.profile has them.
TEST(Translate, TheFolderOfTheToolkitComesFirstAndThatOfCcclLast) {
  TemporaryFolder Folder;
  Folder.write("include/cuda_runtime.h", "");
  const Toolkit Kit = {Folder.path(), "", ""};
  EXPECT_THAT(systemFolders(translate({"nvcc", "-isystem", "own"}, {}, Kit)),
              ElementsAre(Folder.path("include"), "own"));
  Folder.write("include/cccl/thrust/version.h", "");
  EXPECT_THAT(
      systemFolders(translate({"nvcc", "-isystem", "own"}, {}, Kit)),
      ElementsAre(Folder.path("include"), "own", Folder.path("include/cccl")));
}

TEST(Translate, ClangKeepsWhatAParseCanSee) {
  const CompileJob Job = translate(
      words("/usr/bin/clang++-22 -x cuda --cuda-gpu-arch=sm_70 "
            "--offload-arch=sm_89 -DA -I b -isystem c -std=c++20 -fgpu-rdc "
            "-fms-extensions -O2 -g -Wall -c a.cu -o a.o -mllvm -x=y "
            "--cuda-host-only"));
  EXPECT_THAT(Job.ClangArgs,
              ElementsAre("-DA", "-I", "b", "-isystem", "c", "-std=c++20",
                          "-fgpu-rdc", "-fms-extensions",
                          "--cuda-gpu-arch=sm_89"));
  EXPECT_EQ(Job.GpuArch, "sm_89");
  EXPECT_THAT(Job.Dropped, ElementsAre("-O2", "-g", "-Wall", "-c", "-o", "a.o",
                                       "-mllvm", "-x=y"));
}

TEST(Translate, OptionsWithoutACompilerAreReadAsWhatTheyLookLike) {
  EXPECT_THAT(translate({"-rdc=true"}).ClangArgs, Contains("-fgpu-rdc"));
  EXPECT_THAT(
      translate({"--cuda-gpu-arch=sm_80", "-ffast-math"}).ClangArgs,
      AllOf(Contains("-ffast-math"), Contains("--cuda-gpu-arch=sm_80")));
}

} // namespace

// What is planned must be there on each of them.
TEST(Translate, AllArchitecturesAreKept) {
  EXPECT_EQ(translate({"nvcc", "-gencode=arch=compute_90,code=sm_90",
                       "-gencode", "arch=compute_75,code=[sm_75,compute_75]"})
                .AllGpuArchs,
            (std::vector<std::string>{"sm_75", "sm_90"}));
  EXPECT_TRUE(translate({"nvcc"}).AllGpuArchs.empty());
}

// Which ones that are is for nvcc to say; predictions are for the usual one.
TEST(Translate, AllArchitectures) {
  auto Kit = findToolkit("");
  if (!Kit || Kit->Nvcc.empty())
    GTEST_SKIP() << "no nvcc here";
  auto Translated = [&](const char *Option) {
    CompileJob Job;
    Job.File = "/a.cu";
    Job.Directory = "/";
    Job.OriginalArgs = {"nvcc", Option, "-c", "a.cu"};
    translateCommand(Job, FrontendOptions(), *Kit);
    return Job;
  };
  const CompileJob All = Translated("-arch=all");
  EXPECT_TRUE(llvm::is_contained(All.AllGpuArchs, "sm_90"));
  EXPECT_TRUE(llvm::is_contained(All.AllGpuArchs, "sm_89"));
  EXPECT_EQ(All.GpuArch, "sm_90");
  const CompileJob Major = Translated("-arch=all-major");
  EXPECT_TRUE(llvm::is_contained(Major.AllGpuArchs, "sm_90"));
  EXPECT_FALSE(llvm::is_contained(Major.AllGpuArchs, "sm_89"));
  EXPECT_LT(Major.AllGpuArchs.size(), All.AllGpuArchs.size());
}
