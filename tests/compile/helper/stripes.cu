// stripes.cu - where elements lie, and subscripts, held against a per-thread array
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

using bankstripe::column;
using bankstripe::warps;
using bankstripe::detail::planes;

__global__ void places(int *failed) {
  __shared__ short a[warps(45)][3][32];
  typedef planes<decltype(a)> all;
  static_assert(all::rows == 3, "one row for each element");
  short *first = all::first(all::own(a));
  EXPECT(first == &a[bankstripe::warp()][0][bankstripe::lane()]);
  EXPECT(bankstripe::detail::further(first, 2) == &a[bankstripe::warp()][2][bankstripe::lane()]);
}

// Its own operators are none of a subscript's.
enum Digit { Zero, Two = 2 };
__device__ int operator*(Digit, int) { return 5; }
__device__ int operator+(Digit, int) { return 5; }

template <class S, class E> __global__ void subscripts(int *failed) {
  __shared__ S stripes[warps(45)][7][32];
  E array[7];
  auto a = column(stripes);
  static_assert(sizeof a == sizeof(S *), "a column is one address");
  bankstripe::clear(stripes);
  for (unsigned char i = 0; i < 7; ++i) {
    EXPECT(a[i] == E());
    a[i] = array[i] = own<E>(i);
  }
  for (long long i = 6; i >= 0; --i)
    EXPECT(a[i] == array[i] && a[i] == bankstripe::begin(stripes)[i]);
  EXPECT(a[Zero] == array[0] && a[Two] == array[2] && noexcept(a[1]));
  *&a[5u] = own<E>(40);
  EXPECT(column(stripes)[5] == own<E>(40));
}

struct Pair {
  float left, right;
  __host__ __device__ Pair(float left = 3) : left(left), right(4) {}
  __host__ __device__ bool operator==(const Pair &other) const {
    return left == other.left && right == other.right;
  }
};

int main() {
  return RUN(places) | RUN((subscripts<int, int>)) | RUN((subscripts<char, char>)) | RUN((subscripts<volatile double, double>)) |
         RUN((subscripts<bankstripe::word<short>, short>)) | RUN((subscripts<bankstripe::padded<Pair>, Pair>)) |
         RUN((subscripts<bankstripe::unit<long long>, long long>));
}
