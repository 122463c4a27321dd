//===-- RowsTest.cpp - rows and versions beside kernels -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr StringRef Plain = "__global__ void k(int i) {\n"
                            "  int a[4];\n"
                            "  a[i] = 1;\n"
                            "}\n"
                            "void run() { k<<<1, 64>>>(0); }\n";
constexpr StringRef Template = "template <class T> __global__ void k(T i) {\n"
                               "  int a[4];\n"
                               "  a[i] = 1;\n"
                               "}\n"
                               "void run() { k<<<1, 64>>>(0); }\n";

/// What is in the version.
const std::string Moved =
    "  auto a_stripes = ::bankstripe::dynamic_stripe<int[4], 0, 512, 512>();\n"
    "  auto a = ::bankstripe::column(a_stripes);\n"
    "  a[i] = 1;\n"
    "}\n";

const std::string Comment =
    "// The same as text DIGEST, with arrays in shared memory; launches run it "
    "where they can.\n";

/// A plan in which launches of the first kernel of \p Code, which is called
/// `k`, bring the storage of its array `a`.
Plan planWithRow(StringRef Code) {
  Plan P = planFor(Code, {{"a", {4}}});
  Storage &S = P.Arrays[0].Verdict.Storage;
  S.Dynamic = true;
  S.BytesPerWarp = S.WarpBytes = 512;
  KernelPlan &K = P.Kernels[0];
  K.WarpBytes = 512;
  K.Carved.How = Carveout::Rule::Auto;
  auto Point = [](size_t Offset) {
    return TextRange{CodePath.str(), unsigned(Offset), 0};
  };
  const size_t Specifiers = Code.find("__global__");
  const size_t Head = std::min(Code.find("template"), Specifiers);
  KernelText &T = K.Facts.Text;
  T.Name = "k";
  K.Facts.Name = "k";
  T.Definition = Point(Head);
  T.Definition.Length =
      Code.find('}', Code.find("a[i] = ", Specifiers)) + 1 - Head;
  T.Specifiers = Point(Specifiers);
  T.Linkage = "static";
  T.NamePlace = Point(Code.find("k("));
  K.Facts.BodyBegin = Point(Code.find('{', Specifiers) + 1);
  if (Head < Specifiers) {
    T.TemplateHead = "template <class T>";
    T.TemplateArguments = "<T>";
    T.Type = at(Code, "void");
  }
  return P;
}

/// The same in which they run a version of the kernel.
Plan planWithVersion(StringRef Code) {
  Plan P = planWithRow(Code);
  P.Kernels[0].HasVersion = true;
  return P;
}

/// What the row of a kernel is made with, behind its version.
std::string rowWith(llvm::function_ref<void(KernelPlan &)> Change) {
  Plan P = planWithVersion(Plain);
  Change(P.Kernels[0]);
  const StringRef Begin = "static ::bankstripe::";
  std::string Text = carriedOut(P);
  return StringRef(Text).split(Begin).second.split('\n').first.str();
}

TEST(Rows, OfStorageStandBehindTheKernel) {
  EXPECT_EQ(carriedOut(planWithRow(Plain)),
            "#include \"bankstripe.cuh\"\n"
            "#include \"bankstripe_launch.cuh\"\n"
            "\n"
            "__global__ void k(int i) {\n" +
                Moved +
                "static ::bankstripe::storage k_row(\"k\", k, 512);\n"
                "\n"
                "void run() { k<<<1, 64>>>(0); }\n");
}

TEST(Rows, OfVersionsStandBehindThese) {
  EXPECT_EQ(
      carriedOut(planWithVersion(Plain)),
      "#include \"bankstripe.cuh\"\n"
      "#include \"bankstripe_launch.cuh\"\n"
      "\n"
      "__global__ void k(int i) {\n"
      "  int a[4];\n"
      "  a[i] = 1;\n"
      "}\n"
      "\n" +
          Comment + "static __global__ void k_striped(int i) {\n" + Moved +
          "static ::bankstripe::version k_row(\"k\", k, k_striped, 512);\n"
          "\n"
          "void run() { k<<<1, 64>>>(0); }\n");
}

