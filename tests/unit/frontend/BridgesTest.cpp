//===-- BridgesTest.cpp - differences that Clang's errors name ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "support/ParseSnippet.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr char Kernel[] = "__global__ void k(int *p) {}\n";

TEST(Bridges, LaunchesWithBlanksInTheirAngles) {
  EXPECT_TRUE(parsesBridged(std::string(Kernel) +
                            "void run(int *p) {\n"
                            "  k << <1, 32 >> >(p); k < < <1, 32> > >(p);\n"
                            "  k<< \n <1, 32>>>(p); k<<<1, 32> >>(p); }\n"));
  EXPECT_THAT(failureOf("int f(int a) { return a << < 2; }\n"),
              HasSubstr("write '<<<' and '>>>' without blanks"));
}

TEST(Bridges, BoundsThatNameAConstantByAReference) {
  const std::string Bins = "template <class T> struct Bins {\n"
                           "  enum { N = 8 }; T all[N]; };\n";
  EXPECT_TRUE(parsesBridged(
      Bins + "template <class T> __device__ T f(const Bins<T> &b, int i) {\n"
             "  T a[(int)b.N], c[2 * b.N][b.N]; a[0] = b.all[i];\n"
             "  c[i][i] = a[i]; return c[1][i]; }\n"
             "__global__ void k(float *p, Bins<float> b) { *p = f(b, 1); }\n"));
  EXPECT_THAT(failureOf("__global__ void k(int *p, int n) { int a[n]; }\n"),
              Not(HasSubstr("T::N")));
  EXPECT_THAT(failureOf("struct S { int n; };\n"
                        "__global__ void k(int *p, S s) { int a[s.n]; }\n"),
              HasSubstr("name the constant by its type: T::N"));
}

TEST(Bridges, LeaveTheTextAsTheUserWroteIt) {
  const std::string Code =
      std::string(Kernel) + "void run(int *p) { k<< <1, 32 >> >(p); }\n";
  llvm::Error E = parseSnippet(Code, "snippet.cu", [&](ParsedUnit &Unit) {
    const auto &SM = Unit.compiler().getSourceManager();
    EXPECT_EQ(SM.getBufferData(SM.getMainFileID()), Code);
  });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
}

TEST(Bridges, NeverWriteAFile) {
  const std::string Code =
      std::string(Kernel) + "void run(int *p) { k<< <1, 32 >> >(p); }\n";
  TemporaryFolder Folder;
  const std::string Header = Folder.write("run.h", Code);
  const Parsed P =
      parse(builtinJob(Folder.write("a.cu", "#include \"run.h\"\n")));
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
  EXPECT_EQ(P.Diagnostics, "");
  auto Kept = llvm::MemoryBuffer::getFile(Header);
  ASSERT_TRUE(bool(Kept));
  EXPECT_EQ((*Kept)->getBuffer(), Code);
}

TEST(Bridges, BracedLaunchConfigurations) {
  EXPECT_TRUE(
      parsesBridged(std::string(Kernel) +
                    "void run(int *p) { k<<<{2}, {16, 1, 1}, {}, {}>>>(p);\n"
                    "  k<<<1, {}>>>(p); }\n"));
  EXPECT_THAT(failureOf("int f(int a) { return a + {2}; }\n"),
              HasSubstr("error:"));
}

TEST(Bridges, FunctionsWithTheNamesOfClangsOwn) {
  EXPECT_TRUE(
      parsesBridged("static unsigned long long __rdtsc(void) { return 1; }\n"
                    "int run() { return int(__rdtsc()); }\n"));
  EXPECT_THAT(failureOf("int f(); static int f() { return 1; }\n"),
              HasSubstr("static declaration"));
}

TEST(Bridges, EnumeratorsThatAskAnArrayForItsLength) {
  const Parsed P = parseBridged(
      "template <class T, unsigned long N>\n"
      "constexpr unsigned long size(const T (&)[N]) { return N; }\n"
      "int run() { const int a[5] = {}; enum { M = size(a) };\n"
      "  static_assert(M == 5); return M; }\n"
      "__global__ void k(int *p) { int b[6]; enum { M = size(b) };\n"
      "  static_assert(M == 6); p[0] = M; }\n");
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
}

