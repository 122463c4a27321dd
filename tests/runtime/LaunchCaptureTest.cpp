//===-- LaunchCaptureTest.cpp - what a capture needs, without a GPU -----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "recording/Capture.h"
#include "recording/ModuleSymbols.h"
#include "recording/Request.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

// A kernel of (char, double): the second one is aligned.
static const std::vector<ParameterPlace> Places = {{0, 1}, {8, 8}};

TEST(KernelParameters, AreCopiedFromWhereTheyLie) {
  const char First = 'x';
  const double Second = 1.5;
  const void *Values[] = {&First, &Second};
  const std::string Bytes(reinterpret_cast<const char *>(&Second), 8);
  EXPECT_EQ(copyParameters(Places, Values, ""),
            (std::vector<CapturedParameter>{{0, "x"}, {8, Bytes}}));
}

TEST(KernelParameters, AreCutFromABuffer) {
  EXPECT_EQ(copyParameters(Places, nullptr, "x.......12345678"),
            (std::vector<CapturedParameter>{{0, "x"}, {8, "12345678"}}));
  // What lies behind the last one belongs to none.
  EXPECT_EQ(
      copyParameters(Places, nullptr, "x.......12345678more")->back().Bytes,
      "12345678");
  EXPECT_FALSE(copyParameters(Places, nullptr, "x.......1234567"));
  EXPECT_FALSE(copyParameters(Places, nullptr, "x"));
  EXPECT_TRUE(copyParameters({}, nullptr, "")->empty());
}

static std::string imageOf(const std::vector<std::string> &Kernels,
                           const char *Variable = "a") {
  Image I;
  for (const std::string &Kernel : Kernels)
    I.kernel(Kernel);
  I.symbol(Variable, Image::Global, 4);
  return I.bytes();
}

TEST(LoadedImages, TheOneThatDefinesTheKernelIsFound) {
  std::set<std::string> Images;
  Images.insert(imageOf({"_Z4stepPi"}));
  Images.insert(imageOf({"_Z4fillPi"}));
  std::string Found;
  EXPECT_EQ(findImage(Images, "_Z4fillPi", {}, Found), "");
  EXPECT_EQ(Found, imageOf({"_Z4fillPi"}));
  EXPECT_EQ(findImage(Images, "_Z4swapPi", {}, Found),
            "no module that was loaded defines _Z4swapPi");
}

TEST(LoadedImages, AModuleThatIsLoadedTwiceIsOne) {
  std::set<std::string> Images;
  Images.insert(imageOf({"_Z4stepPi"}));
  Images.insert(imageOf({"_Z4stepPi"}));
  std::string Found;
  EXPECT_EQ(findImage(Images, "_Z4stepPi", {}, Found), "");
}

TEST(LoadedImages, OtherKernelsTellModulesApart) {
  std::set<std::string> Images;
  Images.insert(imageOf({"_Z4stepPi", "_Z4fillPi"}));
  Images.insert(imageOf({"_Z4stepPi", "_Z4swapPi"}));
  Images.insert(imageOf({"_Z4stepPi"}));
  std::string Found;
  EXPECT_EQ(findImage(Images, "_Z4stepPi", {"_Z4swapPi", "_Z4stepPi"}, Found),
            "");
  EXPECT_EQ(Found, imageOf({"_Z4stepPi", "_Z4swapPi"}));
  EXPECT_EQ(findImage(Images, "_Z4stepPi", {"_Z4stepPi"}, Found), "");
  EXPECT_EQ(Found, imageOf({"_Z4stepPi"}));
  EXPECT_EQ(findImage(Images, "_Z4stepPi", {}, Found),
            "3 different modules define _Z4stepPi");
}

TEST(LoadedImages, OfModulesWithTheSameKernelsNoneIsTaken) {
  std::set<std::string> Images;
  Images.insert(imageOf({"_Z4stepPi"}, "a"));
  Images.insert(imageOf({"_Z4stepPi"}, "b"));
  Images.insert(imageOf({"_Z4stepPi", "_Z4fillPi"}));
  std::string Found;
  EXPECT_EQ(findImage(Images, "_Z4stepPi", {"_Z4stepPi"}, Found),
            "3 different modules define _Z4stepPi");
}

static const LaunchSize Small{{1, 1, 1}, {32, 1, 1}};
static const LaunchSize Large{{9, 1, 1}, {32, 1, 1}};

TEST(CaptureChoice, TakesTheFirstOfEachSizeAndThenEverRarer) {
  CaptureChoice Choice;
  std::vector<unsigned> Taken;
  for (unsigned I = 1; I <= 100; ++I)
    if (Choice.wants(Small))
      Taken.push_back(I);
  EXPECT_EQ(Taken, (std::vector<unsigned>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_TRUE(Choice.wants(Large));
}

TEST(CaptureChoice, SizesCountLikeLaunchesWhereThereAreMany) {
  CaptureChoice Choice;
  unsigned Taken = 0;
  for (unsigned I = 1; I <= 1000; ++I)
    Taken += Choice.wants({{I, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(Taken, 14u); // Eight, 16, 32, ... 512.
}

TEST(CaptureChoice, OfManyTheShortestGoesButNotTheLatestNorAnotherSize) {
  CaptureChoice Choice;
  EXPECT_FALSE(Choice.captured(0, Large, 0.01));
  for (unsigned I = 1; I < CaptureChoice::Most; ++I)
    EXPECT_FALSE(Choice.captured(I, Small, 10 - I));
  EXPECT_EQ(Choice.captured(100, Small, 1), 7u);
  EXPECT_EQ(Choice.captured(200, Small, 0.5), 100u);
}
