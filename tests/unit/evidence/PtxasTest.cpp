//===-- PtxasTest.cpp - commands for nvcc and reports of ptxas ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "evidence/Ptxas.h"
#include "contract/Process.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace llvm;

namespace {

// What ptxas says of a kernel, of what it or a function has on the stack, and
// of what a kernel takes.
std::string entry(const std::string &Name, const std::string &Arch = "sm_90") {
  return "ptxas info    : Compiling entry function '" + Name + "' for '" +
         Arch + "'\n";
}
std::string properties(const std::string &Name, unsigned Frame,
                       unsigned Spilled = 0) {
  const std::string Bytes = std::to_string(Spilled);
  return "ptxas info    : Function properties for " + Name + "\n    " +
         std::to_string(Frame) + " bytes stack frame, " + Bytes +
         " bytes spill stores, " + Bytes + " bytes spill loads\n";
}
std::string used(const std::string &What) {
  return "ptxas info    : Used " + What + "\n";
}

TEST(PtxasReport, ReadsEveryNumberOfAKernel) {
  ResourceTable T = parsePtxasReport(R"(
ptxas info    : 3 bytes gmem
ptxas info    : Compiling entry function '_Z2k2PKiPiii' for 'sm_90'
ptxas info    : Function properties for _Z2k2PKiPiii
    256 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 26 registers, used 1 barriers, 256 bytes cumulative stack size, 400 bytes smem, 376 bytes cmem[0]
ptxas info    : Compile time = 12.567 ms
)");
  ASSERT_EQ(T.size(), 1u);
  const KernelResources &R = T["_Z2k2PKiPiii"];
  EXPECT_EQ(R.StackFrame, 256u);
  EXPECT_EQ(R.SpillStores, 12u);
  EXPECT_EQ(R.SpillLoads, 16u);
  EXPECT_EQ(R.Registers, 26u);
  EXPECT_EQ(R.SharedBytes, 400u);
}

TEST(PtxasReport, FunctionsHaveRowsOfTheirOwn) {
  ResourceTable T = parsePtxasReport(
      properties("_Z1fPii$1", 8, 4) + entry("k") + properties("k", 16) +
      properties("_Z1fPii", 99, 1) + used("10 registers"));
  ASSERT_EQ(T.size(), 3u);
  EXPECT_EQ(T["_Z1fPii$1"].StackFrame, 8u);
  EXPECT_EQ(T["_Z1fPii"].StackFrame, 99u);
  EXPECT_EQ(T["_Z1fPii"].SpillStores, 1u);
  EXPECT_EQ(T["k"].StackFrame, 16u);
  EXPECT_EQ(T["k"].SpillStores, 0u);
  EXPECT_EQ(T["k"].Registers, 10u);
  EXPECT_EQ(T["k"].SharedBytes, 0u);
}

TEST(FirstError, IsTheLineThatSaysSo) {
  EXPECT_EQ(firstErrorIn("\na.cu(1): warning #177-D: unused\n"
                         "  a.cu(2): error: expected a \";\"\n1 error\n"),
            "a.cu(2): error: expected a \";\"");
  EXPECT_EQ(firstErrorIn("nvcc fatal   : unknown option\n"),
            "nvcc fatal   : unknown option");
  EXPECT_EQ(firstErrorIn("\nno such thing\nmore\n"), "no such thing");
  EXPECT_EQ(firstErrorIn(""), "");
}

// `sum::sum`, whose first `3sum` is the namespace.
TEST(ForKernels, FindsTheVersionBesideAKernel) {
  Kernel K;
  K.Id = "_ZN3sum3sumEPi";
  ResourceTable Reported;
  Reported["_ZN3sum3sumEPi"].Registers = 10;
  Reported["_ZN3sum11sum_stripedEPi"].Registers = 20;
  EXPECT_EQ(forKernels(Reported, {K})[K.Id].Registers, 10u);
  EXPECT_EQ(forKernels(Reported, {K}, {K.Id})[K.Id].Registers, 20u);
  Reported.erase("_ZN3sum11sum_stripedEPi");
  EXPECT_EQ(forKernels(Reported, {K}, {K.Id})[K.Id].Registers, 10u);
}

// Of a template, whose launches all name the version.
TEST(ForKernels, TakesTheVersionOfAnInstanceThatIsNotCompiled) {
  Kernel K;
  K.Id = "_Z1kILi0EEvPi";
  ResourceTable Reported;
  Reported["_Z9k_stripedILi0EEvPi"].Registers = 20;
  EXPECT_EQ(forKernels(Reported, {K}, {K.Id})[K.Id].Registers, 20u);
  EXPECT_EQ(forKernels(Reported, {K}).count(K.Id), 0u);
}

// As nvcc and Clang name a kernel in an anonymous namespace, and a static one.
TEST(ForKernels, KnowsBothSymbolsOfInternalLinkage) {
  Kernel Anonymous, Static;
  Anonymous.Id = "_ZN12_GLOBAL__N_14stepEPi";
  Static.Id = "_ZL1kPi";
  ResourceTable Reported;
  Reported["_ZN36_GLOBAL__N__1b2c3d4e_4_a_cu_9f8e7d6c4stepEPi"].Registers = 1;
  Reported["__nv_static_25__5b2313b8_4_a_cu__Z3usePi__Z1kPi"].Registers = 2;
  ResourceTable T = forKernels(Reported, {Anonymous, Static});
  EXPECT_EQ(T[Anonymous.Id].Registers, 1u);
  EXPECT_EQ(T[Static.Id].Registers, 2u);
}

TEST(PtxasReport, OfLinkedCodeTheLinkerTells) {
  ResourceTable T = parsePtxasReport(
      "nvlink info    : 1696 bytes gmem\n"
      "nvlink info    : Function properties for '_Z6kernelPKdPdi':\n"
      "nvlink info    : used 60 registers, used 0 barriers, 408 stack, 16 "
      "bytes "
      "smem, 548 bytes cmem[0], 0 bytes lmem\n");
  ASSERT_EQ(T.size(), 1u);
  EXPECT_EQ(T["_Z6kernelPKdPdi"].Registers, 60u);
  EXPECT_EQ(T["_Z6kernelPKdPdi"].StackFrame, 408u);
  EXPECT_EQ(T["_Z6kernelPKdPdi"].SharedBytes, 16u);
}

TEST(PtxasReport, IsTakenOutOfWhatElseIsSaid) {
  const std::string Before = "a.cu(3): warning: look\n";
  const std::string After =
      "ptxas info    : (C7510) Potential Performance Loss: it waits\n"
      "ptxas warning : look here too\n"
      "    indented, without an end";
  EXPECT_EQ(
      withoutPtxasReport(Before + entry("k") + properties("k", 0) + After),
      Before + After);
}

TEST(PtxasReport, SharedMemoryMayBeASum) {
  ResourceTable T = parsePtxasReport(
      entry("k", "sm_20") +
      used("8 registers, 1024+16 bytes smem, 44 bytes cmem[0]"));
  EXPECT_EQ(T["k"].SharedBytes, 1040u);
  EXPECT_EQ(T["k"].Registers, 8u);
}

TEST(PtxasReport, OfSeveralArchitecturesTheLargestNumbersCount) {
  ResourceTable T = parsePtxasReport(
      entry("k", "sm_80") + properties("k", 64) + used("30 registers") +
      entry("k", "sm_90") + properties("k", 32) + used("40 registers") +
      entry("l", "sm_90"));
  ASSERT_EQ(T.size(), 2u);
  EXPECT_EQ(T["k"].StackFrame, 64u);
  EXPECT_EQ(T["k"].Registers, 40u);
  EXPECT_EQ(T["l"].Registers, 0u);
}

// nvcc leaves some functions as they are, __noinline__ ones to begin with.
TEST(PtxasReport, FramesOfFunctionsThatWereNotInlinedAreSummedUp) {
  ResourceTable T =
      parsePtxasReport(entry("k") + properties("k", 16) + used("30 registers") +
                       properties("f", 64, 8) + properties("g", 32));
  EXPECT_EQ(T["k"].StackFrame, 16u);
  EXPECT_EQ(T["k"].calleeFrames(), 96u);
  EXPECT_EQ(T["k"].SpillStores, 0u);
  EXPECT_EQ(T["k"].Callees["f"].SpillStores, 8u);
}

// Those that it may call; of other kernels, others.
TEST(PtxasReport, AKernelGetsTheFramesOfTheFunctionsBehindIt) {
  ResourceTable T = parsePtxasReport(
      entry("k") + properties("k", 0) + used("30 registers") +
      properties("f", 64) + entry("l") + properties("l", 8) +
      used("12 registers") + properties("f", 0) + properties("g", 16));
  EXPECT_EQ(T["k"].calleeFrames(), 64u);
  EXPECT_EQ(T["l"].StackFrame, 8u);
  EXPECT_EQ(T["l"].calleeFrames(), 16u);
}

// `l` needs more than is listed behind it.
TEST(PtxasReport, OfFunctionsCompiledApartEachKernelMayCallAll) {
  auto Report = [](const std::string &Cumulative) {
    return entry("l") + properties("l", 8) +
           used("12 registers, used 0 barriers, " + Cumulative +
                " bytes cumulative stack size") +
           entry("k") + properties("k", 0) +
           used("30 registers, used 0 barriers") + properties("f", 64);
  };
  ResourceTable T = parsePtxasReport(Report("72"));
  EXPECT_EQ(T["k"].calleeFrames(), 64u);
  EXPECT_EQ(T["l"].calleeFrames(), 64u);
  T = parsePtxasReport(Report("8"));
  EXPECT_EQ(T["l"].calleeFrames(), 0u);
  T = parsePtxasReport(properties("g", 16) + Report("8"));
  EXPECT_EQ(T["l"].calleeFrames(), 80u);
}

// There, functions come anywhere in the report, and versions call versions.
TEST(ForKernels, RelocatableFunctionsAreNobodysCallees) {
  ResourceTable Reported;
  Reported["k"].Callees["_Z1fi"].Bytes = 64;
  Reported["_Z1fi"].StackFrame = 64;
  Reported["_Z1gi"].StackFrame = 32;
  Reported["_Z9g_stripedi"].StackFrame = 8;
  Kernel K;
  K.Id = "k";
  std::vector<DeviceFunction> Linked;
  for (const char *Id : {"k", "_Z1fi", "_Z1gi", "_Z1hi"}) {
    Linked.emplace_back().Id = Id;
    Linked.back().Defined = true;
  }
  ResourceTable T = forKernels(Reported, {K}, {}, Linked);
  EXPECT_EQ(T.size(), 3u);
  EXPECT_EQ(T["k"].calleeFrames(), 0u);
  EXPECT_EQ(T["_Z1fi"].StackFrame, 64u);
  EXPECT_EQ(T["_Z1gi"].StackFrame, 8u);
  EXPECT_EQ(forKernels(Reported, {K})["k"].calleeFrames(), 64u);
}

TEST(PtxasReport, AFunctionForTwoArchitecturesCountsOnce) {
  ResourceTable T = parsePtxasReport(entry("k", "sm_80") + properties("f", 64) +
                                     entry("k", "sm_90") + properties("f", 72));
  EXPECT_EQ(T["k"].calleeFrames(), 72u);
}

TEST(PtxasReport, OtherOutputIsPassedOver) {
  ResourceTable T = parsePtxasReport(
      "a.cu(3): warning #177-D: variable \"x\" was declared\r\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\r\n"
      "a.cu(9): note: Used nowhere, 12 bytes smem\r\n"
      "ptxas info    : Function properties for k\r\n"
      "    4 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\r\n"
      "ptxas info    : Used 7 registers\r\n");
  ASSERT_EQ(T.size(), 1u);
  EXPECT_EQ(T["k"].StackFrame, 4u);
  EXPECT_EQ(T["k"].Registers, 7u);
  EXPECT_EQ(T["k"].SharedBytes, 0u);
  EXPECT_TRUE(parsePtxasReport("").empty());
  EXPECT_TRUE(parsePtxasReport("    4 bytes stack frame\n").empty());
}

std::vector<std::string> words(StringRef Line) {
  std::vector<std::string> Words;
  for (StringRef Word : split(Line, ' '))
    if (!Word.empty())
      Words.push_back(Word.str());
  return Words;
}

std::string commandFor(StringRef Original, StringRef Clang = "") {
  CompileJob Job;
  Job.File = "/src/dir/a.cu";
  Job.GpuArch = "sm_86";
  Job.OriginalArgs = words(Original);
  Job.ClangArgs = words(Clang);
  return join(nvccCommand(Job, "nvcc", "/copy/a.cu", {"-I/extra"}, "/o"), " ");
}

constexpr StringLiteral CommandEnd =
    "-arch=sm_86 -cubin -Xptxas -v -o /o /copy/a.cu";

TEST(NvccCommand, KeepsWhatShapesTheDeviceCode) {
  const std::string Kept =
      "-Iinclude -I other -DX=1 -std=c++20 --expt-relaxed-constexpr "
      "--extended-lambda -Xcompiler -fopenmp -include pre.h -O3 -lineinfo "
      "--use_fast_math -maxrregcount=64 ";
  EXPECT_EQ(commandFor("/usr/bin/nvcc " + Kept + "a.cu"),
            "nvcc -I/extra -I/src/dir " + Kept + CommandEnd.str());
}

TEST(NvccCommand, DropsOutputsPhasesArchitecturesAndLinking) {
  EXPECT_EQ(
      commandFor("ccache nvcc -forward-unknown-to-host-compiler "
                 "--generate-code=arch=compute_80,code=[sm_80] "
                 "-gencode arch=compute_90,code=sm_90 -arch sm_75 "
                 "-MD -MT a.o -MF a.d -x cu -c dir/a.cu -o a.o "
                 "-lcublas -L/lib -l m -Xlinker -rpath --keep"),
      "nvcc -I/extra -I/src/dir -forward-unknown-to-host-compiler -x cu " +
          CommandEnd.str());
}

TEST(NvccCommand, SeparateCompilationStaysRelocatable) {
  EXPECT_EQ(commandFor("nvcc -dc a.cu"),
            "nvcc -I/extra -I/src/dir -rdc=true " + CommandEnd.str());
  EXPECT_EQ(commandFor("nvcc -rdc true -c a.cu"),
            "nvcc -I/extra -I/src/dir -rdc true " + CommandEnd.str());
}

TEST(NvccCommand, TakesFromClangWhatBothUnderstand) {
  EXPECT_EQ(commandFor("clang++",
                       "-x cuda --cuda-gpu-arch=sm_90 -Iinc -D X -Wall "
                       "-Xclang -Ifoo -std=gnu++20 -isystem sys a.cu"),
            "nvcc -I/extra -I/src/dir -Iinc -D X -std=c++20 -isystem sys " +
                CommandEnd.str());
  EXPECT_EQ(commandFor("nvcc", "-std=gnu++17"),
            "nvcc -I/extra -I/src/dir -std=c++17 " + CommandEnd.str());
}

#ifdef BANKSTRIPE_NVCC
constexpr StringLiteral Nvcc = BANKSTRIPE_NVCC;
#else
constexpr StringLiteral Nvcc = "";
#endif

/// A folder that goes away with the test, and what is in it.
class RunPtxas : public ::testing::Test {
protected:
  void SetUp() override {
    if (Nvcc.empty())
      GTEST_SKIP() << "no nvcc was found on this machine";
    ASSERT_FALSE(sys::fs::createUniqueDirectory("bankstripe-test", Folder));
  }
  void TearDown() override {
    if (!Folder.empty())
      sys::fs::remove_directories(Folder);
  }
  std::string write(StringRef Name, StringRef Text) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    sys::fs::create_directories(sys::path::parent_path(Path));
    std::error_code EC;
    raw_fd_ostream(Path, EC) << Text;
    EXPECT_FALSE(EC) << EC.message();
    return Path.str().str();
  }

