// rejected.cu - uses that must not compile
//
// Built once per CASE; the comment behind it is what a compiler must say, as a
// regular expression. CASE 0 compiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

__device__ void takes(bankstripe::pointer<int>) {}

__global__ void kernel(int *failed) {
  __shared__ int a[bankstripe::warps(64)][4][32];
  __shared__ int t[bankstripe::warps(64)][2][4][32];
  __shared__ int odd[bankstripe::warps(64)][4][16];
  __shared__ bankstripe::packed<char> p[bankstripe::warps(64)][4][32];
  __shared__ bankstripe::slots<int[4], 64> s;
  const bankstripe::pointer<const int> c = bankstripe::begin(a);
#if CASE == 1 // subscript|pointer-to-object
  bankstripe::begin(a)[1][2] = 1;
#elif CASE == 2  // conver|no suitable|no match|no viable|no operator
  bankstripe::begin(t)[1] = 1;
#elif CASE == 3  // the last dimension of a stripe is the 32 lanes
  bankstripe::begin(odd)[1] = 1;
#elif CASE == 4  // the stripe has fewer elements
  bankstripe::initialize<5>(a, {1, 2});
#elif CASE == 5  // the stripe has other extents
  bankstripe::initialize<1, 4>(t, {{1, 2}});
#elif CASE == 6  // too many initializer|no matching function|no instance of
  bankstripe::initialize<2>(a, {1, 2, 3});
#elif CASE == 7  // conver|no suitable|no matching function
  takes(bankstripe::begin(p));
#elif CASE == 8  // read-only|const|modifiable
  c[1] = 2;
#elif CASE == 9  // conver|no suitable|no matching function
  takes(c);
#elif CASE == 10 // conver|no suitable|no matching function
  takes(&bankstripe::begin(a)[0]);
#elif CASE == 11 // conver|no suitable|no matching function
  takes(s.mine());
#elif CASE == 12 // conver|no suitable|initial
  int *first = bankstripe::begin(a);
#elif CASE == 13 // conver|cannot bind|initial|invalid init
  int (&wrong)[5] = s.mine();
#elif CASE == 14 // a block has threads
  bankstripe::require_block_of_at_most<0>();
#elif CASE == 15 // the part is too small
  bankstripe::dynamic_stripe<int[4], 16, 512, 528>();
#elif CASE == 16 // the part is too small
  bankstripe::dynamic_slots<int[3], 0, 256, 512>();
#elif CASE == 17 // the memory is aligned to fewer bytes
  bankstripe::dynamic_slots<int[3], 0, 4096, 4096, bankstripe::behind, 32>();
#elif CASE == 18 // vectors are aligned to 16 bytes
  bankstripe::dynamic_stripe<char[4], 0, 520, 520>();
#elif CASE == 19 // an array of bits has at most 64 elements
  bankstripe::bits<13, 5> many;
#elif CASE == 20 // too many initializer|no matching function|no instance of
  bankstripe::bits<2> few({true, false, true});
#elif CASE == 21 // taking address|address of|lvalue|addressable
  bankstripe::bits<2> b;
  bool *first = &b[1];
#elif CASE == 22 // conver|no suitable|no matching|cannot
  char rest[3];
  auto chars = bankstripe::begin(a, rest);
#elif CASE == 23 // conver|no suitable|no matching|cannot
  int rest[3];
  bankstripe::pointer<bankstripe::split<int, 5>> ints = bankstripe::begin(a, rest);
#elif CASE == 24 // conver|not assignable|be used to initialize
  bankstripe::column(t)[1] = 1;
#elif CASE == 25 // no match|invalid operands|no operator
  auto next = bankstripe::column(a) + 1;
#elif CASE == 26 // the last dimension of a stripe is the 32 lanes
  bankstripe::column(odd)[1] = 1;
#endif
  EXPECT(c == nullptr || sizeof odd + sizeof p + sizeof t > 0);
}

int main() { return run("kernel", kernel, dim3(1)); }
