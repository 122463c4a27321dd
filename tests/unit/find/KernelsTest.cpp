//===-- KernelsTest.cpp - bounds of kernels, and where they go ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

Kernel kernelIn(llvm::StringRef Code, llvm::StringRef Name = "kernel") {
  UnitFacts Facts = factsOf(Code);
  auto It = llvm::find_if(Facts.Kernels,
                          [&](const Kernel &K) { return K.Name == Name; });
  if (It == Facts.Kernels.end()) {
    ADD_FAILURE() << "no kernel '" << Name.str() << "' in " << Code.str();
    return Kernel();
  }
  return *It;
}

/// The text of the launch bounds in \p Code, which must bound 128 threads.
std::string boundsText(llvm::StringRef Code) {
  Kernel K = kernelIn(Code);
  EXPECT_TRUE(K.Bounds.has_value()) << Code.str();
  if (!K.Bounds)
    return "";
  EXPECT_EQ(K.Bounds->Threads, 128u) << Code.str();
  return K.Bounds->Text;
}

} // namespace

TEST(Kernels, AreIdentified) {
  Kernel K = kernelIn("namespace n {\n__global__ void kernel(int *) {}\n}",
                      "n::kernel");
  EXPECT_EQ(K.Id, "_ZN1n6kernelEPi");
  EXPECT_EQ(K.Where, (Place{SnippetFile.str(), 2, 17}));
  EXPECT_FALSE(K.Bounds.has_value());
}

TEST(Kernels, DeclarationsAloneAreNone) {
  EXPECT_TRUE(factsOf("__global__ void kernel();").Kernels.empty());
}

TEST(Kernels, EachInstantiationIsOne) {
  UnitFacts Facts = factsOf("template <class T> __global__ void k(T) {}\n"
                            "template __global__ void k<int>(int);\n"
                            "template __global__ void k<char>(char);");
  ASSERT_EQ(Facts.Kernels.size(), 2u);
  EXPECT_NE(Facts.Kernels[0].Id, Facts.Kernels[1].Id);
}

// --- Launch bounds ---------------------------------------------------------

TEST(LaunchBoundsOf, LiteralsAndNames) {
  EXPECT_EQ(boundsText("__global__ void __launch_bounds__(128) kernel() {}"),
            "128");
  EXPECT_EQ(
      boundsText("__global__ __launch_bounds__(64 * 2, 4) void kernel() {}"),
      "64 * 2");
  EXPECT_EQ(
      boundsText("#define THREADS 128\n"
                 "__launch_bounds__(THREADS) __global__ void kernel() {}"),
      "THREADS");
  EXPECT_EQ(boundsText("constexpr int Threads = 64;\n"
                       "__global__ void __launch_bounds__(2 * Threads)\n"
                       "kernel() {}"),
            "2 * Threads");
}

TEST(LaunchBoundsOf, NamesThatMeanSomethingElseInTheBody) {
  EXPECT_EQ(boundsText("constexpr int N = 128;\n"
                       "__global__ void __launch_bounds__(N)\n"
                       "kernel(int *N) {}"),
            "");
  EXPECT_EQ(boundsText("constexpr int N = 128;\n"
                       "__global__ void __launch_bounds__(N) kernel() {\n"
                       "  for (int N = 0; N < 2; ++N) ; }"),
            "");
  EXPECT_EQ(boundsText("constexpr int N = 128;\n"
                       "__global__ void __launch_bounds__(N) kernel() {\n"
                       "  using N = int; }"),
            "");
}

TEST(LaunchBoundsOf, MacrosThatChange) {
  EXPECT_EQ(boundsText("#define N 128\n"
                       "__global__ void __launch_bounds__(N) kernel() {\n"
                       "#undef N\n"
                       "#define N 8\n"
                       "}"),
            "");
  EXPECT_EQ(boundsText("#define WARPS 4\n"
                       "#define N (32 * WARPS)\n"
                       "__global__ void __launch_bounds__(N) kernel() {\n"
                       "#undef WARPS\n"
                       "}"),
            "");
  EXPECT_EQ(boundsText("#define N 8\n"
                       "#undef N\n"
                       "#define N 128\n"
                       "__global__ void __launch_bounds__(N) kernel() {}\n"
                       "#undef N\n"),
            "N");
}

