// nearest.h - what the kernels and the host share
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NEAREST_H
#define NEAREST_H

#include <cuda_runtime.h>
#include <math.h>

constexpr int kMaxNeighbours = 16; // Of one point.
constexpr int kMaxDepth = 32;      // Of a tree whose leaves have at least one point.

struct Point {
  float x, y, z;
};

// A node of a k-d tree. The points of a leaf stand beside each other. The left child
// of another node is the next node.
struct Node {
  int axis; // 0, 1 or 2, or -1 for a leaf.
  float split;
  int right;
  int first, count; // The points of a leaf.
};

struct Tree {
  const Point *points;
  const Node *nodes;
  int numPoints;
};

// Neighbour i of point p is at i * numPoints + p, so that the threads of a warp write
// beside each other.
struct Neighbours {
  int *ids;
  float *distances; // Squared.
};

// Spelled with fmaf, so that host and device round alike.
__host__ __device__ inline float squaredDistance(Point a, Point b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return fmaf(x, x, fmaf(y, y, z * z));
}

// Finds the k nearest neighbours of each point, nearest first.
void findNeighbours(const Tree &tree, int k, const Neighbours &found);

// Keeps of these the ones that no nearer neighbour hides: one that is closer to them
// than the point itself. The edges of a point replace its neighbours, and degrees says
// how many there are.
void pruneEdges(const Tree &tree, int k, const Neighbours &edges, int *degrees);

#endif
