// common.cu - storage that several arrays lie in, in turns
//
// Threads are in different arrays at the same time, because they take turns
// whenever one of them asks for its number.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect.h"

static __shared__ bankstripe::common<2048, 64> words;
static __shared__ bankstripe::common<1408, 64> slotted;

__device__ __noinline__ int sumOfStripe(int steps) {
  auto a = bankstripe::stripe_in<int[16]>(words);
  bankstripe::clear(a);
  for (int i = 0; i < steps; ++i)
    bankstripe::at(a, i % 16) += own<int>(i);
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += bankstripe::begin(a)[i];
  return sum;
}

__device__ int expectedSum(int steps) {
  int sum = 0;
  for (int i = 0; i < steps; ++i)
    sum += own<int>(i);
  return sum;
}

// A smaller one of another shape, in the same rows.
__global__ void stripesInTurns(int *failed) {
  for (int round = 0; round < 4; ++round) {
    const int steps = 3 + (bankstripe::thread() + round) % 29;
    EXPECT(sumOfStripe(steps) == expectedSum(steps));
    auto m = bankstripe::stripe_in<int[2][3]>(words);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        bankstripe::at(m, i, j) = own<int>(10 * i + j);
    auto c = bankstripe::begin(m);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT(bankstripe::at(m, i, j) == own<int>(10 * i + j) && c[i][j] == own<int>(10 * i + j));
  }
}

struct Stack {
  int values[5];
  int top;
  __device__ explicit Stack(int first) : top(1) { values[0] = first; }
};

__global__ void slotsInTurns(int *failed) {
  for (int round = 0; round < 4; ++round) {
    if ((bankstripe::thread() + round) % 3) {
      auto &a_slots = bankstripe::slots_in<float[9]>(slotted);
      float(&a)[9] = a_slots.mine();
      bankstripe::initialize_slot(a, {1, own<float>(1)});
      a[8] = own<float>(8);
      EXPECT(a[0] == 1 && a[1] == own<float>(1) && a[2] == 0 && a[8] == own<float>(8));
    } else {
      auto &s_slots = bankstripe::slots_in<Stack>(slotted);
      Stack &s = *new (bankstripe::place(s_slots)) Stack(own<int>(0));
      s.values[s.top++] = own<int>(1);
      EXPECT(s.top == 2 && s.values[0] == own<int>(0) && s.values[1] == own<int>(1));
    }
  }
}

int main() {
  return RUN(stripesInTurns) + RUN(slotsInTurns);
}
