//===-- SideBridgesTest.cpp - what is the host's and the device's ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "support/ParseSnippet.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

/// What a macro of the device's calls, which the host does not have.
constexpr char OfDevice[] =
    "__device__ float bits(int); __device__ float bits(int x) { return x; }\n"
    "template <class T> __device__ T twice(T x) { return x + x; }\n"
    "struct Box { float v; __device__ float get() const { return v; } };\n"
    "#ifdef __CUDA_ARCH__\n#define LARGE (bits(3) + twice(2.f))\n"
    "#define GET(B) B.get()\n"
    "#else\n#define LARGE 1e30f\n#define GET(B) B.v\n#endif\n";

TEST(SideBridges, DefinitionsWithoutTheSpecifiersOfTheirDeclarations) {
  EXPECT_TRUE(parsesBridged(
      "template <class T> struct V { T x; __host__ __device__ V(T);\n"
      "  __host__ __device__ T get() const; };\n"
      "template <class T> V<T>::V(T t) : x(t) {}\n"
      "template <class T> inline T V<T>::get() const { return x; }\n"
      "__host__ __device__ int twice(int);\n"
      "int twice(int a) { return a + a; }\n"
      "__global__ void k(int *p) { p[0] = twice(V<int>(3).get()); }\n"));
}

TEST(SideBridges, GiveNoSpecifiersToFunctionsBesideSuchADefinition) {
  llvm::Error E = parseSnippet(
      "__host__ __device__ int twice(int);\n"
      "int before(int a) { return a; }\n"
      "int twice(int a) { return a + a; }\n"
      "int after(int a) { return a; }\n",
      "snippet.cu", [](ParsedUnit &Unit) {
        for (const clang::Decl *D :
             Unit.compiler().getASTContext().getTranslationUnitDecl()->decls())
          if (const auto *F = dyn_cast<clang::FunctionDecl>(D);
              F && F->getIdentifier())
            for (const char *Name : {"before", "after"})
              EXPECT_FALSE(F->getName() == Name &&
                           F->hasAttr<clang::CUDADeviceAttr>())
                  << Name;
      });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
}

// The namespace ends long behind the definition.
TEST(SideBridges, GiveNoSpecifiersToTheRestOfANamespace) {
  EXPECT_TRUE(parsesBridged(
      "namespace points {\n"
      "__host__ __device__ int twice(int);\n"
      "template <class T> __device__ int on(T a);\n"
      "inline int twice(int a) { return a + a; }\n"
      "template <class T> __device__ int on(T a) { return twice(a); }\n"
      "}\n"
      "__global__ void k(int *p) { p[0] = points::on(p[1]); }\n"));
}

TEST(SideBridges, FunctionsOfTheHostThatAreOnlyNamed) {
  const std::string Helper = "template <class T, unsigned long N>\n"
                             "char (&sizeHelper(T (&)[N]))[N];\n";
  EXPECT_TRUE(parsesBridged(Helper + "__global__ void k(int *p) { int a[7];\n"
                                     "  p[0] = sizeof(sizeHelper(a)); }\n"));
}

TEST(SideBridges, FunctionsOfTheDeviceThatAreOnlyNamed) {
  EXPECT_TRUE(parsesBridged(
      "struct Square { __device__ int operator()(int x) const { return x; } "
      "};\n"
      "__device__ int once(int);\n"
      "int run(Square s) { decltype(s(3)) x = sizeof(once(3)); return x; }\n"));
}

TEST(SideBridges, CallsOfTheHostByDeviceCodeStayErrors) {
  for (const char *Call : {"*p = f(1);", "auto g = [=] { *p = f(1); };"
                                         "g();"})
    EXPECT_THAT(failureOf("int f(int);\n__global__ void k(int *p) { " +
                          std::string(Call) + " }\n"),
                HasSubstr("'f'"))
        << Call;
}

TEST(SideBridges, FunctionsOfTheHostMayCallTheDeviceInItsPass) {
  for (const char *Use :
       {"inline float f(float x) { return x - LARGE; }",
        "float f(Box b) { return GET(b); }",
        "static float g = LARGE; float h[2] = {LARGE, 0};",
        "struct S { float a = LARGE, b; S() : b(LARGE) {}\n"
        "  float f(float x = LARGE) { return x; } static float s; };\n"
        "float S::s = LARGE;\n float g() { return S().f(); }",
        "template <class T> T f(T x) { return x + LARGE; }\n"
        "template <class T> struct S { T a = LARGE; T f() { return LARGE; } };"
        "float g() { return f(1.f) + S<float>().f(); }",
        "float f() { auto g = [](auto x) { return x + LARGE; };"
        "  return g(1); }",
        "constexpr float f(bool b) { return b ? 1 : LARGE; }\n"
        "float g() { static float s = LARGE; return f(true) + s; }"})
    EXPECT_TRUE(parsesBridged(std::string(OfDevice) + Use + "\n")) << Use;
}