TEST(Bridges, EnumeratorsThatAskForAValueStayErrorsWithAdvice) {
  EXPECT_THAT(parseBridged("constexpr int first(const int (&a)[5]) {\n"
                           "  return a[0]; }\n"
                           "int run() { const int a[5] = {3};\n"
                           "  enum { M = first(a) }; return M; }\n")
                  .Diagnostics,
              HasSubstr("use a 'constexpr' variable"));
}

TEST(Bridges, ListsThatSeveralAssignmentsTake) {
  const std::string Half =
      "struct Raw { int x; };\n"
      "struct Half { int x; Half() = default; Half(const Half &) = default;\n"
      "  Half &operator=(const Half &); Half &operator=(const Half &&);\n"
      "  Half &operator=(const Raw &); };\n";
  EXPECT_TRUE(parsesBridged(Half +
                            "void run(Half *p) { Half h; h = {}; p[1] = {};\n"
                            "}\n"));
  EXPECT_THAT(failureOf("struct A { operator int(); operator long(); };\n"
                        "int run(A a) { return a + a; }\n"),
              HasSubstr("ambiguous"));
}

TEST(Bridges, MemoryOfTheDeviceBelowUsingNamespaceStd) {
  EXPECT_TRUE(parsesBridged("__device__ void free(void *);\n"
                            "namespace std { __device__ void free(void *); }\n"
                            "using namespace std;\n"
                            "__global__ void k(int *p) { free(p); }\n"));
  EXPECT_THAT(failureOf("struct S { __device__ void free(int);\n"
                        "  __device__ void free(float); };\n"
                        "__global__ void k(S *s, double d) { s->free(d); }\n"),
              Not(HasSubstr("write '::'")));
}

TEST(Bridges, MembersOfTemplatesWithoutTheKeyword) {
  EXPECT_TRUE(parsesBridged(
      "template <class T> struct Cast {\n"
      "  template <int N> static void go(T *, T) {} };\n"
      "template <class T> void run(T *p) { Cast<T>::go<4>(p, 1); }\n"
      "void all(int *p) { run(p); }\n"));
  // Where operators for '<' and '>' are in sight, Clang says something else.
  const std::string Operators = "struct X { int x; };\n"
                                "bool operator<(X, X);\n"
                                "bool operator>(X, X);\n";
  for (const std::string &Before :
       {std::string("struct X { int x; };\n"), Operators})
    EXPECT_TRUE(parsesBridged(
        Before +
        "struct Steps {\n"
        "  template <int N> void go(int) {}\n"
        "  template <int N> int go(X x, int y) { return x.x + N; }\n};\n"
        "template <class T, int N> struct Run {\n"
        "  T steps, *next;\n"
        "  int run(X x) {\n"
        "    return steps.go<N>(x, 1) + next->go<3>(x, this->steps.go<4>(x, "
        "2));"
        "\n  }\n};\n"
        "int all(Run<Steps, 5> r) { return r.run(X{7}); }\n"));
  EXPECT_TRUE(parsesBridged(
      Operators + "struct S { template <int N> int f(X x) { return x.x; } };\n"
                  "template <class T> int call(T t, X x) {\n"
                  "  return t.f<3>(x); }\n"
                  "int all(S s) { return call(s, X{7}); }\n"));
}

TEST(Bridges, OtherNamesInTemplatesWithoutTheirKeywords) {
  for (const char *Code :
       {"struct S { template <int N> int operator()(int x) { return x + N; } "
        "};\n"
        "template <class T> int call(T s) { return s.operator()<3>(1); }\n"
        "int all(S s) { return call(s); }\n",
        "struct A { template <class U> struct B { U x; }; };\n"
        "template <class T> struct Of { using A = ::A; };\n"
        "template <class T> int f() {\n"
        "  using X = typename Of<T>::A::B<int>; return sizeof(X); }\n"
        "int all() { return f<int>(); }\n",
        "template <class T> struct Of { using type = T; };\n"
        "template <class T> T f(int x) { return Of<T>::type(x); }\n"
        "float all() { return f<float>(3); }\n"})
    EXPECT_TRUE(parsesBridged(Code)) << Code;
}

