//===-- PointerEditsTest.cpp - pointers and functions of striped arrays --===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places of pointers, calls and functions are found in the text by what
// stands there.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

// A plan for the array `a[4]` of Code, with an accessor.
Plan planWithAccessor(StringRef Code, StripeForm Form = StripeForm::Plain) {
  Plan P = planFor(Code, {{"a", {4}, Form}});
  P.Arrays[0].Array.Trail.emplace();
  return P;
}

std::string withoutInclude(const Plan &P) {
  std::string After = carriedOut(P);
  StringRef Rest = After;
  EXPECT_TRUE(Rest.consume_front("#include \"bankstripe.cuh\"\n\n")) << After;
  return Rest.str();
}

constexpr StringRef Storage =
    "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
    "auto a = ::bankstripe::begin(a_stripes);\n";

TEST(Accessor, KeepsTheNameAndTheUses) {
  EXPECT_EQ(withoutInclude(planWithAccessor("int a[4];\na[i] = PUT(a);\n")),
            Storage.str() + "a[i] = PUT(a);\n");
}

TEST(Accessor, InitialisesTheStripe) {
  EXPECT_EQ(withoutInclude(planWithAccessor("int a[4] = {0};\n")),
            Storage.str() + "::bankstripe::clear(a_stripes);\n");
  EXPECT_EQ(withoutInclude(planWithAccessor("int a[4] = {1, 2};\n")),
            Storage.str() +
                "::bankstripe::initialize<4>(a_stripes, {1, 2});\n");
}

