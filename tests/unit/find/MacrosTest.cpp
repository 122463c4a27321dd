//===-- MacrosTest.cpp - what the preprocessor does to uses ---------------===//
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

/// Tests \p Body below the macro definitions \p Macros.
std::vector<Finding>
testMacros(llvm::StringRef Macros, llvm::StringRef Body,
           std::source_location Test = std::source_location::current()) {
  return testFind(Macros.str() + kernelAround(Body), Test);
}

} // namespace

// --- Arguments -------------------------------------------------------------

TEST(MacroArguments, AreUses) {
  testMacros("#define TWICE(x) (2 * (x))\n",
             "int a[4]; $write^a[0] = 1; *out = TWICE($read^a[i]);");
  testMacros("#define SET(x, y) x = y\n",
             "int a[4]; SET($write^a[i], $read^a[j]);");
  testMacros("#define INNER(x) (x)\n#define OUTER(x) INNER(x)\n",
             "int a[4]; OUTER($write^a[i]) = 1;");
  testMacros("#define ALL(...) __VA_ARGS__\n",
             "int a[4]; ALL($write^a[i] = $read^a[j]);");
  testMacros("#define ID(x) x\n", "int a[4]; $write^a[ID(i)] = 1;");
}

TEST(MacroArguments, UsedTwiceAreTwoUses) {
  Finding F = testMacros("#define SQUARE(x) ((x) * (x))\n",
                         "int a[4]; *out = SQUARE($read^a[i]);")
                  .front();
  EXPECT_EQ(F.Uses.size(), 2u);
}

TEST(MacroArguments, UsedForReadingAndWriting) {
  testMacros(
      "#define MAX(x, y) ((x) > (y) ? (x) : (y))\n#define INC(x) x = x + 1\n",
      "int a[4]; *out = MAX($read^a[i], $read^a[j]);"
      "INC($read^$write^a[i]);");
}

TEST(MacroArguments, TurnedIntoText) {
  testMacros("#define SHOW(x) printf(#x \" = %d\", x)\n",
             "int a[4]; SHOW($read^a[i]);");
  testMacros("#define INNER(x) printf(#x \" = %d\", x)\n"
             "#define OUTER(x) INNER(x)\n",
             "int a[4]; OUTER($read^a[i]);");
  testMacros("#define SHOW(x, y) printf(#y, x)\n",
             "int a[4]; SHOW($read^a[i], here);");
}

TEST(MacroArguments, Pasted) {
  testMacros("#define PASTE(x, y) x##y\n",
             "int a[4], ab[4]; $write^PASTE($skipped_code^a, b)[i] = 1;"
             "$write^a[i] = 1;");
}

// Each is its own array's, whatever the text is called.
TEST(MacroArguments, ThatNameTwoArrays) {
  testMacros(
      "#define BOTH(x) { *out = x; { int a[4]; a[1] = 2; *out += x; } }\n",
      "int a[4]; $declaration_in_macro^$write^BOTH($read^a[i])");
}

TEST(MacroArguments, Dropped) {
  testMacros("#define IGNORE(x)\n",
             "int a[4]; $write^a[i] = 1; IGNORE($skipped_code^a[j]);");
}

TEST(MacroArguments, ThatAreOnlyAPartOfTheUse) {
  testMacros("#define FIRST(x) x[0]\n", "int a[4]; FIRST($write^a) = 1;");
  testMacros("#define AT(k) [k]\n", "int a[4]; $write^a AT(i) = 1;");
  testMacros("#define JOIN(x, y) x y\n", "int a[4]; JOIN($write^a, [i]) = 1;");
  testMacros("#define CLOSE(x) x]\n", "int a[4]; CLOSE($write^a[i) = 1;");
}

// --- Bodies ----------------------------------------------------------------

TEST(MacroBodies, HoldUses) {
  testMacros("#define PUT(k, v) a[k] = v\n", "int a[4]; $write^PUT(i, 1);");
  testMacros("#define NAME a\n", "int a[4]; $write^NAME[i] = 1;");
  testMacros("#define LAST a[3]\n",
             "int a[4]; $write^a[i] = 1; *out = $read^LAST;");
}

// --- Skipped code ----------------------------------------------------------

TEST(SkippedCode, ThatNamesTheArray) {
  testBody("int a[4]; $write^a[i] = 1;\n"
           "#ifdef OTHER\n"
           "$skipped_code^a[j] = 2;\n"
           "#endif\n");
  testBody("int a[4];\n"
           "#if 1\n"
           "$write^a[i] = 1;\n"
           "#else\n"
           "call($skipped_code^a);\n"
           "#endif\n");
}

TEST(SkippedCode, ThatDoesNotNameIt) {
  testBody("int a[4]; $write^a[i] = 1;\n"
           "#if 0\n"
           "ab[j] = 2; // a[i]\n"
           "puts(\"a\");\n"
           "#endif\n");
}

TEST(SkippedCode, ThatNamesAMember) {
  testBody("int a[4]; $write^a[i] = 1;\n"
           "#if 0\n"
           "s.a = p->a + ns::a;\n"
           "#endif\n");
}

TEST(SkippedCode, BeforeAndBehindTheArraysLife) {
  testFind("#if 0\nint a;\n#endif\n"
           "__global__ void kernel(int i) {\n"
           "#if 0\na = 1;\n#endif\n"
           "  int a[4]; $write^a[i] = 1; }\n"
           "#if 0\nint a;\n#endif\n");
}