TEST(Bridges, ArithmeticOnPointersToVoid) {
  EXPECT_TRUE(parsesBridged(
      "#define AT(P, N) ((void *)(P) + N)\n"
      "__host__ __device__ inline void *f(void *p, const void *q, int n) {\n"
      "  void *const fixed = p;\n"
      "  q = q + n; q++; p += 4; --p;\n"
      "  if (p - q > 8) return (void *)(fixed + sizeof(void));\n"
      "  return *(n + (int *)p + 1) ? (void *)n + 4 + n : AT(p, n); }\n"
      "__global__ void k(int *p) { *p = f(p, p, 4) == p; }\n"));
  EXPECT_THAT(failureOf("struct S; int all() { return sizeof(S); }\n"),
              HasSubstr("incomplete type"));
  EXPECT_THAT(failureOf("struct S; S *all(S *p) { return p + 1; }\n"),
              HasSubstr("incomplete type"));
}

TEST(Bridges, ListsOfLiteralsForTheHostsArraysOfAnyLength) {
  EXPECT_TRUE(parsesBridged(
      std::string(Kernel) +
      "template <class T> T f(int n) { T a[n] = {}; return a[0]; }\n"
      "float g(int n) { float a[n][3] = {{1, -2.5f}, // and more\n"
      "    {0}}; int b[n]{}; char c[n] = \"c\"; return a[0][1] + b[0] + c[0]; "
      "}\n"
      "float h(int n) { return f<float>(n); }\n"));
  const std::string Advice = "clear the array in a loop";
  EXPECT_THAT(failureOf("int h(int n) { int a[n] = {n}; return a[0]; }\n"),
              Not(HasSubstr(Advice)));
  EXPECT_THAT(failureOf("#define LIST = {}\n"
                        "int h(int n) { int a[n] LIST; return a[0]; }\n"),
              Not(HasSubstr(Advice)));
  TemporaryFolder Folder; // What is included may be so again, for the device.
  Folder.write("sum.h", "int h(int n) { int a[n] = {}; return a[0]; }\n");
  const std::string File = Folder.write("a.cu", "#include \"sum.h\"\n");
  EXPECT_FALSE(parse(builtinJob(File)).Succeeded);
}

// Else a bound that becomes a constant in the next parse would leave an array
// without its list.
TEST(Bridges, ArraysOfTheDeviceKeepTheirLists) {
  const std::string Code =
      "template <class T> struct Bins { enum { N = 8 }; };\n"
      "template <class T> __device__ T f(const Bins<T> &b, int i) {\n"
      "  T a[b.N] = {1}; return a[i]; }\n"
      "__global__ void k(int *p, Bins<int> b) { *p = f(b, *p); }\n";
  std::string Tree;
  llvm::Error E = parseSnippet(Code, "snippet.cu", [&](ParsedUnit &Unit) {
    llvm::raw_string_ostream Stream(Tree);
    Unit.compiler().getASTContext().getTranslationUnitDecl()->print(Stream);
  });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_THAT(Tree, HasSubstr("= {1}"));
  EXPECT_THAT(failureOf("__host__ __device__ int f(int n) {\n"
                        "  int a[n] = {}; return a[0]; }\n"
                        "__global__ void k(int *p) { *p = f(*p); }\n"),
              Not(HasSubstr("clear the array in a loop")));
}

TEST(Bridges, FunctionsInPointersToVoid) {
  EXPECT_TRUE(parsesBridged(
      "__device__ void f(int *p) { *p += 1; }\n"
      "__device__ void *table[] = {&f, f, (void *)f, 1 ? f : f};\n"
      "__device__ const void *const one = f;\n"
      "__global__ void k(int *p) { void *own = f; auto g = (void (*)(int "
      "*))own;"
      " g(p); ((void (*)(int *))table[*p])(p); }\n"));
  EXPECT_THAT(failureOf("const int n = 1; void *p = &n;\n"),
              Not(HasSubstr("cast it to 'void *'")));
  EXPECT_THAT(failureOf("void f(); int *p = f;\n"),
              Not(HasSubstr("cast it to 'void *'")));
}