TEST(LaunchBoundsOf, NamesThatAUsingDirectiveShows) {
  EXPECT_EQ(boundsText("constexpr int N = 128;\n"
                       "namespace other { constexpr int N = 8; }\n"
                       "__global__ void __launch_bounds__(N) kernel() {\n"
                       "  using namespace other; }"),
            "");
}

TEST(LaunchBoundsOf, AnEarlierDeclaration) {
  EXPECT_EQ(boundsText("constexpr int N = 128;\n"
                       "__global__ void __launch_bounds__(N) kernel();\n"
                       "__global__ void kernel() {}"),
            "");
}

TEST(LaunchBoundsOf, AMacro) {
  EXPECT_EQ(boundsText("#define BOUNDS __launch_bounds__(128)\n"
                       "__global__ void BOUNDS kernel() {}"),
            "");
}

TEST(LaunchBoundsOf, SeveralLines) {
  EXPECT_EQ(
      boundsText("__global__ void __launch_bounds__(64 +\n64) kernel() {}"),
      "");
}

TEST(LaunchBoundsOf, TemplateArguments) {
  UnitFacts Facts =
      factsOf("template <int N> __global__ void __launch_bounds__(N) k() {}\n"
              "template __global__ void k<64>();\n"
              "template __global__ void k<256>();");
  ASSERT_EQ(Facts.Kernels.size(), 2u);
  ASSERT_TRUE(Facts.Kernels[0].Bounds && Facts.Kernels[1].Bounds);
  EXPECT_EQ(Facts.Kernels[0].Bounds->Threads + Facts.Kernels[1].Bounds->Threads,
            320u);
}

TEST(ExcludedBounds, ByOtherAttributes) {
  EXPECT_EQ(kernelIn("#define __maxnreg__(n) __attribute__((maxnreg(n)))\n"
                     "__global__ void __maxnreg__(64) kernel() {}")
                .BoundsExcludedBy,
            "__maxnreg__");
  EXPECT_EQ(kernelIn("#define __block_size__(...)\n"
                     "#define BLOCK __block_size__((64, 1, 1))\n"
                     "BLOCK __global__ void kernel();\n"
                     "__global__ void kernel() {}")
                .BoundsExcludedBy,
            "__block_size__");
  EXPECT_EQ(kernelIn("__attribute__((maxnreg(64))) __global__ void other() {}\n"
                     "__global__ void kernel() { int maxnreg; }")
                .BoundsExcludedBy,
            "");
}

// --- Where bounds can be added ---------------------------------------------

TEST(BoundsInsertion, BeforeTheName) {
  llvm::StringRef Code = "__global__ void kernel() {}";
  Kernel K = kernelIn(Code);
  EXPECT_EQ(K.BoundsInsertion.Offset, Code.find("kernel"));
  EXPECT_EQ(K.BoundsInsertion.Length, 0u);
}

TEST(BoundsInsertion, BeforeTheQualifier) {
  llvm::StringRef Code = "struct S { static __global__ void kernel(); };\n"
                         "namespace n { __global__ void kernel(); }\n"
                         "__global__ void n::kernel() {}";
  Kernel K = kernelIn(Code, "n::kernel");
  EXPECT_EQ(K.BoundsInsertion.Offset, Code.rfind("n::kernel"));
}

TEST(BoundsInsertion, NotIntoAMacro) {
  EXPECT_FALSE(kernelIn("#define KERNEL(n) __global__ void n\n"
                        "KERNEL(kernel)() {}")
                   .BoundsInsertion.isValid());
  EXPECT_FALSE(kernelIn("#define NAME kernel\n"
                        "__global__ void NAME() {}")
                   .BoundsInsertion.isValid());
}

TEST(BodyBegin, BehindTheBrace) {
  const llvm::StringRef Code = "__global__ void kernel(int *p)\n{ *p = 1; }";
  EXPECT_EQ(kernelIn(Code).BodyBegin.Offset, Code.find("{") + 1);
}