  SmallString<128> Folder;
};

TEST_F(RunPtxas, ReportsACopyThatNeedsItsOriginalsFolder) {
  CompileJob Job;
  Job.File = write("src/a.cu", "");
  write("src/size.h", "#define SIZE 40\n");
  write("build/flag.h", "#define FLAG 1\n");
  Job.Directory = (Folder + "/build").str();
  Job.OriginalArgs = {"nvcc", "-I.", "-O3", "-c", "../src/a.cu"};
  Job.GpuArch = "sm_80";
  std::string Copy = write("copy/a.cu", R"cu(
#include "size.h"
#include <flag.h>
extern "C" __global__ void k(const int *in, int *out, int n) {
  __shared__ int s[SIZE];
  int a[SIZE];
  for (int i = 0; i < n; ++i) a[in[i]] = i;
  s[threadIdx.x] = FLAG;
  __syncthreads();
  out[0] = a[in[n]] + s[n];
})cu");
  auto Table = runPtxas(Job, Nvcc, Copy);
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  ASSERT_EQ(Table->size(), 1u);
  EXPECT_EQ((*Table)["k"].StackFrame, 160u);
  EXPECT_GE((*Table)["k"].CodeBytes, 20 * 16u); // Instructions of 16 bytes.
  EXPECT_EQ((*Table)["k"].SharedBytes, 160u);
  EXPECT_GT((*Table)["k"].Registers, 0u);
}

