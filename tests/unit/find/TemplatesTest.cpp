//===-- TemplatesTest.cpp - one finding for all instantiations ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiations share their text, so they are one finding; what differs
// between them is told by its instances.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr llvm::StringRef TypeTemplate =
    "template <class T> __global__ void kernel(T *out, int i) {\n"
    "  T a[4]; a[i & 3] = i; *out = a[0]; }\n";

const ArrayInstance &instance(const Finding &F, llvm::StringRef Part) {
  for (const ArrayInstance &I : F.Instances)
    if (llvm::StringRef(I.FunctionId).contains(Part))
      return I;
  ADD_FAILURE() << "no instance " << Part.str();
  static const ArrayInstance None;
  return None;
}

bool holds(const Finding &F, Reason Why) {
  return llvm::any_of(F.Obstacles,
                      [&](const Obstacle &O) { return O.Why == Why; });
}

} // namespace

TEST(Templates, InstantiationsAreOneFinding) {
  auto F =
      testFind("template <class T> __global__ void kernel(T *out, int i) {\n"
               "  int a[4]; $write^a[i] = 1; }\n"
               "template __global__ void kernel<int>(int *, int);\n"
               "template __global__ void kernel<char>(char *, int);");
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F.front().Instances.size(), 2u);
  EXPECT_FALSE(F.front().ElementDependent);
}

TEST(Templates, DependentElementsHaveUses) {
  auto F =
      testFind("template <class T> __global__ void kernel(T *out, int i) {\n"
               "  T a[4]; $write^a[i] = 1; *out = $read^a[0]; }\n"
               "template __global__ void kernel<int>(int *, int);");
  EXPECT_TRUE(F.front().ElementDependent);
}

TEST(Templates, SizesAreThoseOfEachInstantiation) {
  Finding F = findingOf(TypeTemplate.str() +
                        "template __global__ void kernel<char>(char *, int);\n"
                        "template __global__ void kernel<double>(double *, "
                        "int);");
  const ArrayInstance &Small = instance(F, "IcE"), &Large = instance(F, "IdE");
  EXPECT_EQ(Small.Shape.ElementBytes, 1u);
  EXPECT_EQ(Small.Shape.BytesPerThread, 4u);
  EXPECT_EQ(Small.Alignment, 1u);
  EXPECT_EQ(Large.Shape.ElementBytes, 8u);
  EXPECT_EQ(Large.Shape.BytesPerThread, 32u);
  EXPECT_EQ(Large.Alignment, 8u);
  // The finding itself shows the largest.
  EXPECT_EQ(F.Shape.Type, "double[4]");
  EXPECT_EQ(F.Shape.ElementBytes, 8u);
  EXPECT_EQ(F.Shape.BytesPerThread, 32u);
}

TEST(Templates, SlotsAreAlignedAsOneOfThemClaims) {
  auto Alignments = [](const std::string &Type) {
    Finding F =
        findingOf("template <class T> __global__ void kernel(T *out, int i) {\n"
                  "  T a[4]; a[i & 3] = i; *out = *(const " +
                  Type +
                  " *)a; }\n"
                  "template __global__ void kernel<char>(char *, int);\n"
                  "template __global__ void kernel<double>(double *, int);");
    return std::pair(instance(F, "IcE").SlotAlignment,
                     instance(F, "IdE").SlotAlignment);
  };
  EXPECT_EQ(Alignments("T"), std::pair(1u, 8u));
  EXPECT_EQ(Alignments("int"), std::pair(4u, 8u));
}

TEST(Templates, ExtentsAreThoseOfEachInstantiation) {
  Finding F =
      findingOf("template <int N> __global__ void kernel(int *out, int i) {\n"
                "  int a[2 * N]; a[i & 1] = i; *out = a[0]; }\n"
                "template __global__ void kernel<4>(int *, int);\n"
                "template __global__ void kernel<8>(int *, int);");
  EXPECT_TRUE(F.Obstacles.empty());
  EXPECT_EQ(instance(F, "ILi4E").Shape.Extents, std::vector<uint64_t>{8});
  EXPECT_EQ(instance(F, "ILi8E").Shape.Extents, std::vector<uint64_t>{16});
  EXPECT_EQ(F.Text.ExtentTexts, std::vector<std::string>{"2 * N"});
  EXPECT_FALSE(F.ElementDependent);
}

