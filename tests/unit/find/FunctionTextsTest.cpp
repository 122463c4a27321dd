//===-- FunctionTextsTest.cpp - what copies of functions need -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// The functions in \p Code that hold arrays or lead to some, by their names;
/// kernels have none.
std::map<std::string, FunctionText> functionsIn(const std::string &Code) {
  std::map<std::string, FunctionText> Result;
  for (const FunctionText &F : factsOf(Code).Functions)
    Result[Code.substr(F.Name.Offset, F.Name.Length)] = F;
  return Result;
}

/// A function `f` with an array, between \p Before and the kernel, which says
/// \p Call.
std::string program(const std::string &Function,
                    const std::string &Call = "f(i)") {
  return Function + "\n__global__ void k(int i) { " + Call + "; }\n";
}

constexpr const char *Plain = "__device__ int f(int i) { int a[9]; a[i] = i; "
                              "return a[i / 2]; }";

/// What stands against a copy of the function \p Code.
std::string problemOf(const std::string &Code,
                      const std::string &Call = "f(i)") {
  for (const FunctionText &F : factsOf(program(Code, Call)).Functions)
    if (F.Problem != "it is a kernel")
      return F.Problem;
  return "none was found";
}

/// Why the kernel of \p Code calls copies by no name.
std::string problemOfCallIn(const std::string &Code) {
  for (const FunctionText &F : factsOf(Code).Functions)
    if (F.Problem == "it is a kernel" && F.Calls.size() == 1)
      return F.Calls.front().Problem;
  return "there is not one call";
}

/// The names by which the kernel of \p Code calls functions that lead to
/// arrays; "?" for one that cannot change.
std::string callsIn(const std::string &Code) {
  std::string Names;
  for (const FunctionText &F : factsOf(Code).Functions)
    if (F.Problem == "it is a kernel")
      for (const NamedCall &C : F.Calls)
        Names += C.Name.isValid()
                     ? Code.substr(C.Name.Offset, C.Name.Length) + " "
                     : "? ";
  return Names;
}

/// Options for device code that is linked.
const std::vector<std::string> Linked = {"-fgpu-rdc"};

UnitFacts factsOf(const std::string &Code,
                  const std::vector<std::string> &Options) {
  return bankstripe::testing::factsOf(
      Code, [](llvm::StringRef) { return true; }, Options);
}

/// What a version of the kernel of \p Code declares before it.
std::string declaredIn(const std::string &Code,
                       const std::vector<std::string> &Options = {}) {
  std::string Result;
  for (const FunctionText &F : factsOf(Code, Options).Functions)
    if (F.Problem == "it is a kernel")
      for (const NamedCall &C : F.Calls)
        for (const std::string &D : C.Declarations)
          Result += D;
  return Result;
}

/// A kernel that calls `f`, which \p Declaration declares, before it is
/// defined.
std::string early(const std::string &Declaration) {
  return Declaration + "\n__global__ void k(int i) { f(i); }\n" + Plain + "\n";
}

} // namespace

TEST(FunctionTexts, AreOfAllThatLeadsToAnArray) {
  const std::string Code = program(
      std::string(Plain) + "\n__device__ int g(int i) { return f(i) + 1; }\n"
                           "__device__ int h(int i) { return i; }",
      "g(h(i))");
  const auto Functions = functionsIn(Code);
  EXPECT_EQ(Functions.size(), 3u);
  EXPECT_EQ(Functions.count("h"), 0u);
  ASSERT_EQ(Functions.at("g").Calls.size(), 1u);
  EXPECT_EQ(Functions.at("g").Calls[0].Callees[0], Functions.at("f").Where);
  EXPECT_EQ(callsIn(Code), "g ");
}

TEST(FunctionTexts, AreWholeDefinitions) {
  const std::string Code =
      program("template <int N> __device__ int f(int i) { int a[N]; a[i] = i; "
              "return a[i / 2]; }",
              "f<9>(i)");
  const FunctionText F = functionsIn(Code).at("f");
  EXPECT_EQ(F.Problem, "");
  EXPECT_EQ(F.Definition.Offset, 0u);
  EXPECT_EQ(Code[F.Definition.end() - 1], '}');
  EXPECT_EQ(F.StaticPlace.Offset, Code.find("__device__"));
  EXPECT_EQ(callsIn(Code), "f ");
}

