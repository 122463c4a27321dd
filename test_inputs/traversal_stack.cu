// traversal_stack.cu - a tree is searched with an explicit stack per thread
//
// An interval tree in arrays: every node covers [low, high), a leaf holds one
// item. Each thread looks for all leaves that its own range touches. The stack
// top differs from lane to lane.
//
// expect-striped: stack
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call) check((call), #call)

static const int StackSize = 32;
static const int Leaves = 4096; // a power of two; the tree is a heap
#ifdef BANKSTRIPE_SMALL
static const int Queries = 300;
#else
static const int Queries = 200000;
#endif

struct Node {
  float low, high; // bounds of all leaves below
  int left, right; // children; left is -1 in a leaf, right its number then
};

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

__global__ void findOverlaps(const Node *nodes, const float2 *ranges, int count,
                             int *hits, unsigned *order) {
  int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= count) return;

  const float2 range = ranges[query];
  int stack[StackSize];
  int top = 0;
  stack[top++] = 0; // the root

  int found = 0;
  unsigned visited = 0;
  while (top > 0) {
    const Node node = nodes[stack[--top]];
    if (node.high <= range.x || node.low >= range.y)
      continue;
    if (node.left < 0) {
      ++found;
      visited = visited * 31 + node.right;
      continue;
    }
    // The nearer child last, so that it is looked at first.
    if (node.left & 2) {
      stack[top++] = node.left;
      stack[top++] = node.right;
    } else {
      stack[top++] = node.right;
      stack[top++] = node.left;
    }
  }
  hits[query] = found;
  order[query] = visited;
}

static std::vector<Node> buildTree() {
  std::vector<Node> nodes(2 * Leaves - 1);
  unsigned state = 4711;
  for (int i = 0; i < Leaves; ++i) {
    state = state * 1664525u + 1013904223u;
    const float low = i + static_cast<float>(state >> 24) / 512.0f;
    nodes[Leaves - 1 + i] = {low, low + 1.5f, -1, i};
  }
  for (int i = Leaves - 2; i >= 0; --i) {
    const Node &l = nodes[2 * i + 1], &r = nodes[2 * i + 2];
    nodes[i] = {l.low < r.low ? l.low : r.low, l.high > r.high ? l.high : r.high,
                2 * i + 1, 2 * i + 2};
  }
  return nodes;
}

int main() {
  const std::vector<Node> nodes = buildTree();
  std::vector<float2> ranges(Queries);
  unsigned state = 1;
  for (float2 &range : ranges) {
    state = state * 1664525u + 1013904223u;
    range.x = static_cast<float>((state >> 8) % (Leaves * 16)) / 16.0f;
    range.y = range.x + static_cast<float>(state >> 28) * 0.75f;
  }

  Node *dNodes;
  float2 *dRanges;
  int *dHits;
  unsigned *dOrder;
  CUDA(cudaMalloc(&dNodes, nodes.size() * sizeof(Node)));
  CUDA(cudaMalloc(&dRanges, Queries * sizeof(float2)));
  CUDA(cudaMalloc(&dHits, Queries * sizeof(int)));
  CUDA(cudaMalloc(&dOrder, Queries * sizeof(unsigned)));
  CUDA(cudaMemcpy(dNodes, nodes.data(), nodes.size() * sizeof(Node), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dRanges, ranges.data(), Queries * sizeof(float2), cudaMemcpyHostToDevice));

  int threads, blocks;
  threads = 96;
  blocks = (Queries + threads - 1) / threads;
  findOverlaps<<<blocks, threads>>>(dNodes, dRanges, Queries, dHits, dOrder);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());

  std::vector<int> hits(Queries);
  std::vector<unsigned> order(Queries);
  CUDA(cudaMemcpy(hits.data(), dHits, Queries * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(order.data(), dOrder, Queries * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned long long total = 0, hash = 14695981039346656037ull;
  for (int i = 0; i < Queries; ++i) {
    total += hits[i];
    hash = (hash ^ order[i]) * 1099511628211ull;
  }
  std::printf("hits %llu\norder %016llx\n", total, hash);
  CUDA(cudaFree(dNodes));
  CUDA(cudaFree(dRanges));
  CUDA(cudaFree(dHits));
  CUDA(cudaFree(dOrder));
  return 0;
}