TEST(Rows, OfTemplatesStandAroundThem) {
  EXPECT_EQ(
      carriedOut(planWithVersion(Template)),
      "#include \"bankstripe.cuh\"\n"
      "#include \"bankstripe_launch.cuh\"\n"
      "\n"
      "template <class Here, class T> struct k_row {\n"
      "  static ::bankstripe::version row;\n"
      "  static ::bankstripe::bodies both();\n"
      "  template <::bankstripe::version *> struct of { typedef void type; };\n"
      "  typedef typename of<&row>::type type;\n"
      "};\n"
      "\n" +
          Comment +
          "template <class T> static __global__ typename "
          "k_row<::bankstripe::here, T>::type k_striped(T i) {\n" +
          Moved +
          "\n"
          "template <class T> __global__ void k(T i) {\n"
          "  (void)k_striped<T>; /* It is made for each instance. */\n"
          "  int a[4];\n"
          "  a[i] = 1;\n"
          "}\n"
          "\n"
          "template <class Here, class T> ::bankstripe::bodies "
          "k_row<Here, T>::both() {\n"
          "  return {k<T>, k_striped<T>, __PRETTY_FUNCTION__};\n"
          "}\n"
          "template <class Here, class T> ::bankstripe::version "
          "k_row<Here, T>::row(\"k\", both(), 512);\n"
          "\n"
          "void run() { k<<<1, 64>>>(0); }\n");
}

/// How often \p Part stands in \p Code where no comment hides it.
unsigned countSeen(StringRef Part, StringRef Code) {
  unsigned Result = 0;
  for (StringRef Line : llvm::split(Code, '\n'))
    Result += Line.split("//").first.count(Part);
  return Result;
}

TEST(Rows, LeaveCodeBehindTheKernelInItsLine) {
  auto WithCode = [](StringRef Code) {
    std::string Result = Code.str();
    return Result.insert(Result.find("}\nvoid") + 1, " int b;\n");
  };
  for (const Plan &P :
       {planWithRow(WithCode(Plain)), planWithVersion(WithCode(Plain)),
        planWithVersion(WithCode(Template))})
    EXPECT_EQ(countSeen("int b;", carriedOut(P)), 1u) << carriedOut(P);
}

TEST(Rows, OfTemplatesInOneLineLeaveTheirBodies) {
  Plan P = planWithVersion(
      "template <class T> __global__ void k(T i) { int a[4]; a[i] = 1; }\n");
  EXPECT_EQ(countSeen("a[i] = 1; }", carriedOut(P)), 2u) << carriedOut(P);
}

TEST(Rows, OfVersionsThatMayWaitSayIt) {
  EXPECT_EQ(rowWith([](KernelPlan &K) { K.Waits = true; }),
            "version k_row(\"k\", k, k_striped, 512, ::bankstripe::may_wait);");
}

TEST(Rows, OfVersionsForSmallGridsSayIt) {
  EXPECT_EQ(rowWith([](KernelPlan &K) { K.WhereResident = true; }),
            "version k_row(\"k\", k, k_striped, 512, "
            "::bankstripe::where_resident);");
  EXPECT_EQ(rowWith([](KernelPlan &K) { K.Waits = K.WhereResident = true; }),
            "version k_row(\"k\", k, k_striped, 512, ::bankstripe::may_wait | "
            "::bankstripe::where_resident);");
}

