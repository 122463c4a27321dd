// lists.cu - what braced lists are passed for
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

template <class E, int... Extents> using array_of = typename bankstripe::detail::array_of<E, Extents...>::type;
template <class E> using without_volatile = typename bankstripe::detail::without_volatile<E>::type;
static_assert(std::is_same<array_of<int, 2, 3>, int[2][3]>::value && std::is_same<array_of<char>, char>::value, "");
static_assert(std::is_same<without_volatile<volatile float>, float>::value, "");
static_assert(std::is_same<without_volatile<const int>, const int>::value, "");

template <int... Extents> __device__ int last(const array_of<int, Extents...> &values) { return values[1][2]; }

__global__ void braces(int *failed) {
  EXPECT((last<2, 3>({{1}, {2, 3, own<int>(4)}}) == own<int>(4) && last<2, 3>({{}}) == 0));
}

int main() { return RUN(braces); }
