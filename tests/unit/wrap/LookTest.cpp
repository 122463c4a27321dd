//===-- LookTest.cpp - whether there can be anything to rewrite -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Look.h"
#include <gtest/gtest.h>

using namespace bankstripe;

static bool declares(const std::string &Text,
                     const std::set<std::string> &Marks = {}) {
  return mayDeclareArray(Text, Marks);
}

static bool inKernel(const std::string &Body) {
  return declares("__global__ void k(float *o, int n) { " + Body + " }");
}

TEST(Look, ArraysOfKernelsCount) {
  EXPECT_TRUE(inKernel("int a[4];"));
  EXPECT_TRUE(inKernel("if (n) { unsigned char a[4] = {0}; }"));
  EXPECT_TRUE(inKernel("int b = 3, a[4];"));
  EXPECT_TRUE(inKernel("float *a[4];"));
  EXPECT_TRUE(inKernel("ns::pair<int, 3> a[4];"));
  EXPECT_TRUE(inKernel("const int a[] = {1, 2};"));
  EXPECT_TRUE(inKernel("__align__(16) float a[4];"));
  EXPECT_TRUE(inKernel("for (int i = 0; i < n; ++i) { float a[4]; }"));
  EXPECT_TRUE(inKernel("cuda::std::array<int, 4> a;"));
  EXPECT_TRUE(inKernel("curandState s;"));
}

TEST(Look, SubscriptsDoNot) {
  EXPECT_FALSE(inKernel("o[n] = o[n + 1] * o[0]; return;"));
  EXPECT_FALSE(inKernel("float x = n * o[0]; x += o[1], o[2] = x;"));
  EXPECT_FALSE(inKernel("if (n > o[0]) n = f(n, o[1]); else o[1] = 3;"));
  EXPECT_FALSE(inKernel("auto [x, y] = f(); delete[] o;"));
}

TEST(Look, SharedAndStaticArraysDoNot) {
  EXPECT_FALSE(inKernel("__shared__ float a[4];"));
  EXPECT_FALSE(inKernel("extern __shared__ float a[];"));
  EXPECT_FALSE(inKernel("static const int a[2] = {1, 2};"));
  EXPECT_FALSE(declares("__constant__ float a[4]; __device__ int b[8];"));
}

TEST(Look, ArraysOfTheHostDoNot) {
  EXPECT_FALSE(declares("int main(int argc, char *argv[]) { char a[4]; }"));
  EXPECT_FALSE(declares("static void f() { for (;;) { int a[4]; } }"));
}

TEST(Look, OtherFunctionsForTheDeviceCount) {
  EXPECT_TRUE(declares("__device__ int f() { int a[4]; return a[0]; }"));
  EXPECT_TRUE(declares("template <class T> struct S { __device__ void f(); };"
                       "template <class T> __device__ void S<T>::f() "
                       "{ T a[4]; }"));
  EXPECT_TRUE(declares("void f() { g([=] __device__(int i) { int a[4]; }); }"));
  EXPECT_TRUE(declares("DEVICE_INLINE void f() { int a[4]; }"));
  EXPECT_TRUE(declares("mark void f() { int a[4]; }", {"mark"}));
}

TEST(Look, ClassesAndTypesCount) {
  EXPECT_TRUE(declares("struct __align__(16) S { float v[4]; };"));
  EXPECT_TRUE(declares("typedef float V[4];"));
  EXPECT_TRUE(declares("using V = float[4];"));
  EXPECT_FALSE(declares("struct S { float x, y; float *p; };"));
  EXPECT_FALSE(declares("struct S { static const int table[4]; };"));
}

TEST(Look, MacrosCount) {
  EXPECT_TRUE(declares("#define DECLARE(t, n) t n[4]\n"));
  EXPECT_FALSE(declares("#define AT(a, i) a[i]\n#define N 4\n"));
}

TEST(Look, AFileWithoutDeviceCodeHoldsNone) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "struct S { int v[4]; };";
  EXPECT_FALSE(mayHoldPrivateArray(Tree));
  Tree.Files["/b.cuh"].Text = "__global__ void k();";
  EXPECT_TRUE(mayHoldPrivateArray(Tree));
}

TEST(Look, MacrosOfOtherFilesMarkFunctions) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = "both void f() { int v[4]; }";
  Tree.Files["/b.cuh"].Text = "#define both __host__ __device__\n";
  EXPECT_TRUE(mayHoldPrivateArray(Tree));
}

// Whether one of the kernels or arrays of a file with Text may move alone.
static bool movesAlone(const std::string &Text) {
  IncludeTree Tree;
  Tree.Files["/a.cu"].Text = Text;
  return mayMoveAlone(Tree);
}

TEST(LookAlone, AnArrayOfAKernelOfAllStays) {
  EXPECT_FALSE(movesAlone("__global__ void k() { int a[4]; a[0] = 1; }"));
  EXPECT_FALSE(movesAlone("__global__ void k() { struct { int v[4]; } a; }"));
}

TEST(LookAlone, BoundsLetArraysMove) {
  EXPECT_TRUE(
      movesAlone("__global__ void __launch_bounds__(128) k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("MY_LAUNCH_BOUNDS(128) void k() { int a[4]; }"));
}

TEST(LookAlone, KernelsOfThisFileAloneLetArraysMove) {
  EXPECT_TRUE(movesAlone("static __global__ void k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("__global__ static void k() { int a[4]; }"));
  EXPECT_TRUE(movesAlone("namespace { __global__ void k() { int a[4]; } }"));
  EXPECT_TRUE(movesAlone("template <class F> __global__ void k(F f) { f(); }\n"
                         "void run() { k<<<1, 1>>>([=] __device__() {}); }"));
  EXPECT_FALSE(movesAlone("static int n; namespace kit {\n"
                          "__global__ void k() { int a[4]; } }"));
}

TEST(LookAlone, TablesMoveWhoeverCallsTheirKernel) {
  EXPECT_TRUE(movesAlone("__global__ void k() { int a[] = {1, 2}; }"));
  EXPECT_TRUE(movesAlone("__global__ void k() { const int a[2]{1, 2}; }"));
  EXPECT_TRUE(movesAlone("__device__ int f() { int a[2], b[2] = {}; }"));
  EXPECT_TRUE(movesAlone("#define TABLE(n) int n[2] = {1, 2}\n"
                         "__global__ void k() { TABLE(a); }"));
  EXPECT_FALSE(movesAlone("__global__ void k() { int a[2]; int b = 0; }\n"
                          "int table[2] = {1, 2};"));
}

TEST(LookAlone, WhatIsTooMuchToReadMayMove) {
  IncludeTree Tree;
  Tree.Complete = false;
  EXPECT_TRUE(mayMoveAlone(Tree));
}
