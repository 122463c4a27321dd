//===-- KernelTextsTest.cpp - what can stand beside a kernel --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

KernelText textOf(const std::string &Code) {
  UnitFacts Facts = factsOf(Code);
  EXPECT_FALSE(Facts.Kernels.empty()) << Code;
  return Facts.Kernels.empty() ? KernelText() : Facts.Kernels[0].Text;
}

/// What stands against a row beside the first kernel of \p Code.
std::string problemOf(const std::string &Code) { return textOf(Code).Problem; }

/// The same for a kernel with the body \p Body, behind \p Before.
std::string problemIn(const std::string &Body, const std::string &Before = "") {
  return problemOf(Before + kernelAround(Body));
}

/// The text of the kernel template `k` with these \p Parameters, which has an
/// instance with the arguments \p Arguments.
KernelText templateText(const std::string &Parameters,
                        const std::string &Arguments = "<int>",
                        const std::string &Before = "",
                        const std::string &Type = "__global__ void") {
  return textOf(Before + "\ntemplate <" + Parameters + "> " + Type +
                " k() {}\ntemplate __global__ void k" + Arguments + "();\n");
}

} // namespace

TEST(KernelTexts, OfAPlainKernel) {
  KernelText T = textOf("__global__ void kernel(int *out);\n"
                        "__global__ void kernel(int *out) {}\n");
  EXPECT_EQ(T.Name, "kernel");
  EXPECT_EQ(T.Definition.Offset, 34u);
  EXPECT_FALSE(T.Internal);
  EXPECT_TRUE(T.TemplateHead.empty());
}

TEST(KernelTexts, OfAKernelThatNobodyElseCanName) {
  EXPECT_TRUE(textOf("static __global__ void kernel() {}").Internal);
  EXPECT_TRUE(textOf("namespace { __global__ void kernel() {} }").Internal);
}

TEST(KernelTexts, ThatLeaveNoPlaceForARow) {
  EXPECT_EQ(problemOf("__global__ void k() {}"), "");
  EXPECT_EQ(problemOf("namespace n { __global__ void k(); }\n"
                      "__global__ void n::k() {}"),
            "it is defined outside its namespace");
  EXPECT_EQ(problemOf("template <int N> __global__ void k() {}\n"
                      "template <> __global__ void k<4>() {}\n"),
            "it is a specialization of a template");
  EXPECT_EQ(problemOf("#define KERNEL __global__ void k() {}\nKERNEL"),
            "a macro gives a part of it");
  // Only its definition has to be where both can be.
  EXPECT_EQ(problemOf("__global__ void k() {}\n"
                      "struct S { friend __global__ void k(); };"),
            "");
}

TEST(KernelTexts, OfOverloads) {
  const std::string Problem = "its name is overloaded";
  EXPECT_EQ(problemOf("__global__ void k() {}\n__global__ void k(int) {}"),
            Problem);
  EXPECT_EQ(problemOf("__global__ void k() {}\n"
                      "template <class T> __global__ void k(T) {}"),
            Problem);
  EXPECT_EQ(problemOf("template <class T> __global__ void k(T) {}\n"
                      "template <class T> __global__ void k(T, T) {}\n"
                      "template __global__ void k<int>(int);"),
            Problem);
  EXPECT_EQ(problemOf("__global__ void k();\n__global__ void k() {}"), "");
  EXPECT_EQ(problemOf("namespace n { __global__ void k(int) {} }\n"
                      "namespace m { __global__ void k() {} }"),
            "");
}

TEST(KernelTexts, WhereTheNameOfTheRowIsTaken) {
  const std::string Kernel = "__global__ void k() {}\n";
  const std::string Problem = "the name of its row is taken";
  EXPECT_EQ(problemOf("int k_row;\n" + Kernel), Problem);
  EXPECT_EQ(problemOf(Kernel + "__global__ void k_row() {}\n"), Problem);
  EXPECT_EQ(problemOf("#define k_row 1\n" + Kernel), Problem);
  EXPECT_EQ(problemOf("int kernel_row;\n" + Kernel), "");
  EXPECT_EQ(textOf("int k_striped;\n" + Kernel).VersionProblem,
            "the name of its version is taken");
}