// nvcc's host compilers warn of it.
TEST(Bridges, ParametersOfTypeAutoAreNone) {
  EXPECT_THAT(
      parseBridged("__device__ int f(auto x) { return x; }\n").Diagnostics,
      HasSubstr("give -std=c++20"));
}

TEST(Bridges, PointersThatAreComparedWithZero) {
  EXPECT_TRUE(parsesBridged("__device__ bool f(const int *p, void *q) {\n"
                            "  return p > 0 && 0 <= q && !(q < 0); }\n"
                            "__global__ void k(int *p) { *p = f(p, p); }\n"));
  EXPECT_THAT(failureOf("bool f(int *p) { return p > 1; }\n"),
              HasSubstr("comparison between pointer and integer"));
}

TEST(Bridges, PragmasForLoopsWhereThereIsNone) {
  EXPECT_TRUE(parsesBridged(R"cu(#pragma unroll
__global__ void k(int *p, int n) {
#pragma unroll
  if (n > 3) for (int i = 0; i < n; ++i) p[i]++;
#pragma unroll 4
  { for (int i = 0; i < n; ++i) p[i]++; }
#pragma unroll
  int j; for (j = 0; j < n; ++j) p[j]++;
#pragma unroll
#pragma unroll 4
  for (j = 0; j < n; ++j) p[j]++;
#pragma unroll -1
  for (j = 0; j < n; ++j) p[j]++;
#pragma unroll true
  for (j = 0; j < n; ++j) p[j]++;
#pragma unroll 5000000000
  for (j = 0; j < n; ++j) p[j]++;
  _Pragma("unroll") p[0] = 3;
#pragma nounroll
}
struct S {
#pragma unroll
  int a;
};
template <int N> __global__ void t(int *p) {
#pragma unroll N - 3
  for (int j = 0; j < N; ++j) p[j]++;
}
void run(int *p) { t<2><<<1, 1>>>(p); }
)cu"));
  EXPECT_THAT(failureOf("void f() {\n#pragma pack\n  1 + ; }\n"),
              HasSubstr("expected expression"));
}

TEST(Bridges, NamesOfRegistersWithOnePercent) {
  EXPECT_TRUE(parsesBridged(
      R"cu(__global__ void k(int *p) { int lane = 0, pred = 0;
  asm volatile("{\n .reg .b32 %rx;\n .reg .pred %px;\n elect.sync %rx|%px, %2;"
               " @%px mov.s32 %1, 1;\n mov.s32 %0, %rx;\n add.s32 %0, %0, %%laneid;}"
               : "+r"(lane), "+r"(pred) : "r"(~0u));
  asm volatile("mov.u32 %0, %clock;" : "=r"(*p)); })cu"));
}

TEST(Bridges, MembersOfBasesWithoutThis) {
  EXPECT_TRUE(parsesBridged(
      "template <int N> struct List { __device__ int at(int i) { return i; } "
      "};\n"
      "template <int N> struct Heap : List<N> {\n"
      "  int a[N];\n"
      "  __device__ int top() { return at(a[0]) + at(a[N - 1]); } };\n"
      "__global__ void k(int *p) { p[0] = Heap<4>().top(); }\n"));
}

TEST(Bridges, ObjectsInSharedMemoryWhoseConstructorsDoNotRun) {
  const std::string Barrier =
      "template <class T> struct Barrier { T left; __device__ Barrier() :\n"
      "  left(7) {} __device__ int wait() { return left; } };\n";
  EXPECT_TRUE(parsesBridged(
      Barrier + "__global__ void k(int *p) {\n"
                "  __shared__ Barrier<int> one;\n"
                "  __shared__ Barrier<int> two[2];\n"
                "  p[0] = one.wait() + two[1].wait() + sizeof two; }\n"));
  // The pointer has to stay in shared memory.
  EXPECT_THAT(failureOf(Barrier + "__global__ void k(int *p) {\n"
                                  "  __shared__ Barrier<int> one, *other; }\n"),
              HasSubstr("initialization is not supported for __shared__"));
  EXPECT_THAT(failureOf(Barrier + "__global__ void k(int *p) {\n"
                                  "  __shared__ int x = p[0]; }\n"),
              HasSubstr("initialization is not supported for __shared__"));
}

TEST(Bridges, RestrictBeforeTheStar) {
  EXPECT_TRUE(parsesBridged("__global__ void k(int __restrict__ *p,\n"
                            "                  const float __restrict *q) {\n"
                            "  p[0] = q[0]; }\n"));
}

TEST(Bridges, ClustersOfMoreBlocksThanClangKnows) {
  EXPECT_TRUE(parsesBridged(
      "__global__ void __cluster_dims__(16, 1, 1) k(int *p) {}\n"));
  EXPECT_TRUE(parsesBridged(
      "#define SIZE 16\n"
      "__global__ __cluster_dims__(1, 2 * SIZE) void k(int *p) {}\n"));
  EXPECT_FALSE(parsesBridged("__global__ __launch_bounds__(1ull << 40) "
                             "void k(int *p) {}\n"));
}

TEST(Bridges, MacrosThatExpandToAPragma) {
  const std::string Loop = "__global__ void k(int *p) {\n"
                           "  UNROLL\n"
                           "  for (int i = 0; i < 8; ++i) p[i] = i; }\n";
  llvm::Error E = parseSnippet(
      "#define UNROLL #pragma unroll 4 // times\n"
      "#define QUIET #pragma nv_diag_suppress 177\n"
      "QUIET\n"
      "struct S { QUIET\n int x; };\n" +
          Loop,
      "snippet.cu", [](ParsedUnit &Unit) {
        clang::ASTContext &AST = Unit.compiler().getASTContext();
        const auto *K = llvm::cast<clang::FunctionDecl>(
            AST.getTranslationUnitDecl()->lookup(&AST.Idents.get("k")).front());
        const auto *Loop =
            llvm::dyn_cast<clang::AttributedStmt>(*K->getBody()->child_begin());
        ASSERT_TRUE(Loop);
        EXPECT_TRUE(llvm::isa<clang::LoopHintAttr>(Loop->getAttrs().front()));
      });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  // What else is wrong is said of the text as it is.
  const std::string Said = failureOf("#define UNROLL #pragma unroll\n" + Loop +
                                     "int i = missing; int j = UNROLL 3;\n");
  EXPECT_THAT(Said, HasSubstr("undeclared identifier 'missing'"));
  EXPECT_THAT(Said, HasSubstr("#define UNROLL #pragma unroll\n"));
  EXPECT_THAT(Said, Not(HasSubstr("__bs_")));
  EXPECT_THAT(failureOf("#define UNROLL #include unroll\n" + Loop),
              HasSubstr("expected expression"));
}

// Its macro is ours, so nvcc is not asked about it.
TEST(Bridges, AMacroThatExpandsToAPragmaStaysOneBesideAnError) {
  const std::string Failure =
      failureOf("#define UNROLL #pragma unroll\n"
                "__global__ void k(int *p) {\n  UNROLL\n"
                "  for (int i = 0; i < 8; ++i) p[i] = missing; }\n");
  EXPECT_THAT(Failure, HasSubstr("identifier 'missing'"));
  EXPECT_THAT(Failure, Not(HasSubstr("UNROLL")));
}

TEST(Bridges, OperandsOfAssemblyWithoutACommaBetweenThem) {
  EXPECT_TRUE(parsesBridged("__global__ void k(int *p) {\n"
                            "  asm(\"mov.u32 %0, %2; mov.u32 %1, %3;\"\n"
                            "      : \"=r\"(p[0]) \"=r\"(p[1])\n"
                            "      : \"r\"(p[2]) \"r\"(p[3])); }\n"));
  EXPECT_THAT(failureOf("int f(int, const char * = \"\"); int g(int);\n"
                        "int h() { return f(g(3) \"a\"); }\n"),
              HasSubstr("expected ')'"));
}

TEST(Bridges, RegistersThatAreCopied) {
  EXPECT_TRUE(parsesBridged(
      "struct Indices { uint3 thread; dim3 block; };\n"
      "template <class T> __device__ unsigned sum(T t) { return t.x + t.y; }\n"
      "__device__ auto size() { return blockDim; }\n"
      "__global__ void k(unsigned *p, bool b) {\n"
      "  auto [x, y, z] = threadIdx; const auto &[u, v, w] = blockDim;\n"
      "  auto &[r, s, t] = gridDim; auto block = blockIdx; block.x += 1;\n"
      "  Indices all{threadIdx, blockDim}; uint3 one{threadIdx};\n"
      "  auto l = [i = threadIdx] { return i.x; };\n"
      "  auto either = b ? threadIdx : blockIdx;\n"
      "  const auto first = threadIdx, second = blockIdx;\n"
      "  p[x + y + u + r + block.x + threadIdx.x] = sum(threadIdx) + one.x +\n"
      "    sum(gridDim) + size().y + l() + either.x + all.block.x + second.x;\n"
      "}\n"));
}

TEST(Bridges, LabelsBehindInitializers) {
  EXPECT_TRUE(parsesBridged(
      "struct P { int v; __device__ P(int a) : v(a) {} };\n"
      "__device__ int f(int a, int *p) { switch (a) {\n"
      "  case 0: { p[0] = 1; } const int x = a ? 3 : 4; return x;\n"
      "  case 1: auto y = p + 1, z = y; return *z;\n"
      "  case 2: int t[2] = {1, 2}; if (a) { return t[a]; } break;\n"
      "  case 3: P q(3); return q.v; default: break; } return 1; }\n"));
}

// As in sources for NVRTC, which read no header of the system.
TEST(Bridges, TypesOfTheSystemThatAFileDeclares) {
  EXPECT_TRUE(parsesBridged(
      "typedef unsigned long long uint64_t;\n"
      "struct Own { uint64_t words[2]; };\n"
      "__global__ void k(uint64_t *p, Own o) { p[0] = o.words[1]; }\n"));
  for (const char *Other :
       {"typedef unsigned uint64_t;", "typedef double uint64_t;",
        "typedef struct { int x, y; } uint64_t;",
        "typedef unsigned long long *P, uint64_t;"})
    EXPECT_THAT(parseBridged(std::string(Other) + "\n").Diagnostics,
                HasSubstr("redefinition"))
        << Other;
}

TEST(Bridges, TemplateBeforeWhatIsNone) {
  EXPECT_TRUE(parsesBridged(
      "template <int N> struct S {\n"
      "  __device__ void put(int o, int v) { p[o] = v * N; } int *p; };\n"
      "template <class T> __global__ void k(T s) { s.template put(1, 2); }\n"
      "template __global__ void k<S<4>>(S<4>);\n"));
}

TEST(Bridges, AlignmentBelowThatOfTheType) {
  EXPECT_TRUE(
      parsesBridged("struct alignas(128) M { int o[4]; };\n"
                    "template <class T> int f(T v) { alignas(64) M m = {};\n"
                    "  return m.o[0] + v; }\n"
                    "int g() { return f(1); }\n"));
}

TEST(Bridges, PointersThatBecomeSmallNumbers) {
  EXPECT_TRUE(parsesBridged(
      "__device__ int f(int *p) { return (int)p + (unsigned int)(p + 1); }\n"));
}

TEST(Bridges, TemplateArgumentsInADeclarator) {
  EXPECT_TRUE(parsesBridged(
      "struct C { template <class T> __device__ int f(T);\n"
      "  template <int N> __device__ int operator[](int (&)[N]); };\n"
      "template <class T> __device__ int C::f<T>(T t) { return t; }\n"
      "template <int N> __device__ int C::operator[]<N>(int (&a)[N]) {\n"
      "  return a[N - 1]; }\n"
      "template <class T, class U> __device__ T on(U);\n"
      "template <class T, class U> __device__ T on<T, U>(U u) { return u; }\n"
      "__global__ void k(int *p) { int a[3]; C c;\n"
      "  p[0] = c.f(1) + c[a] + on<int>(1); }\n"));
}

} // namespace
