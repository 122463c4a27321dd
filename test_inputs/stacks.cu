// stacks.cu - stacks of which the first entries are used most
//
// Searches in a heap and in a tree whose far children wait on a stack, stacks
// of bytes and of structures that pointers walk over, and a table that begins
// with the values that are asked for most.
//
// rewrite-options: --layout=split
// expect-striped: none
// expect-split: waiting path open depths marks recent
// expect-stack-frame: nearest=448
// expect-stack-frame: ways=128
// expect-stack-frame: brackets=368
// expect-stack-frame: ranks=264
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA(call) check((call), #call)

#ifdef BANKSTRIPE_SMALL
static const int Threads = 96, Points = 250, Queries = 300;
#else
static const int Threads = 128, Points = 60000, Queries = 400000;
#endif

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__device__ unsigned scramble(unsigned value) {
  value ^= value >> 16;
  value *= 0x45d9f3bu;
  return value ^ value >> 13;
}

// The point of a k-d tree in heap order that is nearest to another.
__global__ void nearest(const float2 *tree, int count, const float2 *queries,
                        int number, unsigned *found) {
  struct Entry {
    int node;
    float bound;
  };
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= number) return;
  const float2 at = queries[query];
  Entry waiting[64], *top = waiting;
  float best = 1e30f;
  int which = 0;
  *top++ = Entry{1, 0.0f};
  while (top != waiting) {
    const Entry from = *--top;
    if (from.bound >= best)
      continue;
    for (int node = from.node; node <= count;) {
      const float2 here = tree[node - 1];
      const float dx = at.x - here.x, dy = at.y - here.y;
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        which = node;
      }
      const bool vertical = (31 - __clz(node)) % 2 == 0;
      const float across = vertical ? dx : dy;
      const int near = 2 * node + (across > 0);
      if ((near ^ 1) <= count && across * across < best &&
          top - waiting < 64) {
        (*top).node = near ^ 1;
        (top++)->bound = across * across;
      }
      node = near;
    }
  }
  found[query] = which;
}

// The way from a node of a heap to the root, and back.
__global__ void ways(const int *from, int number, unsigned *sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= number) return;
  int path[40] = {};
  int length = 0;
  for (int node = from[thread]; node > 0; node /= 2)
    path[length++] = node;
  unsigned sum = length;
  while (length > 0)
    sum = sum * 31 + path[--length];
  sums[thread] = sum + path[3] + path[39];
}

__device__ unsigned total(const unsigned char *first, int count) {
  unsigned sum = 0;
  while (count-- > 0)
    sum = sum * 3 + *first++;
  return sum;
}

// A walk whose steps open brackets and close them.
__global__ void brackets(int steps, int number, unsigned *results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= number) return;
  struct Bracket {
    int at;
    short weight;
    unsigned char kind;
    bool odd;
  };
  Bracket open[48];
  unsigned char depths[48] = {1, 2, 3};
  Bracket *last = open;
  unsigned result = 0;
  unsigned seed = thread;
  for (int step = 0; step < steps; ++step) {
    seed = scramble(seed + step);
    if (last == open || (seed % 5 < 2 && last < open + 48)) {
      last->kind = seed >> 8 & 3;
      last->at = step;
      last->weight = seed >> 16 & 15;
      last->odd = seed & 1;
      ++last;
    } else {
      --last;
      result = result * 7 + last->kind * last->weight + last->at + last->odd;
      last[0].weight -= 1;
    }
    depths[last - open < 48 ? last - open : 47] += 1;
  }
  results[thread] = result + total(depths, 48);
}

// Ranks in a list of what was seen last, which moves to the front.
template <typename T>
__device__ int rankOf(T *first, int length, T value) {
  int rank = 0;
  while (rank < length && first[rank] != value)
    ++rank;
  for (int i = rank < length ? rank : length - 1; i > 0; --i)
    first[i] = first[i - 1];
  first[0] = value;
  return rank;
}

__global__ void ranks(const int *values, int count, int number,
                      unsigned *sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= number) return;
  double recent[33];
  bool marks[65];
  for (int i = 0; i < 33; ++i)
    recent[i] = -i;
  for (bool *mark = marks; mark != marks + 65; ++mark)
    *mark = false;
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) {
    const int value = values[(thread + i) % count];
    const int rank = rankOf(recent, 33, double(value % 40));
    sum = sum * 5 + rank + marks[rank + value % 30];
    marks[rank] |= value & 1;
  }
  sums[thread] = sum;
}

static unsigned state = 4711;
static unsigned next() { return (state = state * 1664525u + 1013904223u) >> 8; }

template <typename T> static T *onDevice(const std::vector<T> &values) {
  T *copy;
  CUDA(cudaMalloc(&copy, values.size() * sizeof(T)));
  CUDA(cudaMemcpy(copy, values.data(), values.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return copy;
}

static void print(const char *what, const unsigned *found) {
  std::vector<unsigned> values(Queries);
  CUDA(cudaMemcpy(values.data(), found, Queries * sizeof(unsigned),
                  cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (unsigned value : values)
    sum = sum * 31 + value;
  std::printf("%s %u\n", what, sum);
}

int main() {
  std::vector<float2> tree(Points), queries(Queries);
  std::vector<int> nodes(Queries);
  // Each level halves its range, so that the heap is nearly a k-d tree.
  for (int i = 0; i < Points; ++i) {
    float low[2] = {0, 0}, size[2] = {1, 1};
    int level = 31;
    while (!((i + 1) >> level))
      --level;
    for (int d = level - 1; d >= 0; --d) {
      const int axis = (level - 1 - d) % 2;
      size[axis] /= 2;
      low[axis] += ((i + 1) >> d & 1) * size[axis];
    }
    tree[i] = {low[0] + size[0] / 2, low[1] + size[1] / 2};
  }
  for (int i = 0; i < Queries; ++i) {
    queries[i] = {next() / 16777216.0f, next() / 16777216.0f};
    nodes[i] = 1 + next();
  }
  float2 *dTree = onDevice(tree), *dQueries = onDevice(queries);
  int *dNodes = onDevice(nodes);
  unsigned *found = onDevice(std::vector<unsigned>(Queries));
  const int blocks = (Queries + Threads - 1) / Threads;
  nearest<<<blocks, Threads>>>(dTree, Points, dQueries, Queries, found);
  print("nearest", found);
  ways<<<blocks, Threads>>>(dNodes, Queries, found);
  print("ways", found);
  brackets<<<blocks, Threads>>>(100, Queries, found);
  print("brackets", found);
  ranks<<<blocks, Threads>>>(dNodes, Queries, Queries, found);
  print("ranks", found);
  CUDA(cudaFree(dTree));
  CUDA(cudaFree(dQueries));
  CUDA(cudaFree(dNodes));
  CUDA(cudaFree(found));
  return 0;
}