TEST(FunctionTexts, AreStaticOnce) {
  const std::string Code = program(std::string("static ") + Plain);
  EXPECT_FALSE(functionsIn(Code).at("f").StaticPlace.isValid());
  EXPECT_TRUE(functionsIn(program(Plain)).at("f").StaticPlace.isValid());
}

TEST(FunctionTexts, MayBeMembers) {
  const std::string Code =
      program(std::string("struct S { ") + Plain + " };", "S s; s.f(i)");
  EXPECT_EQ(functionsIn(Code).at("f").Problem, "");
  EXPECT_FALSE(functionsIn(Code).at("f").StaticPlace.isValid());
  EXPECT_EQ(callsIn(Code), "f ");
}

TEST(FunctionTexts, NeedNames) {
  const std::string Body = "(int i) { int a[9]; a[i] = i; n = a[i / 2]; }";
  EXPECT_EQ(
      problemOf("struct S { int n; __device__ S" + Body + " };", "S s(i)"),
      "it is a constructor or a destructor");
  EXPECT_EQ(
      problemOf("struct S { int n; __device__ void operator()" + Body + " };",
                "S s; s(i)"),
      "it is an operator");
  EXPECT_EQ(
      problemOf("struct S { int n; virtual __device__ void f" + Body + " };",
                "S s; s.f(i)"),
      "it is virtual");
}

// A copy would be missing where the other definition counts.
TEST(FunctionTexts, AreNoneWhereAConditionChoosesTheDefinition) {
  auto ProblemIf = [](const std::string &Condition, const std::string &Other) {
    return problemOf("#if " + Condition + "\n" + Plain + "\n#else\n" + Other +
                     "\n#endif");
  };
  const std::string Problem =
      "text that a condition leaves out may define it, too";
  EXPECT_EQ(ProblemIf("__CUDA_ARCH__ >= 500",
                      "__device__ int f(int i) { return i; }"),
            Problem);
  EXPECT_EQ(ProblemIf("1", "__device__ int f(int);"), Problem);
  EXPECT_EQ(ProblemIf("1", "__device__ int g(int);"), "");
  EXPECT_EQ(ProblemIf("1", "int n = f(0);"), "");
}

TEST(FunctionTexts, SayWhyANameStays) {
  EXPECT_EQ(problemOfCallIn(program(Plain)), "");
  EXPECT_EQ(problemOfCallIn(program(Plain, "int (*p)(int) = f; p(i)")),
            "its address is taken in 'k'");
  EXPECT_EQ(problemOfCallIn(std::string("#define CALL f(i)\n") +
                            program(Plain, "CALL")),
            "'k' calls it without its name");
  EXPECT_EQ(problemOfCallIn(early("__device__ int f(int i), h(int);")),
            "'k' calls it before its definition");
}

TEST(FunctionTexts, CannotShareVariables) {
  auto With = [](const std::string &Variable) {
    return problemOf("__device__ int f(int i) { " + Variable +
                     " int a[9]; a[i] = i; return a[i / 2]; }");
  };
  EXPECT_EQ(With("static int calls;"), "its calls share 'calls'");
  EXPECT_EQ(With("__shared__ int tile[4];"), "its calls share 'tile'");
  EXPECT_EQ(With("static const int four = 4;"), "");
  EXPECT_EQ(With("extern __shared__ int tile[];"), "");
}

TEST(FunctionTexts, CannotBeSpecializations) {
  EXPECT_NE(problemOf("template <int N> __device__ int f(int i) { return N; }\n"
                      "template <> __device__ int f<9>(int i) { int a[9]; "
                      "a[i] = i; return a[i / 2]; }",
                      "f<9>(i)"),
            "");
}

TEST(FunctionTexts, CannotHaveDefaultsElsewhere) {
  EXPECT_NE(problemOf(std::string("__device__ int f(int i = 1);\n") + Plain),
            "");
  EXPECT_EQ(problemOf(std::string("__device__ int f(int i);\n") + Plain), "");
}