TEST(KernelTexts, WhereMacrosHaveNamesOfARow) {
  for (std::string Name : {"row", "both", "of", "type"}) {
    EXPECT_EQ(problemIn("", "#define " + Name + " 1\n"),
              "a macro has a name of its row")
        << Name;
    EXPECT_EQ(problemIn("int " + Name + ";"), "") << Name;
  }
}

TEST(KernelTexts, OutsideTheGivenPathsAreKnown) {
  const UnitFacts Facts =
      factsOf(KernelCode, [](llvm::StringRef) { return false; });
  EXPECT_FALSE(Facts.Kernels.at(0).MayEdit);
}

// --- What the preprocessor would not do the same twice -----------------------

TEST(KernelTexts, WhoseMacrosChange) {
  const std::string Problem = "N is another macro at its end";
  EXPECT_EQ(problemIn("\n#define N 1\ni = N;"), "");
  EXPECT_EQ(problemIn("int N = 1;\n#define N 1\n"), Problem);
  EXPECT_EQ(problemIn("int N = 1;\n#define N 1\ni = N;\n#undef N\n"), "");
  EXPECT_EQ(problemIn("\n#undef N\n#define N 1\n", "#define N 2\n"), Problem);
  EXPECT_EQ(problemIn("\n#define N 1\n", "#define N 1\n"), Problem);
  EXPECT_EQ(problemIn("\n#undef N\n"), "");
  EXPECT_EQ(problemIn("\n#undef N\n", "#define N 1\n"), Problem);
  EXPECT_EQ(problemIn("\n#ifdef X\n#define N 1\n#else\n#define N 2\n"
                      "#endif\ni = N;\n#undef N\n"),
            "");
}

TEST(KernelTexts, WithWholeConditionalsAndPragmas) {
  EXPECT_EQ(problemIn("\n#if 1\n++i;\n#else\n--i;\n#endif\n"), "");
  EXPECT_EQ(problemIn("\n#pragma unroll 1\nfor (int n = 0; n < 4; ++n);"), "");
  EXPECT_EQ(problemIn("int once = i; i = once;"), "");
  EXPECT_EQ(problemIn("\n#pragma push_macro(\"N\")\n"),
            "it mentions push_macro");
}

TEST(KernelTexts, WithHalfOfAConditional) {
  EXPECT_EQ(problemOf("#if 1\n__global__ void k() {\n#endif\n}"),
            "it begins before an #endif");
  EXPECT_EQ(problemOf("#if 1\n__global__ void k() {\n#else\n#endif\n}"),
            "it begins before an #else");
  EXPECT_EQ(problemOf("__global__ void k() {\n#if 1\n}\n#endif\n"),
            "it ends inside an #if");
}

/// An `#include` of a file that holds \p Text.
class Include {
public:
  explicit Include(const std::string &Text) {
    int File = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("part", "inc", File, Path));
    Remover.setFile(Path);
    llvm::raw_fd_ostream(File, /*shouldClose=*/true) << Text;
  }
  std::string line() const {
    return "\n#include \"" + Path.str().str() + "\"\n";
  }

private:
  llvm::SmallString<64> Path;
  llvm::FileRemover Remover;
};

TEST(KernelTexts, WithAnInclude) {
  auto ProblemOf = [](const std::string &Text) {
    return problemIn(Include(Text).line());
  };
  EXPECT_EQ(ProblemOf("i += 1;\n"), "");
  EXPECT_EQ(ProblemOf("#if 1\n#define ONE 1\n#endif\ni += ONE;\n"), "");
  EXPECT_EQ(ProblemOf("#include <stddef.h>\n"), "it has an #include");
  EXPECT_EQ(ProblemOf("static int s;\n"), "it has an #include");
  EXPECT_EQ(ProblemOf("i += __COUNTER__;\n"), "it has an #include");
  EXPECT_EQ(ProblemOf("#pragma once\n"), "it mentions once");
  EXPECT_EQ(ProblemOf("#ifndef ONE\n#define ONE\ni += 1;\n#endif\n"),
            "ONE is another macro at its end");
}

