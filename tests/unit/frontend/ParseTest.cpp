//===-- ParseTest.cpp - a parse and what can be asked of it ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "support/ParseSnippet.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include <thread>

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::ElementsAre;

namespace {

/// Runs \p Action on the parsed \p Code and expects that it parses.
void onSnippet(llvm::StringRef Code,
               llvm::function_ref<void(ParsedUnit &)> Action,
               std::vector<std::string> Args = {}) {
  unsigned Calls = 0;
  auto Counted = [&](ParsedUnit &Unit) {
    ++Calls;
    Action(Unit);
  };
  llvm::Error E = parseSnippet(Code, "snippet.cu", Counted, Args);
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_EQ(Calls, 1u);
}

/// The device code of \p Code.
std::unique_ptr<llvm::Module> moduleOf(llvm::StringRef Code,
                                       llvm::LLVMContext &Context) {
  std::unique_ptr<llvm::Module> Module;
  onSnippet(Code, [&](ParsedUnit &Unit) {
    std::unique_ptr<clang::CodeGenerator> Generator(
        clang::CreateLLVMCodeGen(Unit.compiler(), "snippet", Context));
    Unit.replay(*Generator);
    Module = Generator->ReleaseModule();
  });
  return Module;
}

/// How many parses it takes to reject \p Code.
unsigned parsesToReject(const std::string &Code) {
  TemporaryFolder Folder;
  ReadCounter Counter("a.cu");
  std::string Said;
  llvm::raw_string_ostream Messages(Said);
  auto Outcome = parseUnit(
      builtinJob(Folder.write("a.cu", Code)), Messages, [](ParsedUnit &) {},
      &Counter);
  EXPECT_FALSE(bool(Outcome));
  llvm::consumeError(Outcome.takeError());
  return Counter.Reads - 1; // Whether it is readable is asked first.
}

// These differences are known.
constexpr char Differences[] = "__global__ void k(int *p) {}\n"
                               "void run(int *p) { k<< <1, 32 >> >(p); }\n";

TEST(Parse, GivesUpWhereTheFirstErrorIsNoKnownDifference) {
  const std::string Code = std::string("int a = missing;\n") + Differences;
  EXPECT_LE(parsesToReject(Code), 2u);
  EXPECT_LE(parsesToReject("#ifdef __clang__\n#endif\n" + Code), 3u);
}

TEST(Parse, GivesUpWhereWhatWasLearnedDoesNotHelp) {
  EXPECT_LE(
      parsesToReject("struct S { int n; };\n"
                     "__global__ void one(int *p, S s) { int a[s.n]; }\n" +
                     std::string(Differences)),
      3u);
}

TEST(Parse, SeesKernelsAndLaunchesInOneDeviceParse) {
  onSnippet("__global__ void k(int *p) {}\n"
            "int main() { k<<<1, 128>>>(nullptr); }\n",
            [](ParsedUnit &Unit) {
              const clang::LangOptions &Options = Unit.compiler().getLangOpts();
              EXPECT_TRUE(Options.CUDA);
              EXPECT_TRUE(Options.CUDAIsDevice);
              EXPECT_TRUE(Unit.compiler().getTarget().getTriple().isNVPTX());
            });
}

TEST(Parse, PreprocessorIsAliveInTheCallback) {
  onSnippet("#define LIMIT 4\n", [](ParsedUnit &Unit) {
    EXPECT_TRUE(Unit.compiler().getPreprocessor().isMacroDefined("LIMIT"));
  });
}

TEST(Replay, GivesTheModuleWithTheKernel) {
  llvm::LLVMContext Context;
  auto Module = moduleOf("__global__ void k(int *p, int n) {\n"
                         "  int counts[8] = {0};\n"
                         "  for (int i = 0; i < n; ++i) counts[p[i] & 7]++;\n"
                         "  p[0] = counts[n & 7];\n"
                         "}\n",
                         Context);
  ASSERT_TRUE(Module);
  llvm::Function *Kernel = Module->getFunction("_Z1kPii");
  ASSERT_TRUE(Kernel);
  EXPECT_EQ(Kernel->getCallingConv(), llvm::CallingConv::PTX_Kernel);
}

TEST(Replay, GivesTemplatesMethodsAndVariables) {
  llvm::LLVMContext Context;
  auto Module = moduleOf(
      "template <class T> __device__ T twice(T v) { return v + v; }\n"
      "struct Box { int v; __device__ int get() const { return v; } };\n"
      "__device__ int table[4] = {1, 2, 3, 4};\n"
      "namespace inner {\n"
      "template <int N> __global__ void k(int *p) {\n"
      "  Box b{twice(table[N])};\n"
      "  p[0] = b.get();\n"
      "}\n"
      "}\n"
      "int main() { inner::k<3><<<1, 1>>>(nullptr); }\n",
      Context);
  ASSERT_TRUE(Module);
  for (const char *Name :
       {"_ZN5inner1kILi3EEEvPi", "_Z5twiceIiET_S0_", "_ZNK3Box3getEv"}) {
    llvm::Function *F = Module->getFunction(Name);
    ASSERT_TRUE(F) << Name;
    EXPECT_FALSE(F->isDeclaration()) << Name;
  }
  EXPECT_TRUE(Module->getGlobalVariable("table"));
}

/// Notes what it is told.
class Listener final : public clang::ASTConsumer {
public:
  std::vector<std::string> Heard;

