// main.cu - makes a graph of a cloud of points: each point and its nearest neighbours
//
// usage: nearest [--points N | FILE] [-k K] [-o GRAPH]
//
// FILE has three numbers a line. Without one, N points in clusters are made up. GRAPH
// gets a line for each edge: the numbers of two points. The results are compared with
// what the host computes for some of the points. Exit status: 0 done, 1 not, 2 bad usage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "nearest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kLeafSize = 8;
constexpr int kClusters = 64;
constexpr int kChecked = 200; // So many points are looked at again by the host.

struct Options {
  int numPoints = 200000;
  int k = kMaxNeighbours;
  std::string input, output;
};

[[noreturn]] void fail(const std::string &message, int status = 1) {
  std::fprintf(stderr, "nearest: %s\n", message.c_str());
  std::exit(status);
}

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    fail(std::string(what) + ": " + cudaGetErrorString(error));
}

//--- Points ------------------------------------------------------------------

std::vector<Point> readPoints(const std::string &path) {
  std::ifstream file(path);
  std::vector<Point> points;
  for (Point p; file >> p.x >> p.y >> p.z;)
    points.push_back(p);
  if (!file.eof())
    fail("cannot read " + path + ": three numbers a line are expected");
  return points;
}

std::vector<Point> makePoints(int count) {
  std::mt19937 random(1);
  const auto between = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() >> 8) * (1.0f / (1 << 24));
  };
  std::vector<Point> centres(kClusters);
  for (Point &centre : centres)
    centre = {between(0, 1), between(0, 1), between(0, 1)};
  std::vector<Point> points(count);
  for (Point &p : points) {
    // The closer to the centre, the denser.
    const Point centre = centres[random() % kClusters];
    const float size = 0.1f * between(0, 1);
    p = {centre.x + between(-size, size), centre.y + between(-size, size),
         centre.z + between(-size, size)};
  }
  return points;
}

//--- The tree ----------------------------------------------------------------