TEST(BodyBegin, NotInAMacro) {
  EXPECT_FALSE(
      kernelIn("#define BEGIN {\n__global__ void kernel(int *p) BEGIN }")
          .BodyBegin.isValid());
}

TEST(LaunchBounds, MayDependOnATemplateParameter) {
  auto Depends = [](const std::string &Bound) {
    return kernelIn("constexpr int TH = 64;\ntemplate <int N> __global__ void "
                    "__launch_bounds__(" +
                        Bound +
                        ") kernel(int *) {}\n"
                        "template __global__ void kernel<64>(int *);",
                    "kernel<64>")
        .Bounds->Dependent;
  };
  EXPECT_TRUE(Depends("N"));
  EXPECT_TRUE(Depends("2 * sizeof(char[N])"));
  EXPECT_FALSE(Depends("TH"));
}

TEST(KernelVersions, AreNoneWhereTheKernelCounts) {
  auto Problem = [](const std::string &Before, const std::string &Value) {
    return kernelIn(Before + "__global__ void kernel(int *a) { *a = " + Value +
                    "; }")
        .Text.VersionProblem;
  };
  EXPECT_EQ(Problem("#define NEXT (__COUNTER__)\n", "NEXT"),
            "it mentions __COUNTER__");
  EXPECT_EQ(Problem("#define ID(N) __COUNT##N##__\n", "ID(ER)"),
            "it mentions __COUNTER__");
  EXPECT_EQ(Problem("enum { Id = __COUNTER__ };\n", "Id"), "");
}

TEST(Kernels, BoundsThatCountStandInNoBody) {
  EXPECT_EQ(boundsText("__global__ void __launch_bounds__(__COUNTER__ + 128) "
                       "kernel() {}"),
            "");
}

TEST(KernelVersions, AreNoneWhereADeclarationSaysMore) {
  auto Problem = [](const std::string &Code) {
    return kernelIn(Code).Text.VersionProblem;
  };
  const std::string Plain = "__global__ void kernel(int *a, int n) {}\n";
  const std::string More = "a declaration of it has defaults or attributes";
  EXPECT_EQ(Problem(Plain), "");
  EXPECT_EQ(Problem("__global__ void kernel(int *, int);\n" + Plain), "");
  EXPECT_EQ(Problem("__global__ void kernel(int *, int n = 3);\n" + Plain),
            More);
  EXPECT_EQ(Problem(Plain + "__global__ void kernel(int *, int n = 3);"), More);
  EXPECT_EQ(
      Problem("__global__ void __launch_bounds__(64) kernel(int *, int);\n" +
              Plain),
      More);
  EXPECT_EQ(Problem("__global__ void kernel(int *a, int n = 3) {}"), "");
  // Which Clang does not know.
  const std::string Macro = "#define __maxnreg__(n)\n";
  EXPECT_EQ(Problem(Macro +
                    "__global__ void __maxnreg__(64) kernel(int *, int)"
                    ";\n" +
                    Plain),
            More);
  EXPECT_EQ(
      Problem(Macro + "__global__ void __maxnreg__(64) kernel(int *a) {}"), "");
}

TEST(KernelVersions, AreNoneWhereADeclarationSaysMoreOfTheTemplate) {
  auto Problem = [](const std::string &Parameters) {
    return kernelIn("template <" + Parameters +
                        "> __global__ void kernel(T *);\n"
                        "template <class T, int N> __global__ void "
                        "kernel(T *) {}\n"
                        "template __global__ void kernel<int, 4>(int *);",
                    "kernel<int, 4>")
        .Text.VersionProblem;
  };
  EXPECT_EQ(Problem("class T, int N"), "");
  EXPECT_EQ(Problem("class T, int N = 4"),
            "a declaration of it has defaults or attributes");
}

