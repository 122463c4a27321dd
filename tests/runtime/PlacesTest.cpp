//===-- PlacesTest.cpp - where in the source an allocation is made ---===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Places.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

TEST(Places, AreReadFromWhatAddr2linePrints) {
  EXPECT_EQ(readPlace("main\n/src/app.cu:12\n"), "/src/app.cu:12 (main)");
  EXPECT_EQ(readPlace("f(int)\na.cu:7 (discriminator 2)\n"), "a.cu:7 (f(int))");
  EXPECT_EQ(readPlace("??\na.cu:7\n"), "a.cu:7");
  for (const char *Unknown : {"", "main\n", "??\n??:0\n", "main\n??:?\n",
                              "main\na.cu:?\n", "main\na.cu:0\n"})
    EXPECT_FALSE(readPlace(Unknown)) << Unknown;
}

TEST(Places, OfCudasHeadersAreNotWhereTheProgramAllocates) {
  const std::string Header =
      "cudaError cudaMalloc<float>(float**, unsigned long)\n"
      "/usr/local/cuda/bin/../targets/x86_64-linux/include/"
      "cuda_runtime.h:879\n";
  EXPECT_FALSE(readPlace(Header));
  EXPECT_EQ(readPlace(Header + "make(int)\n/my app/a.cu:7\n"),
            "/my app/a.cu:7 (make(int))");
}

TEST(Places, WithoutLinesAreAFileAndAnOffset) {
  EXPECT_EQ(placeOf({}), "");
  const StackFrame Cuda{"/usr/lib/libcudart.so.13", 0x10, "cudaMalloc", 4};
  EXPECT_EQ(placeOf({Cuda}), "");
  EXPECT_EQ(placeOf({Cuda, {"/nowhere/app", 0x1234, "", 0}}),
            "/nowhere/app+0x1234");
  EXPECT_EQ(placeOf({Cuda, {"/nowhere/app", 0x1234, "_Z4makei", 8}}),
            "/nowhere/app+0x1234 (make(int))");
}