TEST_F(RunPtxas, ReportsTheFrameOfAFunctionThatIsNotInlined) {
  CompileJob Job;
  Job.File = write("a.cu", R"cu(
__device__ __noinline__ int pick(const int *in, int n) {
  int a[40];
  for (int i = 0; i < n; ++i) a[in[i]] = i;
  return a[in[n]];
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  out[0] = pick(in, n);
})cu");
  Job.GpuArch = "sm_80";
  // In a program of one unit, ptxas inlines even this one.
  Job.OriginalArgs = {"nvcc", "-rdc=true"};
  auto Table = runPtxas(Job, Nvcc, Job.File);
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  EXPECT_EQ((*Table)["k"].StackFrame, 0u);
  EXPECT_GE((*Table)["k"].calleeFrames(), 160u);
}

TEST_F(RunPtxas, ACompileTellsTheSameOfEachArchitecture) {
  CompileJob Job;
  Job.File = write("a.cu", R"cu(
extern "C" __global__ void k(const int *in, int *out, int n) {
  int a[40];
  for (int i = 0; i < n; ++i) a[in[i]] = i;
  out[0] = a[in[n]];
})cu");
  Job.GpuArch = "sm_90";
  auto Compile = [&](std::vector<std::string> Words) {
    NvccCompile Result{"", write("a.o", "")};
    Words.insert(Words.begin(), Nvcc.str());
    Words.insert(Words.end(),
                 {"-Xptxas=-v", "-c", Job.File, "-o", Result.Object});
    Result.Report = runProcess(Words, Output::Together).Out;
    return Result;
  };
  const std::vector<std::string> Two = {"-gencode=arch=compute_80,code=sm_80",
                                        "-gencode=arch=compute_90,code=sm_90"};
  for (const auto &Words : {std::vector<std::string>{"-arch=sm_90"},
                            {"-arch=sm_90", "-rdc=true"},
                            Two}) {
    Job.OriginalArgs = {"nvcc", Words.back()};
    auto Asked = runPtxas(Job, Nvcc, Job.File);
    ASSERT_TRUE(bool(Asked)) << toString(Asked.takeError());
    auto Told = readCompile(Compile(Words), "sm_90");
    ASSERT_TRUE(Told) << Words.back();
    ASSERT_EQ(Told->size(), 1u);
    EXPECT_EQ((*Told)["k"].StackFrame, 160u);
    EXPECT_EQ((*Told)["k"].Registers, (*Asked)["k"].Registers);
    EXPECT_EQ((*Told)["k"].CodeBytes, (*Asked)["k"].CodeBytes);
  }
  EXPECT_FALSE(readCompile(Compile({"-arch=sm_80"}), "sm_90"));
  EXPECT_FALSE(readCompile({"", Job.File}, "sm_90"));
}