// Nothing in that file can be edited.
TEST(KernelTexts, WithAnIncludeCallNoCopyInIt) {
  const Include Call("i += f(i);\n");
  const UnitFacts Facts = factsOf(
      "__device__ int f(int i) { int a[9]; a[i] = i; return a[i / 2]; }\n"
      "__global__ void k(int i) {" +
      Call.line() + "}\n");
  ASSERT_EQ(Facts.Functions.size(), 2u);
  EXPECT_EQ(Facts.Functions[1].Calls.at(0).Problem,
            "'k' calls it in a file that it includes");
}

TEST(KernelTexts, WithAnIncludeHaveNoWalkingPointersInIt) {
  const Include Pointer("int *p = a;\n");
  auto Walks = [](const std::string &Declaration) {
    return findingOf(
               "__global__ void k(int i, int *out) { int a[9]; a[i] = i;" +
               Declaration + "*out = p[i]; }\n")
        .Trail.has_value();
  };
  EXPECT_TRUE(Walks("int *p = a;"));
  EXPECT_FALSE(Walks(Pointer.line()));
}

// A macro may stand for one that is defined later, but not be used before.
TEST(KernelTexts, WithMacrosForLaterOnes) {
  const std::string Define = "\n#define A B\n", Later = "\n#define B 1\n";
  EXPECT_EQ(problemIn(Define + Later + "i += A;"), "");
  EXPECT_EQ(problemIn("int B = 0;" + Define + "i += A;" + Later),
            "B is another macro at its end");
}

// --- Templates ---------------------------------------------------------------

TEST(TemplateTexts, NameTheirParameters) {
  KernelText T =
      textOf("template <class T, int N>\n"
             "__global__ void kernel(T *) {}\n"
             "void run(int *out) { kernel<int, 4><<<1, 32>>>(out); }");
  EXPECT_EQ(T.TemplateHead, "template <class T, int N>");
  EXPECT_EQ(T.TemplateArguments, "<T, N>");
  EXPECT_EQ(T.Definition.Offset, 0u);
  EXPECT_EQ(T.Specifiers.Offset, 26u);
  EXPECT_EQ(T.Type.Offset, 37u);
  EXPECT_EQ(T.Type.Length, 4u);
  EXPECT_EQ(T.Problem + T.VersionProblem, "");
}

TEST(TemplateTexts, LeaveDefaultArgumentsOut) {
  auto Head = [](const std::string &Parameters,
                 const std::string &Arguments = "<>") {
    KernelText T = templateText(Parameters, Arguments,
                                "template <class> struct Box {};\n"
                                "constexpr int Few = 4;");
    EXPECT_EQ(T.Problem + T.VersionProblem, "") << Parameters;
    return T.TemplateHead;
  };
  EXPECT_EQ(Head("class T = int"), "template <class T>");
  EXPECT_EQ(Head("typename T = Box<Box<int>>"), "template <typename T>");
  EXPECT_EQ(Head("class T, class U = T", "<int>"),
            "template <class T, class U>");
  EXPECT_EQ(Head("int N = 4"), "template <int N>");
  EXPECT_EQ(Head("int N=Few"), "template <int N>");
  EXPECT_EQ(Head("int N = 4, bool B = (N > 2)"), "template <int N, bool B>");
  EXPECT_EQ(Head("unsigned N = 2 * (Few + 1)"), "template <unsigned N>");
  EXPECT_EQ(Head("void (*F)(int) = nullptr"), "template <void (*F)(int)>");
  EXPECT_EQ(Head("class T =\n    int,\n  int N\n= 4"),
            "template <class T, int N>");
}

// What is left must be a head yet, or there is no version.
TEST(TemplateTexts, LeaveCommentsOfDefaultArgumentsOut) {
  for (const char *Parameter :
       {"int N = /* few */ 4", "int N = // few\n 4", "int N // few\n = 4"}) {
    const KernelText T = templateText(Parameter, "<>");
    EXPECT_TRUE(!T.VersionProblem.empty() ||
                T.TemplateHead == "template <int N>" ||
                T.TemplateHead == "template <int N // few\n>")
        << T.TemplateHead;
  }
}

