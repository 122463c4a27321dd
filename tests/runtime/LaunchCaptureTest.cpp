//===-- LaunchCaptureTest.cpp - what a capture needs, without a GPU -----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "recorder/CaptureRequest.h"
#include "recorder/KernelParameters.h"
#include "recorder/ModuleImages.h"
#include <gtest/gtest.h>
#include <map>

using namespace bankstripe::runtime;

TEST(CaptureRequest, NamesALaunchAndAFile) {
  const auto R = CaptureRequest::parse("12:/tmp/a:b.capture");
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Launch, 12u);
  EXPECT_EQ(R->Path, "/tmp/a:b.capture");
  for (const char *Bad :
       {"", "12", "12:", ":/tmp/a", "-1:a", "1 :a", "v1:a", "99999999999:a"})
    EXPECT_FALSE(CaptureRequest::parse(Bad)) << Bad;
}

static std::variant<std::optional<CaptureRequest>, std::string>
asked(const std::map<std::string, std::string> &Environment) {
  return CaptureRequest::read([&](const char *Name) -> const char * {
    const auto At = Environment.find(Name);
    return At == Environment.end() ? nullptr : At->second.c_str();
  });
}

TEST(CaptureRequest, IsOfALaunchOrOfItsKernelAlone) {
  using Wanted = std::optional<CaptureRequest>;
  EXPECT_FALSE(std::get<Wanted>(asked({})));
  EXPECT_FALSE(std::get<Wanted>(asked({{"BANKSTRIPE_CAPTURE", ""}})));
  EXPECT_FALSE(
      std::get<Wanted>(asked({{"BANKSTRIPE_CAPTURE", "3:a"}}))->IsKernelOnly);
  EXPECT_TRUE(std::get<Wanted>(asked({{"BANKSTRIPE_CAPTURE_KERNEL", "3:a"}}))
                  ->IsKernelOnly);
  EXPECT_EQ(std::get<std::string>(asked({{"BANKSTRIPE_CAPTURE", "x"}})),
            "BANKSTRIPE_CAPTURE: 'x' is not LAUNCH:PATH");
}

TEST(CaptureRequest, EachProcessHasAFileOfItsOwn) {
  auto R = CaptureRequest::parse("0:a.capture");
  R->nameLike("/tmp/0", "/tmp/0");
  EXPECT_EQ(R->Path, "a.capture");
  R->nameLike("/tmp/0", "/tmp/0.4711");
  EXPECT_EQ(R->Path, "a.capture.4711");
}

// A kernel of (char, double): the second one is aligned.
static const std::vector<ParameterPlace> Places = {{0, 1}, {8, 8}};

TEST(KernelParameters, AreCopiedFromWhereTheyLie) {
  const char First = 'x';
  const double Second = 1.5;
  const void *Values[] = {&First, &Second};
  const std::string Bytes(reinterpret_cast<const char *>(&Second), 8);
  EXPECT_EQ(copyParameters(Places, Values),
            (std::vector<CapturedParameter>{{0, "x"}, {8, Bytes}}));
  EXPECT_TRUE(copyParameters({}, nullptr).empty());
}

TEST(KernelParameters, AreCutFromABuffer) {
  EXPECT_EQ(cutParameters(Places, "x.......12345678"),
            (std::vector<CapturedParameter>{{0, "x"}, {8, "12345678"}}));
  // What lies behind the last one belongs to none.
  EXPECT_EQ(cutParameters(Places, "x.......12345678more")->back().Bytes,
            "12345678");
  EXPECT_FALSE(cutParameters(Places, "x.......1234567"));
  EXPECT_FALSE(cutParameters(Places, "x"));
  EXPECT_TRUE(cutParameters({}, "")->empty());
}

static std::string imageOf(const std::string &Kernel, const char *Besides) {
  Image I(Kernel);
  I.symbol(Kernel, Image::Code, 128, STT_FUNC);
  I.symbol(Besides, Image::Global, 4);
  return I.bytes();
}

TEST(ModuleImages, TheOneThatDefinesTheKernelIsFound) {
  ModuleImages Images;
  Images.keep(imageOf("_Z4stepPi", "a"));
  Images.keep(imageOf("_Z4fillPi", "a"));
  std::string Found;
  EXPECT_EQ(Images.find("_Z4fillPi", Found), "");
  EXPECT_EQ(Found, imageOf("_Z4fillPi", "a"));
  EXPECT_EQ(Images.find("_Z4swapPi", Found),
            "no module that was loaded defines _Z4swapPi");
}

TEST(ModuleImages, AModuleThatIsLoadedTwiceIsOne) {
  ModuleImages Images;
  Images.keep(imageOf("_Z4stepPi", "a"));
  Images.keep(imageOf("_Z4stepPi", "a"));
  std::string Found;
  EXPECT_EQ(Images.find("_Z4stepPi", Found), "");
}

TEST(ModuleImages, OfDifferentOnesItIsNotKnownWhich) {
  ModuleImages Images;
  Images.keep(imageOf("_Z4stepPi", "a"));
  Images.keep(imageOf("_Z4stepPi", "b"));
  std::string Found;
  EXPECT_EQ(Images.find("_Z4stepPi", Found),
            "2 different modules define _Z4stepPi");
}