TEST(Accessor, OfASlotIsNotNeeded) {
  Plan P = planWithAccessor("int a[4];\na[i] = 1;\n");
  P.Arrays[0].Verdict.Kind = VerdictKind::Slot;
  EXPECT_EQ(withoutInclude(P),
            "__shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "int (&a)[4] = a_slots.mine();\na[i] = 1;\n");
}

TEST(Pointers, AreDeclaredAnew) {
  StringRef Code = "int a[4];\nconst int *p = a, *end = a + 4;\n";
  Plan P = planWithAccessor(Code);
  P.Arrays[0].Array.Trail->Locals = {
      pointers(Code, "const int ", {"*p", "*end"}, {"int", true, false})};
  EXPECT_EQ(withoutInclude(P), Storage.str() +
                                   "::bankstripe::pointer<const int> p = a, "
                                   "end = a + 4;\n");
}

TEST(Pointers, IntoASlotStayAsTheyAre) {
  StringRef Code = "int a[4];\nconst int *p = a;\n";
  Plan P = planWithAccessor(Code);
  P.Arrays[0].Array.Trail->Locals = {
      pointers(Code, "const int ", {"*p"}, {"int", true, false})};
  P.Arrays[0].Verdict.Kind = VerdictKind::Slot;
  EXPECT_EQ(withoutInclude(P),
            "__shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "int (&a)[4] = a_slots.mine();\nconst int *p = a;\n");
}

TEST(Pointers, NameTheUnit) {
  StringRef Code = "char a[4];\nchar *p = a;\n";
  Plan P = planWithAccessor(Code, StripeForm::Wide);
  P.Arrays[0].Array.Trail->Locals = {
      pointers(Code, "char ", {"*p"}, {"char", false, false})};
  EXPECT_NE(withoutInclude(P).find(
                "::bankstripe::pointer<::bankstripe::word<char>> p = a;"),
            std::string::npos);
}

// --- Overloads -------------------------------------------------------------

constexpr StringRef Put = "__host__ __device__ void put(int *p, int n) {\n"
                          "  p[n] = 1;\n}\n";

// `put(a, 1)`, with `a` striped.
Plan planWithCall(StringRef Code, StripeForm Form = StripeForm::Plain) {
  Plan P = planWithAccessor(Code, Form);
  addPut(P, Put.rtrim(), "int *p", {"int", false, false}, "put(a, 1)");
  return P;
}

constexpr StringRef Overload =
    "\n// The same for striped arrays.\n"
    "__device__ void put(::bankstripe::pointer<int> p, int n) {\n"
    "  p[n] = 1;\n}\n";

TEST(Overloads, StandBehindTheOriginal) {
  std::string Code = (Put + "\nvoid f() {\nint a[4];\nput(a, 1);\n}\n").str();
  EXPECT_EQ(
      withoutInclude(planWithCall(Code)),
      (Put + Overload + "\nvoid f() {\n" + Storage + "put(a, 1);\n}\n").str());
}

TEST(Overloads, AreIndentedAsTheOriginalIs) {
  std::string Code =
      ("/*\n */\n" + Put + "\nvoid f() {\nint a[4];\nput(a, 1);\n}\n").str();
  EXPECT_NE(carriedOut(planWithCall(Code)).find((Put + Overload).str()),
            std::string::npos);
}

TEST(Overloads, AreApartFromWhatFollows) {
  std::string Code = (Put + "void f() {\nint a[4];\nput(a, 1);\n}\n").str();
  EXPECT_EQ(
      withoutInclude(planWithCall(Code)),
      (Put + Overload + "\nvoid f() {\n" + Storage + "put(a, 1);\n}\n").str());
}

TEST(Overloads, AreNotMadeForSlots) {
  std::string Code = (Put + "void f() {\nint a[4];\nput(a, 1);\n}\n").str();
  Plan P = planWithCall(Code);
  P.Arrays[0].Verdict.Kind = VerdictKind::Slot;
  EXPECT_EQ(withoutInclude(P),
            (Put + "void f() {\n__shared__ ::bankstripe::slots<int[4], 128> "
                   "a_slots;\nint (&a)[4] = a_slots.mine();\nput(a, 1);\n}\n")
                .str());
}

TEST(Overloads, AreMadeOnceForTwoCalls) {
  std::string Code =
      (Put + "\nvoid f() {\nint a[4];\nput(a, 1);\nput(a, 2);\n}\n").str();
  Plan P = planWithCall(Code);
  std::vector<PointerArgument> &Arguments = P.Arrays[0].Array.Trail->Arguments;
  Arguments.push_back(Arguments.front());
  Arguments.back().Call = at(Code, "put(a, 2)");
  EXPECT_EQ(withoutInclude(P), (Put + Overload + "\nvoid f() {\n" + Storage +
                                "put(a, 1);\nput(a, 2);\n}\n")
                                   .str());
}

TEST(Overloads, AreMadeForStripesOnly) {
  std::string Code = (Put + "\nvoid f() {\nint a[4];\nput(a, 1);\n}\n").str();
  Plan P = planWithCall(Code);
  P.Arrays[0].Verdict.Kind = VerdictKind::Unchanged;
  auto Changed = applyPlan(P, /*EmbedHelper=*/false);
  ASSERT_TRUE(bool(Changed));
  EXPECT_TRUE(Changed->empty());
}

// --- Templates -------------------------------------------------------------

TEST(Templates, StandInPlaceOfAnOverload) {
  std::string Code = (Put + "\nvoid f() {\nint a[4];\nput(a, 1);\n}\n").str();
  Plan P = planWithCall(Code);
  P.Callees.begin()->second.Parameters[0].Deduced = "p_pointer";
  EXPECT_EQ(withoutInclude(P),
            ("template <class p_pointer>\n"
             "__host__ __device__ void put(p_pointer p, int n) {\n"
             "  p[n] = 1;\n}\n\nvoid f() {\n" +
             Storage + "put(a, 1);\n}\n")
                .str());
}

TEST(Templates, DeclarePointersOfTheirTypeToo) {
  StringRef Body = "void put(const char *p) {\n  const char *q = p, *end;\n}";
  std::string Code = (Body + "\nvoid f() {\nchar a[4];\nput(a);\n}\n").str();
  Plan P = planWithAccessor(Code, StripeForm::Wide);
  const PointerDeclaration D =
      pointers(Code, "const char ", {"*q", "*end"}, {"char", true, false});
  Callee C;
  C.Where = {CodePath.str(), 1, 6};
  C.Definition = at(Code, Body);
  C.Parameters[0] = {
      at(Code, "const char *p"), "p", D.To, {{D}, {}}, "p_pointer"};
  P.Callees[C.Where] = C;
  P.Arrays[0].Array.Trail->Arguments = {{at(Code, "put(a)"), C.Where, 0}};
  EXPECT_TRUE(StringRef(withoutInclude(P))
                  .starts_with("template <class p_pointer>\n"
                               "void put(p_pointer p) {\n"
                               "  p_pointer q = p, end;\n}\n"));
}

// Two calls stripe one parameter each: the template serves both.
TEST(Templates, DeduceWhateverSomeCallStripes) {
  std::string Code =
      "void put(int *p, int *q) {}\nvoid f() {\nint a[4];\nput(a, b);\n"
      "put(c, a);\n}\n";
  Plan P = planWithAccessor(Code);
  Callee C;
  C.Where = {CodePath.str(), 1, 6};
  C.Definition = at(Code, "void put(int *p, int *q) {}");
  C.Parameters[0] = {at(Code, "int *p"), "p", {"int"}, {}, "p_pointer"};
  C.Parameters[1] = {at(Code, "int *q"), "q", {"int"}, {}, "q_pointer"};
  P.Callees[C.Where] = C;
  P.Arrays[0].Array.Trail->Arguments = {{at(Code, "put(a, b)"), C.Where, 0},
                                        {at(Code, "put(c, a)"), C.Where, 1}};
  EXPECT_TRUE(StringRef(withoutInclude(P))
                  .starts_with("template <class p_pointer, class q_pointer>\n"
                               "void put(p_pointer p, q_pointer q) {}\n"));
  // A parameter that has to stay a pointer asks for an overload.
  P.Callees.begin()->second.Parameters[1].Deduced.clear();
  EXPECT_TRUE(
      StringRef(withoutInclude(P))
          .starts_with("template <class p_pointer>\n"
                       "void put(p_pointer p, int *q) {}\n"
                       "\n// The same for striped arrays.\n"
                       "void put(int *p, ::bankstripe::pointer<int> q) {}\n"));
}

// A header of templates names nothing of the helper.
TEST(Templates, NeedNoHelperInTheirFile) {
  StringRef Header = "void put(int *p) {}\n";
  Plan P = planWithAccessor("int a[4];\nput(a);\n");
  Callee C;
  C.Where = {"/put.h", 1, 6};
  C.Definition = {"/put.h", 0, unsigned(Header.size()) - 1};
  C.Parameters[0] = {{"/put.h", unsigned(Header.find("int *p")), 6},
                     "p",
                     {"int"},
                     {},
                     "p_pointer"};
  P.Callees[C.Where] = C;
  P.Contents["/put.h"] = Header.str();
  P.Arrays[0].Array.Trail->Arguments = {{{}, C.Where, 0}};
  auto Changed = applyPlan(P, /*EmbedHelper=*/false);
  ASSERT_TRUE(bool(Changed));
  ASSERT_EQ(Changed->size(), 2u);
  EXPECT_EQ(Changed->back().After,
            "template <class p_pointer>\nvoid put(p_pointer p) {}\n");
}

TEST(Overloads, OfATemplateDeduceTheElement) {
  std::string Code = (Put + "\nvoid f() {\nint a[4];\nput(a, 1);\n}\n").str();
  Plan P = planWithCall(Code, StripeForm::Wide);
  P.Callees.begin()->second.Parameters[0].To = {"T", false, true};
  EXPECT_NE(withoutInclude(P).find("put(::bankstripe::pointer<T> p, int n)"),
            std::string::npos);
}

} // namespace