TEST(Rows, SayWhichCarveoutWasDecided) {
  EXPECT_EQ(
      rowWith([](KernelPlan &K) { K.Carved = {Carveout::Rule::Fixed, 30}; }),
      "version k_row(\"k\", k, k_striped, 512, 0, 30);");
  EXPECT_EQ(rowWith([](KernelPlan &K) {
              K.Carved = {Carveout::Rule::Fixed, 30};
              K.Waits = true;
            }),
            "version k_row(\"k\", k, k_striped, 512, ::bankstripe::may_wait, "
            "30);");
  EXPECT_EQ(
      rowWith([](KernelPlan &K) { K.Carved.How = Carveout::Rule::Driver; }),
      "version k_row(\"k\", k, k_striped, 512, 0, "
      "::bankstripe::by_driver);");
  // Storage never waits for what the original would do.
  EXPECT_EQ(rowWith([](KernelPlan &K) {
              K.HasVersion = false;
              K.Carved = {Carveout::Rule::Fixed, 30};
            }),
            "storage k_row(\"k\", k, 512, 30);");
}

TEST(Rows, ChooseAsIsExpected) {
  auto RowOf = [](double Speedup, double Low = 0.5) {
    return rowWith([&](KernelPlan &K) {
      K.Chooses = true;
      K.Foreseen = {.Speedup = Speedup, .Low = Low, .Worst = 1.5};
    });
  };
  EXPECT_EQ(RowOf(1.2, 1.1),
            "choice k_row(\"k\", k, k_striped, 512, ::bankstripe::gains);");
  EXPECT_EQ(RowOf(1.2),
            "choice k_row(\"k\", k, k_striped, 512, ::bankstripe::may_gain);");
  EXPECT_EQ(RowOf(0.9),
            "choice k_row(\"k\", k, k_striped, 512, ::bankstripe::loses);");
  EXPECT_EQ(rowWith([](KernelPlan &K) { K.Chooses = K.Waits = true; }),
            "choice k_row(\"k\", k, k_striped, 512, ::bankstripe::may_gain, "
            "::bankstripe::may_wait);");
}

TEST(Rows, OfATemplateThatChoosesAreChoices) {
  Plan P = planWithVersion(Template);
  P.Kernels[0].Chooses = true;
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("  static ::bankstripe::choice row;\n"));
  EXPECT_THAT(After,
              HasSubstr("::bankstripe::choice k_row<Here, T>::row(\"k\", "
                        "both(), 512, ::bankstripe::may_gain);"));
}

// A kernel with static storage and a carveout needs nothing of the helper.
TEST(Rows, IncludeWhatTheyNeed) {
  Plan P = planWithRow(Plain);
  P.Arrays.clear();
  P.Kernels[0].WarpBytes = 0;
  std::string After = carriedOut(P);
  EXPECT_TRUE(StringRef(After).starts_with(
      "#include \"bankstripe_launch.cuh\"\n\n__global__"))
      << After;
  EXPECT_THAT(After, HasSubstr("storage k_row(\"k\", k, 0);"));
  P = planWithVersion(Template);
  P.Kernels[0].Chooses = true;
  EXPECT_TRUE(StringRef(carriedOut(P))
                  .starts_with("#include \"bankstripe.cuh\"\n"
                               "#include \"bankstripe_launch.cuh\"\n"
                               "#include \"bankstripe_choose.cuh\"\n"
                               "\n"
                               "template <class Here, class T> struct"));
}

TEST(Rows, IncludeNothingTwice) {
  Plan P = planWithRow(("#include \"bankstripe_launch.cuh\"\n" + Plain).str());
  const std::string After = carriedOut(P);
  EXPECT_EQ(StringRef(After).count("#include \"bankstripe_launch.cuh\""), 1u);
  EXPECT_EQ(StringRef(After).count("#include \"bankstripe.cuh\""), 1u);
}