  void Initialize(clang::ASTContext &) override { Heard.push_back("start"); }
  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      if (!D->getASTContext().getSourceManager().isInSystemHeader(
              D->getLocation()))
        if (auto *Named = llvm::dyn_cast<clang::NamedDecl>(D))
          Heard.push_back(Named->getNameAsString());
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext &) override {
    Heard.push_back("end");
  }
};

TEST(Replay, KeepsTheOrder) {
  onSnippet("int a;\nstruct b {};\nvoid c();\n", [](ParsedUnit &Unit) {
    Listener L;
    Unit.replay(L);
    EXPECT_THAT(L.Heard, ElementsAre("start", "a", "b", "c", "end"));
  });
}

TEST(Parse, WorkingDirectoryIsTheJobsOwn) {
  TemporaryFolder Folder;
  Folder.write("include/own.h", "#define OWN 1\n");
  std::string File = Folder.write("a.cu", "#include \"own.h\"\nint a = OWN;\n");
  Parsed P = parse(builtinJob(File, {"-Iinclude"}));
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
}

TEST(Parse, HandMadeJobNeedsNoArguments) {
  TemporaryFolder Folder;
  CompileJob Job;
  Job.File = Folder.write("a.cu", "__global__ void k() {}\n");
  Job.Directory = Folder.path();
  Parsed P = parse(Job);
  EXPECT_TRUE(P.Succeeded) << P.Error << P.Diagnostics;
  EXPECT_TRUE(P.Outcome.UsedBuiltinHeader);
}

TEST(Parse, SeveralThreadsAtOnce) {
  constexpr unsigned Count = 4;
  TemporaryFolder Folders[Count];
  Parsed Results[Count];
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != Count; ++I) {
    // The same relative name leads to another file in each.
    Folders[I].write("own.h", "#define OWN " + std::to_string(I) + "\n");
    Folders[I].write("a.cu", "#include \"own.h\"\nstatic_assert(OWN == " +
                                 std::to_string(I) + ", \"\");\n");
  }
  for (unsigned I = 0; I != Count; ++I)
    Threads.emplace_back([&, I] {
      CompileJob Job = builtinJob(Folders[I].path("a.cu"), {"-I."});
      Job.File = "a.cu";
      Results[I] = parse(Job);
    });
  for (std::thread &T : Threads)
    T.join();
  for (const Parsed &P : Results)
    EXPECT_TRUE(P.Succeeded) << P.Error << P.Diagnostics;
}

/// A folder with sources for the toolkit of this machine.
class ToolkitParse : public ::testing::Test {
protected:
  void SetUp() override {
    auto Found = findToolkit("");
    ASSERT_TRUE(bool(Found));
    Kit = *Found;
    if (Kit.Root.empty())
      GTEST_SKIP() << "no CUDA toolkit here";
  }

  /// Parses \p Code without the shim.
  /// \returns whether Clang's header for textures was read.
  bool readsTextures(llvm::StringRef Code) {
    CompileJob Job = builtinJob(Folder.write("a.cu", Code));
    Job.ClangArgs.clear();
    translateCommand(Job, FrontendOptions(), Kit);
    std::string Said;
    llvm::raw_string_ostream Messages(Said);
    bool Reads = false;
    auto Outcome = parseUnit(Job, Messages, [&](ParsedUnit &Unit) {
      Reads = Unit.compiler().getPreprocessor().isMacroDefined(
          "__CLANG_CUDA_TEXTURE_INTRINSICS_H__");
    });
    EXPECT_TRUE(bool(Outcome)) << Said;
    if (!Outcome)
      llvm::consumeError(Outcome.takeError());
    else
      EXPECT_FALSE(Outcome->UsedBuiltinHeader || Outcome->UsedShim);
    return Reads;
  }

  TemporaryFolder Folder;
  Toolkit Kit;
};

constexpr char ReadsTexture[] =
    "inline __device__ float at(cudaTextureObject_t t, int x) {\n"
    "  return tex1Dfetch<float>(t, x);\n"
    "}\n";
constexpr char CallsAt[] =
    "__global__ void k(cudaTextureObject_t t, float *p) { *p = at(t, 1); }\n";

TEST_F(ToolkitParse, ReadsNoHeaderForTexturesWhereThereAreNone) {
  EXPECT_FALSE(readsTextures("#include <cuda_fp16.h>\n"
                             "#include <thrust/version.h>\n"
                             "__global__ void k(__half *p) {\n"
                             "  p[0] = __float2half(sinf(1));\n"
                             "}\n"
                             "int main() { k<<<1, 32>>>(nullptr); }\n"));
}

TEST_F(ToolkitParse, ReadsTexturesOfTheSource) {
  EXPECT_TRUE(readsTextures(std::string(ReadsTexture) + CallsAt));
}

TEST_F(ToolkitParse, ReadsTexturesOfHeaders) {
  Folder.write("at.h", ReadsTexture);
  EXPECT_TRUE(readsTextures(std::string("#include \"at.h\"\n") + CallsAt));
}

} // namespace