TEST(SkippedCode, IsHeldAgainstTheArraysThatAreDeclaredBeforeIt) {
  testBody("int a[4]; $write^a[i] = 1;\n"
           "#if 0\n"
           "b[0] = $skipped_code^a[j];\n"
           "#endif\n"
           "int b[4]; $write^b[i] = 1;\n"
           "#if 0\n"
           "$skipped_code^a[0] = $skipped_code^b[0];\n"
           "#endif\n");
}

TEST(SkippedCode, MacrosThatAreDefinedButNotUsed) {
  testBody("int a[4];\n"
           "#define LATER $skipped_code^a[0]\n"
           "$write^a[i] = 1;");
}

// As functions that hash define their rounds. Each is what one use shows.
TEST(SkippedCode, IsNoMacroOfTheBodyThatIsUsed) {
  testBody("int a[4];\n"
           "#define PUT(k) a[k] = k\n"
           "$write^PUT(i);\n"
           "#undef PUT\n");
  testBody("int a[4];\n"
           "#if 1\n"
           "#define PUT(k) a[k] = k\n"
           "#else\n"
           "#define PUT(k) $skipped_code^a[k] = 0\n"
           "#endif\n"
           "$write^PUT(i);\n");
}

// --- Names -----------------------------------------------------------------

TEST(Names, ThatAreShadowed) {
  testBody("int a[4]; $write^a[i] = 1; { float a = 2; data[0] = a; }"
           "for (int a = 0; a < 2; ++a) out[a] = a;");
  testBody("int a[4]; { int a[2]; $write^a[j] = 1; } $write^a[i] = 1;");
  testBody("int a[4]; $write^a[i] = 1; auto f = [](int a) { return a; };"
           "*out = f(1);");
}

TEST(Names, OfMembers) {
  testFind("struct S { int a; int f() const; };\n"
           "__global__ void kernel(S s, S *p, int i) {\n"
           "  int a[4]; $write^a[i] = s.a; p->a = 1; S t = {.a = 2}; s = t; }");
}

// --- Names, lines and numbers
// --------------------------------------------------

TEST(StorageNames, MeanNothingElse) {
  auto Suffix = [](const std::string &Before, const std::string &Body = "",
                   std::vector<std::string> Arguments = {}) {
    const UnitFacts Facts = factsOf(
        Before + kernelAround("int a[4]; a[i] = 1; " + Body),
        [](auto) { return true; }, std::move(Arguments));
    return Facts.Findings.at(0).StorageSuffix;
  };
  EXPECT_EQ(Suffix(""), "");
  EXPECT_EQ(Suffix("# 1 \"other.h\" 1\n#define a_stripes i\n"
                   "# 1 \"snippet.cu\" 2\n"),
            "_2");
  EXPECT_EQ(Suffix("# 1 \"other.h\" 1 3\n#define a_slots() i\n"
                   "# 1 \"snippet.cu\" 2\n"),
            "_2");
  EXPECT_EQ(Suffix("", "", {"-Da_bits=i", "-Da_rest_2=j"}), "_3");
  EXPECT_EQ(Suffix("struct a_storage;\n"), "_2");
  EXPECT_EQ(Suffix("", "\n#if 0\na_stripes\n#endif\n"), "_2");
}

TEST(Places, ThatAreAskedForKeepAllArrays) {
  const std::string Kernel =
      kernelAround("int $hidden_name^a[4]; $write^a[i] = 1;");
  for (const char *Place : {"__builtin_LINE()", "__builtin_COLUMN()"})
    testFind(Kernel + "int f(int n = " + Place + ") { return n; }\n");
  testFind(Kernel + "struct S { const char *n = __builtin_FUNCTION(); };\n");
  testFind(Kernel + "namespace std { struct source_location; }\n");
}

TEST(Counters, OfADeclarationCountOnce) {
  testFind("#define NEXT (__COUNTER__)\ntemplate <int> struct T { int n; };\n" +
           kernelAround("T<NEXT> $hidden_name^a[4]; $write^a[i].n = 1;"
                        "int b[4]; $write^b[i] = NEXT;"));
}

TEST(NamesOfTheHelper, AreNoMacros) {
  auto WithMacro = [](const std::string &Definition) {
    auto F = factsOf(Definition + kernelAround("int a[4]; a[i] = 1;"))
                 .Findings.at(0);
    return !F.Obstacles.empty() && F.Obstacles[0].Why == Reason::HiddenName
               ? F.Obstacles[0].Detail
               : "";
  };
  EXPECT_EQ(WithMacro("#define clear(x) x\n"), "macro 'clear'");
  EXPECT_EQ(WithMacro("#define warps 4\n#undef warps\n"), "macro 'warps'");
  EXPECT_EQ(WithMacro("#define wraps 4\n"), "");
  // A parameter of a macro is no name.
  const std::string Align = "#define n 3\n#undef __align__\n";
  EXPECT_EQ(WithMacro(Align + "#define __align__(n) alignas(n)\n"), "");
  EXPECT_EQ(WithMacro(Align + "#define __align__(m) alignas(n)\n"),
            "macro 'n'");
  // The helper has an index, but calls none.
  EXPECT_EQ(WithMacro("#define index(i, j) i * 4 + j\n"), "");
  EXPECT_EQ(WithMacro("#define index(i) i\n#undef index\n#define index 4\n"),
            "macro 'index'");
}