TEST(Rows, HaveTheHelperEmbedded) {
  Plan P = planWithVersion(Plain);
  P.Kernels[0].Chooses = true;
  const std::string After = carriedOut(P, /*EmbedHelper=*/true);
  EXPECT_THAT(After, Not(HasSubstr("#include \"bankstripe")));
  const size_t Launch = After.find(launchText()), Row = After.find("k_row");
  const size_t Choice = After.find(choiceText());
  EXPECT_LT(After.find("dynamic_stripe"), Launch);
  EXPECT_LT(Launch, Choice);
  EXPECT_LT(Choice, Row);
  EXPECT_NE(Row, std::string::npos);
  P.Kernels[0].Chooses = false;
  EXPECT_THAT(carriedOut(P, /*EmbedHelper=*/true),
              Not(HasSubstr(choiceText().str())));
}

TEST(Rows, HaveTheLineEndingsOfTheFile) {
  auto WithReturns = [](StringRef Code) {
    std::string Result;
    for (char C : Code)
      Result += C == '\n' ? std::string("\r\n") : std::string(1, C);
    return Result;
  };
  for (const Plan &P :
       {planWithRow(WithReturns(Plain)), planWithVersion(WithReturns(Plain)),
        planWithVersion(WithReturns(Template))}) {
    const std::string After = carriedOut(P);
    EXPECT_EQ(StringRef(After).count('\n'), StringRef(After).count("\r\n"))
        << After;
    EXPECT_EQ(StringRef(After).count('\r'), StringRef(After).count("\r\n"));
  }
}

// --- Instances ---------------------------------------------------------------

/// The last lines of what becomes of two instances, which \p Change tells
/// apart.
static std::string sharedRow(llvm::function_ref<void(KernelPlan &)> Change) {
  Plan P = planWithVersion(Template);
  P.Kernels.push_back(P.Kernels[0]);
  Change(P.Kernels[1]);
  const std::string After = carriedOut(P);
  EXPECT_EQ(StringRef(After).count("k_row<Here, T>::row("), 1u) << After;
  EXPECT_EQ(StringRef(After).count("k_striped(T i) {"), 1u) << After;
  // Whatever their order is.
  std::swap(P.Kernels[0], P.Kernels[1]);
  EXPECT_EQ(carriedOut(P), After);
  return StringRef(After)
      .split("k_row<Here, T>::row(")
      .second.split('\n')
      .first.str();
}

TEST(Instances, ShareARowWithTheMostBytes) {
  EXPECT_EQ(sharedRow([](KernelPlan &K) { K.WarpBytes = 2048; }),
            "\"k\", both(), 2048);");
}

TEST(Instances, MayAllWaitWhereOneMay) {
  EXPECT_EQ(sharedRow([](KernelPlan &K) { K.Waits = true; }),
            "\"k\", both(), 512, ::bankstripe::may_wait);");
}

TEST(Instances, ThatDifferLeaveTheCarveoutToTheDriver) {
  EXPECT_EQ(
      sharedRow([](KernelPlan &K) { K.Carved = {Carveout::Rule::Fixed, 30}; }),
      "\"k\", both(), 512, 0, ::bankstripe::by_driver);");
}

TEST(Instances, AreExpectedToBeFasterWhereAllAre) {
  Plan P = planWithVersion(Template);
  P.Kernels[0].Chooses = true;
  P.Kernels[0].Foreseen.emplace().Speedup = 1.5;
  P.Kernels.push_back(P.Kernels[0]);
  EXPECT_THAT(carriedOut(P),
              HasSubstr("both(), 512, ::bankstripe::may_gain);"));
  P.Kernels[1].Foreseen->Speedup = 0.5;
  EXPECT_THAT(carriedOut(P), HasSubstr("both(), 512, ::bankstripe::loses);"));
  std::swap(P.Kernels[0], P.Kernels[1]);
  EXPECT_THAT(carriedOut(P), HasSubstr("both(), 512, ::bankstripe::loses);"));
}

// --- Versions ----------------------------------------------------------------

