//===-- ElementsTest.cpp - where the address of an element may go ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

// --- References ------------------------------------------------------------

TEST(References, StayWithTheirElement) {
  testBody("int a[4]; int &r = $address^a[i]; r += 1; ++r; *out = r;");
  testBody("int a[4]; const int &r = $address^a[i]; *out = r;");
  testBody("int a[4]; auto &&r = $address^a[i]; int &s = r; s = 2;");
}

TEST(References, MustNotBecomeArrays) {
  testBody("int a[4]; int &r = $element_address_escapes^a[i]; (&r)[1] = 2;");
  testBody("int a[4]; int &r = $element_address_escapes^a[i];"
           "int *p = &r + 1; *p = 2;");
  testBody("int a[4]; (&$element_address_escapes^a[i])[j] = 2;");
  testBody(
      "int a[4]; reinterpret_cast<int(&)[2]>($element_address_escapes^a[i])"
      "[1] = 2;");
}

TEST(References, CapturedByALambdaEscape) {
  testBody("int a[4]; int &r = $element_address_escapes^a[i];"
           "auto f = [&] { r = 1; }; f();");
}

TEST(References, ToPartsOfAnElement) {
  testBody("float4 v[4]; float &r = $address^v[i].x; r = 1;");
  testBody(
      "float4 v[4]; float *p = &$element_address_escapes^v[i].x; p[1] = 1;");
  testBody("float2 v[4]; auto &[x, y] = $element_address_escapes^v[i];"
           "(&x)[2] = y;");
}

TEST(ReferenceParameters, AreFollowedIntoTheBody) {
  testFind("__device__ void swap(int &x, int &y) { int t = x; x = y; y = t; }\n"
           "__global__ void kernel(int i, int j) {\n"
           "  int a[4]; swap($address^a[i], $address^a[j]); }");
  testFind("template <class T> __device__ void swap(T &x, T &y) {\n"
           "  T t = x; x = y; y = t; }\n"
           "__global__ void kernel(int i, int j) {\n"
           "  int a[4]; swap($address^a[i], $address^a[j]); }");
}

TEST(ReferenceParameters, OfFunctionsWithoutABodyEscape) {
  testFind("__device__ void f(int &);\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; f($element_address_escapes^a[i]); }");
}

TEST(ReferenceParameters, OfFunctionsThatCountEscape) {
  testFind("__device__ void f(int &x) { (&x)[1] = 2; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; f($element_address_escapes^a[i]); }");
  testFind("__device__ void g(int *p) { p[1] = 2; }\n"
           "__device__ void f(int &x) { g(&x); }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; f($element_address_escapes^a[i]); }");
}

TEST(ReferenceParameters, OfVirtualFunctionsEscape) {
  testFind("struct S { __device__ virtual void f(int &x) { x = 1; } };\n"
           "__global__ void kernel(S *s, int i) {\n"
           "  int a[4]; s->f($element_address_escapes^a[i]); }");
}

TEST(ReferenceParameters, OfFunctionPointersEscape) {
  testFind("__global__ void kernel(void (*f)(int &), int i) {\n"
           "  int a[4]; f($element_address_escapes^a[i]); }");
}

TEST(ReferenceParameters, OfRecursiveFunctionsEndSomewhere) {
  testFind(
      "__device__ void f(int &x, int n) { if (n) f(x, n - 1); else x = n; }\n"
      "__global__ void kernel(int i) {\n"
      "  int a[4]; f($element_address_escapes^a[i], i); }");
}

TEST(ReferenceParameters, OfOperators) {
  testFind("__device__ int2 operator+(const int2 &x, const int2 &y) {\n"
           "  return make_int2(x.x + y.x, x.y + y.y); }\n"
           "__global__ void kernel(int2 *out, int i, int j) {\n"
           "  int2 a[4]; out[0] = $address^a[i] + $address^a[j]; }");
  testFind("struct F { __device__ void operator()(int &x) { x = 1; } };\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; F f; f($address^a[i]); }");
}

TEST(ReturnedReferences, AreFollowedFromTheCall) {
  const std::string Largest =
      "__device__ const int &largest(const int &x, const int &y) {\n"
      "  return x < y ? y : x; }\n";
  testFind(Largest + "__global__ void kernel(int *out, int i, int j) {\n"
                     "  int a[4]; *out = largest($read^a[i], $read^a[j]); }");
  testFind(Largest + "__global__ void kernel(int *out, int i, int j) {\n"
                     "  int a[4]; const int *p = &largest(\n"
                     "      $element_address_escapes^a[i],\n"
                     "      $element_address_escapes^a[j]);\n"
                     "  *out = p[1]; }");
  testFind("__device__ int &self(int &x) { return x; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; self($write^a[i]) = 1; self($address^a[i]); }");
}

TEST(ReturnedReferences, AFunctionThatWritesIsNoReader) {
  auto F = testFind("__device__ int &bump(int &x) { ++x; return x; }\n"
                    "__global__ void kernel(int *out, int i) {\n"
                    "  int a[2] = {1, 2}; *out = bump($address^a[i]); }");
  EXPECT_FALSE(F.front().NeverWritten);
}

TEST(ReturnedReferences, ThroughASecondFunctionEscape) {
  testFind(
      "__device__ int &ofPointer(int *p) { return *p; }\n"
      "__device__ int &walk(int &r) { (&ofPointer(&r))[1] = 3; return r; }\n"
      "__global__ void kernel(int i) {\n"
      "  int a[4]; walk($element_address_escapes^a[i]) = 5; }");
}

// --- Pointers to one element -----------------------------------------------