TEST(FunctionTexts, CannotBeFriends) {
  EXPECT_NE(
      problemOf(
          std::string("class C { friend __device__ int f(int); int n; };\n") +
          Plain),
      "");
}

TEST(FunctionTexts, MustSayThatTheyAreForTheHost) {
  const std::string Rest = " int f(int i) { int a[9]; a[i] = i; "
                           "return a[i / 2]; }";
  EXPECT_EQ(problemOf("__host__ __device__" + Rest), "");
  EXPECT_NE(problemOf("#define BOTH __host__ __device__\nBOTH" + Rest), "");
}

TEST(FunctionTexts, CannotSayTheirNames) {
  EXPECT_NE(problemOf("__device__ const char *f(int i) { int a[9]; a[i] = i; "
                      "return __func__ + a[i / 2]; }"),
            "");
}

TEST(FunctionTexts, NeedNamesThatAreFree) {
  EXPECT_NE(problemOf(std::string("__device__ int f_striped;\n") + Plain), "");
}

TEST(FunctionTexts, AreNotCalledInMacros) {
  EXPECT_EQ(
      callsIn(std::string("#define CALL f(i)\n") + program(Plain, "CALL")),
      "? ");
}

// Another kernel may call what the pointer points to.
TEST(FunctionTexts, AreNotPointedTo) {
  EXPECT_EQ(callsIn(program(Plain, "int (*p)(int) = f; p(i)")), "? ");
  EXPECT_EQ(callsIn(program(Plain, "int (*p)(int) = &f; p(i)")), "? ");
  EXPECT_EQ(callsIn(program(Plain, "(f)(i)")), "f ");
}

// The copy stands behind the definition, so a version that stands before it
// declares it.
TEST(FunctionTexts, AreDeclaredBeforeTheyAreCalled) {
  EXPECT_EQ(declaredIn(early("__device__ int f(int i);")),
            "static __device__ int f_striped(int i);");
  EXPECT_EQ(declaredIn(early("static __device__ int\nf(int);")),
            "static __device__ int\nf_striped(int);");
  EXPECT_EQ(declaredIn(early("#define T int\n__device__ int f(T i);")),
            "static __device__ int f_striped(T i);");
  EXPECT_EQ(declaredIn("__host__ __device__ int f(int);\n__global__ void k(int "
                       "i) { f(i); }\n__host__ " +
                       std::string(Plain)),
            "static __device__ int f_striped(int);");
  EXPECT_EQ(declaredIn("template <int N> __device__ int f(int);\n"
                       "__global__ void k(int i) { f<9>(i); }\n"
                       "template <int N> __device__ int f(int i) { int a[N]; "
                       "a[i] = i; return a[i / 2]; }"),
            "template <int N> static __device__ int f_striped(int);");
  EXPECT_EQ(
      declaredIn(program(std::string("__device__ int f(int);\n") + Plain)), "");
}

TEST(FunctionTexts, AreDeclaredInTheirNamespaces) {
  auto DeclaredFor = [](const std::string &Kernel) {
    return declaredIn(
        "namespace n { namespace m { __device__ int f(int); } }\n" + Kernel +
        "\nnamespace n { namespace m { " + Plain + " } }");
  };
  EXPECT_EQ(DeclaredFor("__global__ void k(int i) { n::m::f(i); }"),
            "namespace n { namespace m { static __device__ int "
            "f_striped(int); } }");
  EXPECT_EQ(
      DeclaredFor("namespace n { __global__ void k(int i) { m::f(i); } }"),
      "namespace m { static __device__ int f_striped(int); }");
  EXPECT_EQ(
      DeclaredFor("namespace o { __global__ void k(int i) { n::m::f(i); } }"),
      "");
}