// What they point to does not change the size of pointers.
TEST(Templates, PointersToAParameterAreNoDependentElements) {
  Finding F =
      findingOf("template <class T> __global__ void kernel(T *out, int i) {\n"
                "  T *a[4]; a[i & 3] = out; *a[0] = 1; }\n"
                "template __global__ void kernel<int>(int *, int);");
  EXPECT_TRUE(F.Obstacles.empty());
  EXPECT_FALSE(F.ElementDependent);
}

TEST(Templates, AnIndexThatOneDoesNotKnowIsNoConstant) {
  Finding F =
      findingOf("template <class T> __global__ void kernel(T i) {\n"
                "  int a[4]; a[sizeof(T) == 4 ? 0 : 1] = 1; a[i] = 2; }\n"
                "template __global__ void kernel<int>(int);\n"
                "template __global__ void kernel<short>(short);");
  ASSERT_EQ(F.Uses.size(), 2u);
  EXPECT_TRUE(F.Uses[0].ConstantIndex);
  EXPECT_FALSE(F.Uses[1].ConstantIndex);
}

// The instantiation that leaves a branch out does not know what it names.
TEST(Templates, ABranchThatOneInstantiationDiscardsIsSkippedCode) {
  testFind("template <int N> __global__ void kernel(int *out, int i) {\n"
           "  int a[4]; $write^a[i] = 1;\n"
           "  if constexpr (N == 1) $skipped_code^$write^a[0] = 2; }\n"
           "template __global__ void kernel<1>(int *, int);\n"
           "template __global__ void kernel<2>(int *, int);");
  testFind("template <int N> __global__ void kernel(int *out, int i) {\n"
           "  int a[4]; $write^a[i] = 1;\n"
           "  if constexpr (N == 1) $write^a[0] = 2; }\n"
           "template __global__ void kernel<1>(int *, int);");
}

// Such a type is that of the pattern, and names the array there. As a reference
// or as a stripe the array has no such length.
TEST(Templates, TheLengthOfAnArrayInATypeIsSeen) {
  for (const char *Statement :
       {"using B = int[len($decltype^a)];", "Box<len($decltype^a)> b;",
        "$write^a[i] = sizeof(Box<len($decltype^a)>);"})
    testFind(("template <int N> struct Box { int v; };\n"
              "template <int N> __host__ __device__ constexpr int\n"
              "len(int (&)[N]) { return N; }\n"
              "template <int N> __global__ void kernel(int i) {\n"
              "  int a[4]; $write^a[i] = 1; " +
              llvm::Twine(Statement) +
              " }\ntemplate __global__ void kernel<1>(int);")
                 .str());
}

TEST(Templates, AnObstacleOfOneIsOneOfAll) {
  testFind("struct Index { int v; __device__ operator int() const { return v; }"
           "};\n"
           "template <class T> __global__ void kernel(T i) {\n"
           "  int a[4]; $write^a[0] = 1; $write^a[$index_type^i] = 2; }\n"
           "template __global__ void kernel<int>(int);\n"
           "template __global__ void kernel<Index>(Index);");
}

TEST(Templates, AnElementTypeOfOneThatCannotStandApart) {
  Finding F = findingOf("struct Odd { char text[6]; };\n"
                        "template <class T> __global__ void kernel(int i) {\n"
                        "  T a[4]; a[i & 3] = T(); }\n"
                        "template __global__ void kernel<int>(int);\n"
                        "template __global__ void kernel<Odd>(int);");
  EXPECT_TRUE(holds(F, Reason::ElementType));
}

TEST(Templates, InitialisersThatMeanDifferentThingsDiffer) {
  auto Differs = [](const std::string &First, const std::string &Second) {
    return holds(
        findingOf("template <int N> __global__ void kernel(int *out, int i) {\n"
                  "  int a[2] = {N}; a[i & 1] += 1; *out = a[0]; }\n"
                  "template __global__ void kernel<" +
                  First +
                  ">(int *, int);\n"
                  "template __global__ void kernel<" +
                  Second + ">(int *, int);"),
        Reason::TranslationUnitsDiffer);
  };
  EXPECT_TRUE(Differs("0", "7"));
  EXPECT_FALSE(Differs("6", "7"));
}