TEST(Pointers, ToOneElement) {
  testBody("int a[4]; *&$address^a[i] = 1;");
  testBody("int a[4]; int *p = &$address^a[i]; *p = 1; *out = *p + p[0];");
  testBody("int a[4]; int *p; p = &$address^a[i]; *p = 1; p = &$address^a[j];"
           "++*p;");
  testBody("int a[4]; int *p = i ? &$address^a[i] : &$address^a[j]; *p = 1;");
  testBody("float4 v[4]; float4 *p = &$address^v[i]; p->x = 1; (*p).y = 2;");
}

TEST(Pointers, ThatCount) {
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; p[1] = 1;");
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; *p++ = 1;");
  testBody(
      "int a[4]; int *p = &$element_address_escapes^a[i]; p += j; *p = 1;");
  testBody("int a[4]; *out = &$element_address_escapes^a[i] -"
           "  &$element_address_escapes^a[j];");
}

TEST(Pointers, CopiesAreFollowed) {
  testBody("int a[4]; int *p = &$address^a[i]; int *q = p; *q = 1;");
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; int *q = p;"
           "q[1] = 1;");
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; int *q = p, *r;"
           "for (int x = 0; x < j; ++x) { r = q; q = r + 1; } *q = 1;");
}

TEST(Pointers, WhoseOwnAddressIsTakenEscape) {
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; int **q = &p;"
           "++*q; *p = 1;");
  testBody("int a[4]; int *p = &$element_address_escapes^a[i]; int *&q = p;"
           "++q; *p = 1;");
}

TEST(Pointers, KeptInMemoryEscape) {
  testFind(
      "struct S { int *p; };\n"
      "__global__ void kernel(int i) {\n"
      "  int a[4]; S s; s.p = &$element_address_escapes^a[i]; s.p[1] = 1; }");
  testFind("__device__ int *global;\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; global = &$element_address_escapes^a[i]; }");
  testBody("int a[4]; int *p[2] = {&$element_address_escapes^a[i], out};"
           "*$read^p[j] = 1;");
  testBody("int a[4]; static __shared__ int *p;"
           "p = &$element_address_escapes^a[i];");
}

TEST(Pointers, CastToNoMoreThanTheElement) {
  testBody("int a[4]; *(float *)&$address^a[i] = 1;");
  testBody("int a[4]; *out = *reinterpret_cast<short *>(&$address^a[i]);");
  testBody("int a[4]; *(long long *)&$element_address_escapes^a[i] = 1;");
  testBody("float a[8]; *(float4 *)&$element_address_escapes^a[i] ="
           "  make_float4(1, 2, 3, 4);");
  testBody("int a[4]; ((char *)&$element_address_escapes^a[i])[1] = 1;");
  testBody("int a[4]; *out = (long long)&$element_address_escapes^a[i];");
  testBody("int a[4]; void *p = &$element_address_escapes^a[i];"
           "((int *)p)[1] = 2;");
}

TEST(PointerParameters, OfAtomics) {
  testBody("int a[4]; atomicAdd(&$address^a[i], 1);"
           "*out = atomicCAS(&$address^a[j], 0, 1);");
  testBody("unsigned a[4]; atomicMax(&$address^a[i], 3u);");
}

TEST(PointerParameters, OfMathFunctions) {
  testBody("float a[4]; sincosf(data[0], &$address^a[0], &$address^a[1]);");
  testBody("float a[4]; float whole; data[0] = modff(data[1], &$address^a[i]);"
           "data[2] = whole = 0;");
}

TEST(PointerParameters, OfFunctionsOfTheUserWithSuchNames) {
  testFind("__device__ void atomicAdd(int *p, float x) { p[1] = x; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; atomicAdd(&$element_address_escapes^a[i], 1.5f); }");
  testFind("namespace mine { __device__ float modff(float, float *); }\n"
           "__global__ void kernel(int i) {\n"
           "  float a[4]; mine::modff(1, &$element_address_escapes^a[i]); }");
}

TEST(PointerParameters, AreFollowedIntoTheBody) {
  testFind("__device__ void put(int *p, int x) { *p = x; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; put(&$address^a[i], 1); }");
  testFind("__device__ void fill(int *p, int n) { while (n--) p[n] = 0; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; fill(&$element_address_escapes^a[i], 1); }");
  testFind("__device__ void fill(int *p, int n);\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; fill(&$element_address_escapes^a[i], 1); }");
  testFind("__device__ int *next(int *p) { return p; }\n"
           "__global__ void kernel(int i) {\n"
           "  int a[4]; next(&$element_address_escapes^a[i])[1] = 2; }");
}

TEST(PointerParameters, OfVariadicFunctionsEscape) {
  testBody("int a[4]; printf(\"%d\", $read^a[i]);"
           "printf(\"%p\", &$element_address_escapes^a[j]);");
}

// --- Everything else -------------------------------------------------------

TEST(Elements, InAssembly) {
  testBody("int a[4]; asm(\"mov.u32 %0, %1;\" : \"=r\"($readwrite^a[i])"
           " : \"r\"($read^a[j]));");
  testBody("int a[4]; asm(\"\" :: \"l\"(&$element_address_escapes^a[i]));");
}

TEST(Elements, AsTypes) {
  testBody(
      "int a[4]; decltype($element_address_escapes^a[0]) r = *out; r = 1;");
}

TEST(Elements, PlacementNewEscapes) {
  testFind(
      "inline __device__ void *operator new(size_t, int *p) { return p; }\n"
      "__global__ void kernel(int i) {\n"
      "  int a[4]; new (&$element_address_escapes^a[i]) int(3); }");
}