// What they lead to is for the plan to say.
TEST(FunctionTexts, OfLinkedCodeNameWhatOtherUnitsDefine) {
  auto Elsewhere = [](const std::string &Code,
                      const std::vector<std::string> &Options = Linked) {
    std::string Symbols;
    for (const FunctionText &F : factsOf(Code, Options).Functions)
      for (const NamedCall &C : F.Calls)
        for (const std::string &Symbol : C.Elsewhere)
          Symbols += Symbol + " ";
    return Symbols;
  };
  const std::string Code = program("__device__ int f(int);");
  EXPECT_EQ(Elsewhere(Code), "_Z1fi ");
  EXPECT_EQ(declaredIn(Code, Linked), "__device__ int f_striped(int);");
  EXPECT_EQ(Elsewhere(Code, {}), "");
  EXPECT_EQ(Elsewhere(program("static __device__ int f(int);")), "");
  EXPECT_EQ(Elsewhere(program("inline __device__ int f(int);")), "");
  EXPECT_EQ(declaredIn(program("extern __device__ int f(int);"), Linked),
            "extern __device__ int f_striped(int);");
}

// Others call the copy, too.
TEST(FunctionTexts, OfLinkedCodeHaveSymbolsAndAreNotStatic) {
  auto IsForOthers = [](const std::string &Code) {
    for (const FunctionText &F : factsOf(program(Code), Linked).Functions)
      if (F.Problem.empty()) {
        EXPECT_EQ(F.Symbol.empty(), F.StaticPlace.isValid());
        return F.Symbol == "_Z1fi";
      }
    return false;
  };
  EXPECT_TRUE(IsForOthers(Plain));
  EXPECT_TRUE(
      IsForOthers("extern __device__ int f(int);\n" + std::string(Plain)));
  EXPECT_FALSE(IsForOthers("inline " + std::string(Plain)));
  EXPECT_TRUE(functionsIn(program(Plain)).at("f").Symbol.empty());
}

TEST(FunctionTexts, AreNotCalledWhereNothingDeclaresThem) {
  for (const char *Before :
       {"__device__ int f(int i), h(int);", "__device__ int h(int), f(int);",
        "#define T int\n__device__ int f(T i);\n#undef T",
        "#define F(name) __device__ int name(int i)\nF(f);",
        "__device__ int f(\n#if 1\nint i\n#endif\n);",
        "extern __device__ int f(int);"})
    EXPECT_EQ(callsIn(early(Before)), "? ") << Before;
  EXPECT_EQ(callsIn("#define BOTH __host__ __device__\nBOTH int f(int);\n"
                    "__global__ void k(int i) { f(i); }\n__host__ " +
                    std::string(Plain)),
            "? ");
}

// What the types of its arguments lead to is looked up for each instance.
TEST(FunctionTexts, AreKnownToEarlierTemplatesByTheirArguments) {
  const std::string Code =
      "struct S { int n; };\n"
      "template <class T> __global__ void k(T s) { f(s); }\n"
      "__device__ int f(S s) { int a[9]; a[s.n] = 1; return a[s.n / 2]; }\n"
      "template __global__ void k(S);\n";
  EXPECT_EQ(callsIn(Code), "f ");
  EXPECT_EQ(declaredIn(Code), "");
}

TEST(FunctionTexts, AreNotCalledByUsedNames) {
  EXPECT_EQ(
      callsIn(program(std::string("namespace n { ") + Plain + " }\nusing n::f;",
                      "f(i)")),
      "? ");
  EXPECT_EQ(
      callsIn(program(std::string("namespace n { ") + Plain + " }", "n::f(i)")),
      "f ");
}

TEST(FunctionTexts, AreNotCalledByTheNamesOfParameters) {
  const std::string Code =
      std::string(Plain) +
      "\ntemplate <int (*F)(int)> __global__ void k(int i) { F(i); }\n"
      "template __global__ void k<f>(int);\n";
  EXPECT_EQ(callsIn(Code), "? ");
}

// `f` means another function in another instance.
TEST(FunctionTexts, AreNamedInAllInstances) {
  const std::string Code =
      std::string(Plain) +
      "\n__device__ float f(float x) { return x; }\n"
      "template <class T> __global__ void k(T i) { f(i); }\n"
      "template __global__ void k(int);\ntemplate __global__ void k(float);\n";
  for (const FunctionText &F : factsOf(Code).Functions)
    if (F.Problem == "it is a kernel") {
      ASSERT_EQ(F.Calls.size(), 1u);
      EXPECT_EQ(F.Calls[0].Callees.size(), 2u);
    }
}