TEST(KernelVersions, HaveTheLinkageOfC) {
  const std::string Plain = "__global__ void kernel(int *a) {}";
  auto TextOf = [](const std::string &Code) { return kernelIn(Code).Text; };
  KernelText T = TextOf("extern \"C\" " + Plain);
  EXPECT_EQ(T.Problem + T.VersionProblem, "");
  EXPECT_EQ(T.Linkage, "extern \"C\"");
  EXPECT_EQ(T.Specifiers.Offset, 11u);
  EXPECT_EQ(T.Definition.Offset, 11u);
  T = TextOf("extern \"C\" {\n" + Plain + "\n}");
  EXPECT_EQ(T.Problem + T.VersionProblem, "");
  EXPECT_FALSE(T.Specifiers.isValid());
  T = TextOf("#define API extern \"C\" __global__\nAPI void kernel(int *) {}");
  EXPECT_EQ(T.Problem + T.VersionProblem, "");
  EXPECT_FALSE(T.Specifiers.isValid());
  T = TextOf("extern \"C++\" " + Plain);
  EXPECT_EQ(T.Linkage, "static");
  EXPECT_TRUE(T.Specifiers.isValid());
  T = TextOf("extern \"C\" __global__ void kernel(int *);\n" + Plain);
  EXPECT_EQ(T.Problem, "its declarations say in two ways that it is of C");
  T = TextOf("extern \"C\" { __global__ void kernel(int *); }\n" + Plain);
  EXPECT_EQ(T.Problem, "its declarations say in two ways that it is of C");
  T = TextOf("extern \"C\" __global__ void kernel(int *);\nextern \"C\" " +
             Plain);
  EXPECT_EQ(T.Problem, "");
}

TEST(KernelVersions, AreStaticOnce) {
  KernelText T = kernelIn("__global__ void kernel(int *a) {}").Text;
  EXPECT_EQ(T.VersionProblem, "");
  EXPECT_TRUE(T.Specifiers.isValid());
  T = kernelIn("static __global__ void kernel(int *a) {}").Text;
  EXPECT_EQ(T.VersionProblem, "");
  EXPECT_FALSE(T.Specifiers.isValid());
}

// It would be two, one in each body.
TEST(KernelText, HasNoVersionWithAStaticVariable) {
  auto ProblemWith = [](const std::string &Variable) {
    return kernelIn("__global__ void kernel(int *a) { static " + Variable +
                    " = 1; a[0] = v; }")
        .Text.VersionProblem;
  };
  EXPECT_EQ(ProblemWith("int v"), "its variable 'v' is static");
  EXPECT_EQ(ProblemWith("constexpr int v"), "");
  EXPECT_EQ(ProblemWith("const int v"), "");
  EXPECT_EQ(kernelIn("__global__ void kernel(int *a) { a[0] = [] { static int "
                     "v; return ++v; }(); }")
                .Text.VersionProblem,
            "its variable 'v' is static");
  // An assertion only prints the name; one of the program's own may not.
  const std::string Assert = "#define assert(x) f(__func__)\n",
                    Calls = "__device__ void f(const char *);\n"
                            "__global__ void kernel(int *a) { assert(a); }";
  EXPECT_EQ(kernelIn("# 1 \"assert.h\" 3\n" + Assert + "# 1 \"a.cu\"\n" + Calls)
                .Text.VersionProblem,
            "");
  EXPECT_EQ(kernelIn(Assert + Calls).Text.VersionProblem, "it says __func__");
}

// The launch would name a version that only one of them has beside it.
TEST(KernelText, HasNothingBesideItWhereAConditionChoosesTheDefinition) {
  auto TextIf = [](const std::string &Other) {
    return kernelIn("#if __CUDA_ARCH__ >= 500\n"
                    "__global__ void kernel(int *p) { *p = 1; }\n"
                    "#else\n" +
                    Other + "\n#endif\n")
        .Text;
  };
  const std::string Problem =
      "text that a condition leaves out may define it, too";
  EXPECT_EQ(TextIf("__global__ void kernel(int *p) {}").VersionProblem,
            Problem);
  EXPECT_EQ(TextIf("__global__ void kernel(int *p) {}").Problem, Problem);
  EXPECT_EQ(TextIf("__global__ void other(int *p) {}").VersionProblem, "");
}