TEST(Templates, AnArrayThatBecomesAnObjectDiffers) {
  EXPECT_TRUE(
      holds(findingOf("struct S { int v[4]; };\n"
                      "template <class T> __global__ void kernel(int i) {\n"
                      "  T a; (void)sizeof(a); }\n"
                      "template __global__ void kernel<int[4]>(int);\n"
                      "template __global__ void kernel<S>(int);"),
            Reason::TranslationUnitsDiffer));
}

// plan/Merge.cpp refuses it, be it in another unit.
TEST(Templates, AnArrayThatIsNoneElsewhereIsNoted) {
  auto IsNoted = [](const std::string &Other) {
    const UnitFacts Facts =
        factsOf("struct S { int v[4]; }; struct Q { int v[2]; };\n"
                "struct P { int x, y; };\n"
                "template <class T> __global__ void kernel(int i) {\n"
                "  T a; (void)sizeof(a); }\n"
                "template __global__ void kernel<S>(int);\n"
                "template __global__ void kernel<" +
                Other + ">(int);");
    return Facts.NoArrays.contains(Facts.Findings.at(0).Where);
  };
  EXPECT_TRUE(IsNoted("P"));
  EXPECT_TRUE(IsNoted("float *"));
  EXPECT_FALSE(IsNoted("Q"));
}

TEST(Templates, WithoutInstantiations) {
  testFind("template <class T> struct S {\n"
           "  static __device__ void f(int i) {\n"
           "    int $not_instantiated^a[4]; $write^a[i] = 1; } };");
  auto F =
      testFind("template <class T> __global__ void kernel(T *out, int i) {\n"
               "  T $not_instantiated^a[4]; a[i] = 1; }");
  EXPECT_TRUE(F.front().Instances.empty());
}

// Nobody knows how large they are.
TEST(Templates, WithoutInstantiationsMayCastToTypesThatDepend) {
  EXPECT_EQ(factsOf("template <class T, int N>\n"
                    "__global__ void kernel(T *out, int i) {\n"
                    "  int a[4]; a[i] = 1; out[i] = *(T *)&a[0];\n"
                    "  bool b[N]; memset(b, 0, sizeof(b)); b[i] = true; }")
                .Findings.size(),
            2u);
}

TEST(Templates, OfMethods) {
  auto F = testFind("template <class T> struct S {\n"
                    "  __device__ T f(int i) {\n"
                    "    T a[4]; $write^a[i] = 1; return $read^a[0]; } };\n"
                    "__global__ void kernel(int *out, int i) {\n"
                    "  S<int> s; S<char> t; *out = s.f(i) + t.f(i); }");
  EXPECT_EQ(F.front().Instances.size(), 2u);
  EXPECT_TRUE(F.front().ElementDependent);
}

TEST(Templates, SpecialisationsHaveTheirOwnText) {
  UnitFacts Facts = factsOf("template <class T> __device__ int f(int i) {\n"
                            "  int a[4]; a[i & 3] = i; return a[0]; }\n"
                            "template <> __device__ int f<char>(int i) {\n"
                            "  int a[8]; a[i & 3] = i; return a[0]; }\n"
                            "__global__ void kernel(int *out, int i) {\n"
                            "  *out = f<int>(i) + f<char>(i); }");
  EXPECT_EQ(Facts.Findings.size(), 2u);
}

TEST(Templates, DecltypeIsSeenThoughAnInstantiationDropsIt) {
  EXPECT_TRUE(holds(
      findingOf("template <int N> __global__ void kernel(int *out, int i) {\n"
                "  int a[4]; decltype(a) *p = &a;\n"
                "  a[i & 3] = N; *out = (*p)[0]; }\n"
                "template __global__ void kernel<3>(int *, int);\n"),
      Reason::Decltype));
}
