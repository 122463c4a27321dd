// Launches kernels of another file with blocks of all sizes, in a graph, and by
// the name that they have in a module, and prints what they compute.
#include "kernels.cuh"
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

static const int Words = 4096;
static unsigned *in, *out;
static float *sums;

static void check(bool good, const char *what) {
  if (good)
    return;
  printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  exit(1);
}

static void print(const char *name, int number, const void *from) {
  std::vector<unsigned> words(Words);
  check(cudaMemcpy(words.data(), from, Words * 4, cudaMemcpyDefault) == cudaSuccess, name);
  unsigned hash = 0;
  for (unsigned word : words)
    hash = hash * 1000003 + word;
  printf("%s %d: %08x\n", name, number, hash);
  check(cudaMemset(out, 0, Words * 4) == cudaSuccess, "memset");
  check(cudaMemset(sums, 0, Words * 4) == cudaSuccess, "memset");
}

static void inGraph(int block) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  digits<<<2, block, 0, stream>>>(in, out, 999);
  ranks<<<1, block, 0, stream>>>(in, out + 2048, 999);
  cudaStreamEndCapture(stream, &graph);
  check(cudaGraphInstantiate(&run, graph, 0) == cudaSuccess, "graph");
  check(cudaGraphLaunch(run, stream) == cudaSuccess, "graph");
  cudaStreamSynchronize(stream);
  print("graph", block, out);
}

static void byName(const char *file, int block) {
  CUmodule module;
  CUfunction kernel;
  check(cuModuleLoad(&module, file) == CUDA_SUCCESS, file);
  check(cuModuleGetFunction(&kernel, module, "digits") == CUDA_SUCCESS, file);
  int n = 999;
  void *arguments[] = {&in, &out, &n};
  check(cuLaunchKernel(kernel, 2, 1, 1, block, 1, 1, 0, 0, arguments, 0) == CUDA_SUCCESS, file);
  print("by name", block, out);
}

int main(int count, char **words) {
  cudaMalloc(&in, Words * 4);
  cudaMalloc(&out, Words * 4);
  cudaMalloc(&sums, Words * 4);
  std::vector<unsigned> input(Words);
  for (unsigned i = 0, seed = 7; i < Words; ++i)
    input[i] = (seed = seed * 1664525 + 1013904223) >> 8;
  cudaMemcpy(in, input.data(), Words * 4, cudaMemcpyDefault);
  print("nothing", 0, out);
  for (int block = 1; block <= 1024; block += block < 40 ? 1 : 41) {
    digits<<<2, block>>>(in, out, 999);
    print("digits", block, out);
    marked<<<dim3(2, 1), dim3(block > 7 ? block / 7 : 1, block > 7 ? 7 : 1)>>>(in, out, 99);
    print("marked", block, out);
    ranks<<<2, block>>>(in, out, 555);
    print("ranks", block, out);
    runBlocks(in, out, block, 777);
    print("blocks", block, out);
    if (block > 800)
      continue; // compute-sanitizer needs registers, too.
    runOwn(in, out, block, 777);
    print("own", block, out);
  }
  digits<<<2, 1024>>>(in, out, 999);
  print("digits", 1024, out);
  runSmall(in, out, sums, 777);
  print("small", 0, out);
  runSmall(in, out, sums, 777);
  print("small sums", 0, sums);
  runLarge(in, out, sums, 777);
  print("large", 0, out);
  runLarge(in, out, sums, 777);
  print("large sums", 0, sums);
  for (int block : {32, 128, 129, 1024}) {
    inGraph(block);
    if (count > 1)
      byName(words[1], block);
  }
  return 0;
}