TEST_F(RunPtxas, MayCompileTheHostsSideToo) {
  CompileJob Job;
  Job.File = write("a.cu", R"cu(
extern "C" __global__ void k(const int *in, int *out, int n) {
  int a[40];
  for (int i = 0; i < n; ++i) a[in[i]] = i;
  out[0] = a[in[n]];
#ifndef __CUDA_ARCH__
  HOST
#endif
})cu");
  Job.GpuArch = "sm_80";
  Job.OriginalArgs = {"nvcc", "-DHOST="};
  auto One = runPtxas(Job, Nvcc, Job.File);
  auto Both = runPtxas(Job, Nvcc, Job.File, {}, Sides::Both);
  ASSERT_TRUE(One && Both);
  EXPECT_EQ((*Both)["k"].StackFrame, 160u);
  EXPECT_EQ((*Both)["k"].CodeBytes, (*One)["k"].CodeBytes);
  Job.OriginalArgs = {"nvcc", "-DHOST=error"};
  EXPECT_FALSE(errorToBool(runPtxas(Job, Nvcc, Job.File).takeError()));
  EXPECT_TRUE(
      errorToBool(runPtxas(Job, Nvcc, Job.File, {}, Sides::Both).takeError()));
}

TEST_F(RunPtxas, AFailureCarriesTheCompilersWords) {
  CompileJob Job;
  Job.File = write("a.cu", "this is no CUDA;\n");
  Job.GpuArch = "sm_80";
  auto Table = runPtxas(Job, Nvcc, Job.File);
  ASSERT_FALSE(bool(Table));
  std::string Message = toString(Table.takeError());
  EXPECT_NE(Message.find("nvcc failed on '" + Job.File), std::string::npos)
      << Message;
  EXPECT_NE(Message.find("a.cu(1): error"), std::string::npos) << Message;
}

TEST(RunPtxasWithoutNvcc, SaysThatItCouldNotStart) {
  CompileJob Job;
  Job.File = "/nonexistent/a.cu";
  Job.GpuArch = "sm_80";
  auto Table = runPtxas(Job, "/nonexistent/nvcc", Job.File);
  ASSERT_FALSE(bool(Table));
  EXPECT_NE(toString(Table.takeError()).find("/nonexistent/nvcc"),
            std::string::npos);
}

} // namespace