// Templates are instantiated by what the host launches.
TEST(SideBridges, LaunchesBesideSuchCallsStay) {
  unsigned Calls = 0;
  EXPECT_EQ(hostViewOf(std::string(OfDevice) +
                           "template <class T> __global__ void k(T x) {}\n"
                           "void run() { k<<<1, 32>>>(LARGE); }\n",
                       Calls),
            HostView::Read);
  EXPECT_EQ(Calls, 1u);
}

TEST(SideBridges, CallsOfTheDeviceThatTheHostMakesItselfStayErrors) {
  const std::string Code = OfDevice;
  for (const char *Use :
       {"float f() { return bits(1) + LARGE; }", "float g = bits(1);",
        "float f() { return LARGE + missing(1); }"})
    EXPECT_FALSE(parsesBridged(Code + Use + "\n")) << Use;
}

TEST(SideBridges, HostFunctionsThatAFunctionForBothSidesCalls) {
  EXPECT_TRUE(
      parsesBridged("#include <cstdlib>\n#include <utility>\n"
                    "int ofHost(int x) { return x; }\n"
                    "template <class T> T ofHostToo(T x) { return x; }\n"
                    "__host__ __device__ inline int f(int x) {\n"
                    "  int y = 1; std::swap(x, y);\n"
                    "  if (x > 9) abort();\n"
                    "  return x > 3 ? ofHost(x) : ofHostToo(x); }\n"
                    "__global__ void k(int *p) { *p = f(*p); }\n"));
  // nvcc rejects these.
  for (const char *Side : {"__device__", "__global__"})
    EXPECT_THAT(failureOf("int ofHost(int x) { return x; }\n" +
                          std::string(Side) +
                          " void f(int *x) { *x = ofHost(*x); }\n"),
                HasSubstr("call to __host__ function"));
}

TEST(SideBridges, DestructorsOfTheHost) {
  EXPECT_TRUE(parsesBridged(
      "struct Shape { virtual ~Shape() {} __device__ int f() { return 1; } };\n"
      "struct Square : Shape {};\n"
      "__global__ void k(int *p) { Square s; Shape t; *p = s.f() + t.f(); "
      "}\n"));
}

TEST(SideBridges, SpecializationsForOneSideOfATemplateForBoth) {
  const std::string Template =
      "template <class T> inline __host__ __device__ float rounded(T t);\n";
  EXPECT_TRUE(parsesBridged(
      Template + "template <> inline __device__ float rounded(int i) {\n"
                 "  return i; }\n"
                 "__global__ void k(float *p) { p[0] = rounded(1); }\n"));
  EXPECT_THAT(
      failureOf(Template + "template <> float rounded(int i, int j);\n"),
      HasSubstr("no function template matches"));
}

TEST(SideBridges, ObjectsOfTheDeviceThatAContainerOfTheHostMakes) {
  const std::string Container = "template <class T> struct Container {\n"
                                "  T *add(int x) { return new T(x); } };\n";
  EXPECT_TRUE(parsesBridged(
      Container + "struct S { int v; __device__ S(int x) : v(x) {} };\n"
                  "void fill(Container<S> &c) { c.add(3); }\n"));
  // Nor does nvcc mind what is constexpr, if it is asked not to.
  EXPECT_TRUE(parsesBridged(
      "template <class T> __device__ static constexpr auto f(T t) {\n"
      "  return t + 1; }\n"
      "template <class T> int run(T t) { return f(t); }\n"
      "int g() { return run(3); }\n"));
  // Overloads for each side are no constructors.
  EXPECT_THAT(failureOf("__device__ int f(int);\n"
                        "int run() { return f(3); }\n"),
              HasSubstr("no matching function"));
}

TEST(SideBridges, ClosuresWhoseMembersOnlyTheHostCopies) {
  EXPECT_TRUE(parsesBridged(
      "struct Handle { int *p; Handle(int *q) : p(q) {}\n"
      "  Handle(const Handle &o) : p(o.p) {} };\n"
      "struct View { Handle h; int *p; };\n"
      "template <class F> __device__ void call(F f, int i) { f(i); }\n"
      "template <class F> __global__ void run(F f) { call(f, 3); }\n"
      "void go(int *d) { View v{d, d};\n"
      "  run<<<1, 32>>>([=] __device__(int i) { v.p[i] = i; }); }\n"));
  // As far as the host's functions call others, and variables.
  EXPECT_TRUE(parsesBridged(
      "int users;\n"
      "int f() { return ++users; } int g() { return f(); }\n"
      "int h() { return g(); } struct I { virtual void end(); };\n"
      "struct Owner { I *i; Owner(); Owner(const Owner &o) : i(o.i) { h(); }\n"
      "  ~Owner() { if (h()) i->end(); } };\n"
      "template <class F> struct Call { F f; };\n"
      "template <class F> __global__ void run(F f) {\n"
      "  Call<F> c{static_cast<F &&>(f)}; c.f(3); }\n"
      "void go(int *d) { Owner o;\n"
      "  run<<<1, 32>>>([=] __device__(int i) { if (o.i) d[i] = i; }); }\n"));
}

} // namespace
