// placement.cu - class objects in slots, also beside the placement of <new>
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

#include "expect.h"

using bankstripe::slots;

struct Pair {
  int first, second;
  __device__ Pair(int first = 1, int second = 2) : first(first), second(second) {}
};

__global__ void both(int *failed) {
  __shared__ slots<Pair, 45> pairs;
  const Pair &mine = *new (bankstripe::place(pairs)) Pair(1, own<int>(2));
  Pair *again = new (&pairs.mine()) Pair(3, own<int>(4));
  EXPECT(&mine == again && mine.first == 3 && mine.second == own<int>(4));
}

class Stack {
public:
  __device__ explicit Stack(int bottom) : top(1) { values[0] = bottom; }
  __device__ void push(int value) { values[top++] = value; }
  __device__ int pop() { return values[--top]; }

private:
  int values[20], top;
};
struct Point {
  int x, y[4];
};

__global__ void objects(int *failed) {
  __shared__ slots<Stack, 45> s_slots;
  __shared__ slots<Stack, 45> copy_slots;
  __shared__ slots<Point, 45> p_slots;
  Stack &s = *new (bankstripe::place(s_slots)) Stack(own<int>(5));
  EXPECT(&s == &s_slots.mine());
  for (int i = 0; i < 10; ++i)
    s.push(own<int>(i));
  Stack &copy = *new (bankstripe::place(copy_slots)) Stack(s);
  for (int i = 9; i >= 0; --i)
    EXPECT(s.pop() == own<int>(i));
  EXPECT(s.pop() == own<int>(5) && copy.pop() == own<int>(9));
  const Point &p = *new (bankstripe::place(p_slots)) Point{1, {2, own<int>(3)}};
  EXPECT(p.x == 1 && p.y[1] == own<int>(3) && p.y[3] == 0);
}

__global__ void arraysOfObjects(int *failed) {
  __shared__ slots<Pair[3], 45> a_slots;
  new (bankstripe::place(a_slots)) Pair[3];
  Pair(&a)[3] = a_slots.mine();
  EXPECT(a[0].first == 1 && a[2].second == 2);
  new (bankstripe::place(a_slots)) Pair[3]{own<int>(3), {4, 5}};
  EXPECT(a[0].first == own<int>(3) && a[1].second == 5 && a[2].first == 1);
}

int main() { return RUN(both) | RUN(objects) | RUN(arraysOfObjects); }