float coordinate(Point p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// Sorts the numbers of points into leaves. The nodes stand in depth-first order.
class TreeBuilder {
public:
  TreeBuilder(const std::vector<Point> &points) : points(points), order(points.size()) {
    std::iota(order.begin(), order.end(), 0);
    build(0, static_cast<int>(points.size()));
  }

  std::vector<Node> nodes;
  std::vector<Point> points; // In the order of the leaves.
  std::vector<int> order;    // What number each of them has in the input.

  void sortPoints() {
    const std::vector<Point> input = points;
    for (size_t i = 0; i < order.size(); ++i)
      points[i] = input[order[i]];
  }

private:
  void build(int first, int last) {
    const size_t self = nodes.size();
    nodes.push_back({-1, 0, 0, first, last - first});
    if (last - first <= kLeafSize)
      return;
    const int axis = widestAxis(first, last), middle = (first + last) / 2;
    const auto less = [&](int a, int b) {
      return coordinate(points[a], axis) < coordinate(points[b], axis);
    };
    std::nth_element(order.begin() + first, order.begin() + middle, order.begin() + last, less);
    const float split = coordinate(points[order[middle]], axis);
    build(first, middle);
    nodes[self] = {axis, split, static_cast<int>(nodes.size()), 0, 0};
    build(middle, last);
  }

  int widestAxis(int first, int last) const {
    int widest = 0;
    float width = -1;
    for (int axis = 0; axis < 3; ++axis) {
      float low = coordinate(points[order[first]], axis), high = low;
      for (int i = first; i < last; ++i) {
        low = std::min(low, coordinate(points[order[i]], axis));
        high = std::max(high, coordinate(points[order[i]], axis));
      }
      if (high - low > width) {
        width = high - low;
        widest = axis;
      }
    }
    return widest;
  }
};

//--- The graph ---------------------------------------------------------------

template <class T> T *onDevice(const std::vector<T> &values) {
  T *memory;
  check(cudaMalloc(&memory, values.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return memory;
}

template <class T> void fetch(std::vector<T> &values, const T *memory) {
  check(cudaMemcpy(values.data(), memory, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
}

template <class Work> void timed(const char *what, Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%s: %.2f ms\n", what, time.count());
}

struct Graph {
  std::vector<int> ids; // As in Neighbours.
  std::vector<float> distances;
  std::vector<int> degrees;
};

Graph makeGraph(const TreeBuilder &built, int k) {
  const size_t count = built.points.size();
  Graph graph{std::vector<int>(count * k), std::vector<float>(count * k), std::vector<int>(count)};
  Point *points = onDevice(built.points);
  Node *nodes = onDevice(built.nodes);
  const Neighbours neighbours{onDevice(graph.ids), onDevice(graph.distances)};
  int *degrees = onDevice(graph.degrees);
  const Tree tree{points, nodes, static_cast<int>(count)};
  timed("search", [&] { findNeighbours(tree, k, neighbours); });
  timed("pruning", [&] { pruneEdges(tree, k, neighbours, degrees); });
  fetch(graph.ids, neighbours.ids);
  fetch(graph.distances, neighbours.distances);
  fetch(graph.degrees, degrees);
  for (void *memory : {static_cast<void *>(points), static_cast<void *>(nodes),
                       static_cast<void *>(neighbours.ids), static_cast<void *>(neighbours.distances),
                       static_cast<void *>(degrees)})
    check(cudaFree(memory), "cudaFree");
  return graph;
}

// The squared lengths of the edges of one point, by looking at all other points.
std::vector<float> edgesByHost(const std::vector<Point> &points, size_t self, int k) {
  std::vector<std::pair<float, size_t>> all;
  for (size_t i = 0; i < points.size(); ++i)
    if (i != self)
      all.push_back({squaredDistance(points[self], points[i]), i});
  std::partial_sort(all.begin(), all.begin() + k, all.end());
  std::vector<float> lengths;
  std::vector<size_t> kept;
  std::vector<bool> hidden(k);
  for (int i = 0; i < k; ++i) {
    if (hidden[i])
      continue;
    lengths.push_back(all[i].first);
    for (int j = i + 1; j < k; ++j)
      if (squaredDistance(points[all[i].second], points[all[j].second]) < all[j].first)
        hidden[j] = true;
  }
  return lengths;
}

void checkGraph(const std::vector<Point> &points, const Graph &graph, int k) {
  const size_t step = std::max<size_t>(1, points.size() / kChecked);
  for (size_t p = 0; p < points.size(); p += step) {
    const std::vector<float> expected = edgesByHost(points, p, k);
    bool same = graph.degrees[p] == static_cast<int>(expected.size());
    for (size_t i = 0; same && i < expected.size(); ++i)
      same = graph.distances[i * points.size() + p] == expected[i];
    if (!same)
      fail("the edges of point " + std::to_string(p) + " are not those that the host finds");
  }
}

void writeGraph(const Graph &graph, const std::vector<int> &order, const std::string &path) {
  std::ofstream file(path);
  for (size_t p = 0; p < order.size(); ++p)
    for (int i = 0; i < graph.degrees[p]; ++i)
      file << order[p] << ' ' << order[graph.ids[i * order.size() + p]] << '\n';
  if (!file.flush())
    fail("cannot write " + path);
}

//--- The command line --------------------------------------------------------

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool hasValue = i + 1 < argc;
    if (word == "--points" && hasValue)
      options.numPoints = std::atoi(argv[++i]);
    else if (word == "-k" && hasValue)
      options.k = std::atoi(argv[++i]);
    else if (word == "-o" && hasValue)
      options.output = argv[++i];
    else if (word[0] != '-' && options.input.empty())
      options.input = word;
    else
      fail("usage: nearest [--points N | FILE] [-k K] [-o GRAPH]", 2);
  }
  if (options.k < 1 || options.k > kMaxNeighbours)
    fail("K is from 1 to " + std::to_string(kMaxNeighbours), 2);
  return options;
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  TreeBuilder built(options.input.empty() ? makePoints(options.numPoints)
                                          : readPoints(options.input));
  built.sortPoints();
  const size_t count = built.points.size();
  if (count <= static_cast<size_t>(options.k))
    fail("there are not more points than neighbours of one");

  const Graph graph = makeGraph(built, options.k);
  checkGraph(built.points, graph, options.k);
  const long edges = std::accumulate(graph.degrees.begin(), graph.degrees.end(), 0L);
  std::printf("%zu points, %zu nodes, %ld edges\n", count, built.nodes.size(), edges);
  if (!options.output.empty())
    writeGraph(graph, built.order, options.output);
  return 0;
}
