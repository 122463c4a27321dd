// search.cu - the k nearest neighbours of each point, and which of them become edges
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "nearest.h"

namespace {

constexpr int kBlock = 128;

int blocksFor(int threads) { return (threads + kBlock - 1) / kBlock; }

// A subtree that may have to be searched, and how far away it is at least.
struct Pending {
  int node;
  float distance;
};

// Puts a point where it belongs in a list that is sorted by distance, and holds k points
// at most. The farthest falls out of a full list.
__device__ void insert(float *distances, int *ids, int &count, int k, float distance, int id) {
  int i = count < k ? count++ : k - 1;
  for (; i > 0 && distances[i - 1] > distance; --i) {
    distances[i] = distances[i - 1];
    ids[i] = ids[i - 1];
  }
  distances[i] = distance;
  ids[i] = id;
}

__global__ void searchTree(Tree tree, int k, Neighbours found) {
  const int self = blockIdx.x * blockDim.x + threadIdx.x;
  if (self >= tree.numPoints)
    return;
  const Point query = tree.points[self];
  const float position[3] = {query.x, query.y, query.z};

  float distances[kMaxNeighbours];
  int ids[kMaxNeighbours];
  int count = 0;
  Pending stack[kMaxDepth];
  int depth = 0;
  stack[depth++] = {0, 0.0f};
  while (depth > 0) {
    const Pending next = stack[--depth];
    if (count == k && next.distance >= distances[k - 1])
      continue;

    // Down to the leaf on this side of all planes. The other sides have to wait.
    int index = next.node;
    Node node = tree.nodes[index];
    while (node.axis >= 0) {
      const float offset = position[node.axis] - node.split;
      const bool isRight = offset >= 0;
      stack[depth++] = {isRight ? index + 1 : node.right, offset * offset};
      index = isRight ? node.right : index + 1;
      node = tree.nodes[index];
    }

    for (int id = node.first; id < node.first + node.count; ++id) {
      const float distance = squaredDistance(query, tree.points[id]);
      if (id != self && (count < k || distance < distances[k - 1]))
        insert(distances, ids, count, k, distance, id);
    }
  }

  for (int i = 0; i < count; ++i) {
    found.ids[i * tree.numPoints + self] = ids[i];
    found.distances[i * tree.numPoints + self] = distances[i];
  }
}

__global__ void pruneHidden(Tree tree, int k, Neighbours edges, int *degrees) {
  const int self = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = tree.numPoints;
  if (self >= tree.numPoints)
    return;
  bool hidden[kMaxNeighbours] = {};
  int degree = 0;
  for (int i = 0; i < k; ++i) {
    if (hidden[i])
      continue;
    const int id = edges.ids[i * stride + self];
    const Point neighbour = tree.points[id];
    for (int j = i + 1; j < k; ++j) {
      const Point other = tree.points[edges.ids[j * stride + self]];
      if (squaredDistance(neighbour, other) < edges.distances[j * stride + self])
        hidden[j] = true;
    }
    // No later turn reads what is replaced: degree is at most i.
    edges.ids[degree * stride + self] = id;
    edges.distances[degree * stride + self] = edges.distances[i * stride + self];
    ++degree;
  }
  degrees[self] = degree;
}

} // namespace

void findNeighbours(const Tree &tree, int k, const Neighbours &found) {
  searchTree<<<blocksFor(tree.numPoints), kBlock>>>(tree, k, found);
}

void pruneEdges(const Tree &tree, int k, const Neighbours &edges, int *degrees) {
  pruneHidden<<<blocksFor(tree.numPoints), kBlock>>>(tree, k, edges, degrees);
}