TEST(Versions, OfKernelsOfCHaveTheirLinkage) {
  const std::string Code = ("extern \"C\" " + Plain).str();
  Plan P = planWithVersion(Code);
  P.Kernels[0].Facts.Text.Linkage = "extern \"C\"";
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("\nextern \"C\" __global__ void k(int i) {\n"
                               "  int a[4];\n"));
  EXPECT_THAT(After, HasSubstr(Comment +
                               "extern \"C\" __global__ void "
                               "k_striped(int i) {\n" +
                               Moved + "static ::bankstripe::version k_row("));
  // Braces around it say it for both.
  P = planWithVersion(("extern \"C\" {\n" + Plain + "}\n").str());
  P.Kernels[0].Facts.Text.Specifiers = TextRange();
  EXPECT_THAT(carriedOut(P),
              HasSubstr(Comment + "__global__ void k_striped(int i) {\n"));
}

TEST(Versions, AreStaticBehindTheHeadOfATemplate) {
  const StringRef Head = "template <class T>\n";
  Plan P = planWithVersion((Head + Template.drop_front(Head.size())).str());
  EXPECT_THAT(
      carriedOut(P),
      HasSubstr("template <class T>\n"
                "static __global__ typename "
                "k_row<::bankstripe::here, T>::type k_striped(T i) {\n"));
}

TEST(Versions, AreIndentedAsTheirKernels) {
  Plan P = planWithVersion("namespace n {\n"
                           "  __global__ void k(int i) {\n"
                           "    int a[4];\n"
                           "    a[i] = 1;\n"
                           "  }\n"
                           "}\n");
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("\n  " + Comment +
                               "  static __global__ void k_striped(int i) {\n"
                               "    auto a_stripes = "));
  EXPECT_THAT(After,
              HasSubstr("  }\n  static ::bankstripe::version k_row(\"k\", "));
}

// Nothing else of the plan is about the kernel itself.
TEST(Versions, TakeAllEditsOfTheirKernels) {
  Plan P = planWithVersion(Plain);
  P.Kernels[0].AddLaunchBounds = true;
  P.Kernels[0].Facts.BoundsInsertion = P.Kernels[0].Facts.Text.NamePlace;
  P.Kernels[0].AssumedBlock = "128";
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("\n__global__ void k(int i) {\n  int a[4];\n"));
  EXPECT_THAT(After, HasSubstr("__launch_bounds__(128) k_striped(int i) {\n"
                               "  ::bankstripe::assume_block_of_at_most<128>"
                               "();\n"));
}

TEST(Versions, HaveTheLinesOfTheirKernels) {
  auto Changed = applyPlan(planWithVersion(Plain), /*EmbedHelper=*/false);
  ASSERT_TRUE(bool(Changed));
  // Includes, the kernel, a blank line and the comment, the version, its row,
  // and the rest.
  EXPECT_EQ(Changed->front().Lines,
            (std::vector<unsigned>{1, 1, 1, 1, 2, 3, 4, 4, 4, 1, 2, 2, 3, 4, 4,
                                   4, 5}));
}

TEST(Versions, CountTheLinesOfTheirKernels) {
  for (StringRef Code : {Plain, Template}) {
    Plan P = planWithVersion(Code);
    EXPECT_THAT(carriedOut(P), Not(HasSubstr("#line")));
    // Others may ask for the line of what is called there.
    P.NumberedFiles.insert(CodePath.str());
    const std::string After = carriedOut(P);
    EXPECT_EQ(StringRef(After).count("#line 3\n  a[i] = 1;\n") +
                  StringRef(After).count("  int a[4];\n  a[i] = 1;\n"),
              2u)
        << After;
    EXPECT_THAT(After, HasSubstr("#line 5\nvoid run()"));
    for (StringRef Name : {" k(", " k_striped("}) {
      const StringRef Before = StringRef(After).split(Name).first;
      EXPECT_TRUE(Before.rsplit('\n').first.ends_with("\n#line 1")) << After;
    }
  }
}

} // namespace