TEST(TemplateTexts, HavePacks) {
  KernelText T = templateText("int N, class... P", "<4, int, char>");
  EXPECT_EQ(T.TemplateHead, "template <int N, class... P>");
  EXPECT_EQ(T.TemplateArguments, "<N, P...>");
  T = templateText("int... N", "<4, 8>");
  EXPECT_EQ(T.TemplateHead, "template <int... N>");
  EXPECT_EQ(T.TemplateArguments, "<N...>");
  EXPECT_EQ(T.Problem + T.VersionProblem, "");
}

TEST(TemplateTexts, WithParametersThatCannotBeRepeatedHaveNoVersion) {
  auto Problem = [](const std::string &Parameters,
                    const std::string &Arguments = "<int>",
                    const std::string &Before = "") {
    KernelText T = templateText(Parameters, Arguments, Before);
    EXPECT_EQ(T.Problem, "");
    // It is known to be a template nevertheless.
    EXPECT_NE(T.TemplateHead, "");
    return T.VersionProblem;
  };
  const std::string Why = "its template parameters cannot be repeated";
  EXPECT_EQ(Problem("class"), Why);
  EXPECT_EQ(Problem("class T, int", "<int, 4>"), Why);
  EXPECT_EQ(Problem("class...", "<int, char>"), Why);
  EXPECT_EQ(Problem("template <class> class B", "<Box>",
                    "template <class> struct Box {};"),
            Why);
  // Inside the row they would be its members.
  for (const char *Name : {"row", "both", "of", "type"})
    EXPECT_EQ(Problem("class " + std::string(Name)), Why);
  EXPECT_NE(Problem("int N = __COUNTER__", "<>"), "");
  EXPECT_EQ(Problem("int N = FEW", "<>", "#define FEW 4"), Why);
  EXPECT_EQ(Problem("class T DEFAULT", "<>", "#define DEFAULT = int"), Why);
  EXPECT_EQ(Problem("BOTH", "<int, 4>", "#define BOTH class T, int N"), Why);
  EXPECT_EQ(Problem("class T", "<int>"), "");
}

TEST(TemplateTexts, WithAnotherTypeThanAWrittenVoidHaveNoVersion) {
  auto Problem = [](const std::string &Type, const std::string &Before = "") {
    return templateText("class T", "<int>", Before, Type).VersionProblem;
  };
  const std::string Why = "its type is not written as void";
  EXPECT_EQ(Problem("__global__ None", "using None = void;"), Why);
  EXPECT_EQ(Problem("__global__ NONE", "#define NONE void"), Why);
  EXPECT_EQ(Problem("KERNEL", "#define KERNEL __global__ void"), Why);
  EXPECT_EQ(Problem("void __global__"), "");
  EXPECT_EQ(Problem("__global__ void __launch_bounds__(64)"), "");
  EXPECT_EQ(textOf("template <class T> __global__ auto k() -> void {}\n"
                   "template __global__ void k<int>();\n")
                .VersionProblem,
            Why);
}

// In a member of its row such a name would mean another one.
TEST(TemplateTexts, WithANameOfTheRowHaveNoVersion) {
  for (const std::string Name : {"Here", "row", "both", "of", "type"}) {
    const KernelText T =
        textOf("template <class T> __global__ void " + Name +
               "() {}\ntemplate __global__ void " + Name + "<int>();\n");
    EXPECT_NE(T.Problem + T.VersionProblem, "") << Name;
    EXPECT_EQ(problemOf("__global__ void " + Name + "() {}\n"), "");
  }
}

// Its head is written nowhere.
TEST(TemplateTexts, WithoutAHeadHaveNoVersion) {
  for (const char *Code :
       {"__global__ void k(auto x) {}\n"
        "template __global__ void k<int>(int);\n",
        "template <class T> __global__ void k(T t, auto x) {}\n"
        "template __global__ void k<int, int>(int, int);\n"}) {
    const UnitFacts Facts =
        factsOf(Code, [](llvm::StringRef) { return true; }, {"-std=c++20"});
    EXPECT_NE(Facts.Kernels.at(0).Text.VersionProblem, "") << Code;
  }
}
