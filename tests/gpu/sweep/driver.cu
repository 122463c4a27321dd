//===-- driver.cu - times the kernels of one program of the sweep ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     PROGRAM [--elements=4,8] [--blocks=64,128] [--patterns=random,worst]
//
// One line per point and variant (bytes, elements, pattern, multiply-adds,
// stream, block and grid make the point):
//
//     bytes | elements | pattern | multiply-adds | stream | block | grid |
//     variant | median ms | spread % | registers | local bytes | shared bytes |
//     blocks per SM | same, DIFFERENT or "does not fit"
//
// Behind the stream stands what a step does with an element, if it does not
// update it: `none reads`.
//
// "same" is about the results of all threads, held against the original's. Two
// controls are added to the variants that the program has:
//
//     reserved    the original, launched with as much shared memory as the
//                 stripe takes: what storage costs when nothing uses it
//     carve-out   the stripe, with only as much of the L1 made shared memory as
//                 the blocks need that the grid really brings to an SM; where
//                 there are loads for the L1 to serve
//
// The grid fills the GPU several times with warps of the original, since few
// waves would show how blocks happen to divide, and only half as often when the
// original is very slow. The steps are many beside filling and reading through
// an array of any size. Variants take turns, so that what changes during a run
// changes for all; slow ones get fewer turns, and fast ones are led in by a
// launch that is not timed, behind which the events wait for their turn.
//
// Exit status: 0 all is well, 1 variants differ or CUDA failed, 2 bad usage.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "sweep.h"

namespace {

constexpr int Waves = 4, WavesWhenSlow = 2;
constexpr float SlowMilliseconds = 4;
constexpr int Runs = 5, RunsWhenLong = 3;
constexpr float LongMilliseconds = 2, ShortMilliseconds = 0.5;
constexpr unsigned StreamFloats = 1u << 21; // 8 MB.

void check(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(1);
}

template <class Type> Type *allocate(size_t Count) {
  Type *Memory = nullptr;
  check(cudaMalloc(&Memory, Count * sizeof(Type)), "cudaMalloc");
  return Memory;
}

template <class Type> void upload(Type *Memory, const std::vector<Type> &From) {
  check(cudaMemcpy(Memory, From.data(), From.size() * sizeof(Type),
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
}

__global__ void countDifferences(const unsigned *Left, const unsigned *Right,
                                 unsigned Count, unsigned *Differences) {
  const unsigned Thread = globalThread();
  if (Thread < Count && Left[Thread] != Right[Thread])
    atomicAdd(Differences, 1u);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

struct Choices {
  std::vector<int> Elements, Blocks = {64, 128, 256, 512, 1024};
  std::vector<std::string> Patterns;
};

[[noreturn]] void stop(const char *Argument) {
  std::fprintf(stderr,
               "bad argument: %s\n"
               "usage: [--elements=N,...] [--blocks=N,...] "
               "[--patterns=PATTERN,...]\n",
               Argument);
  std::exit(2);
}

std::vector<std::string> split(const char *List) {
  std::vector<std::string> Parts;
  std::istringstream Stream(List);
  for (std::string Part; std::getline(Stream, Part, ',');)
    Parts.push_back(Part);
  return Parts;
}

std::vector<int> numbers(const char *List, const char *Argument) {
  std::vector<int> Numbers;
  for (const std::string &Part : split(List)) {
    Numbers.push_back(std::atoi(Part.c_str()));
    if (Numbers.back() < 1 || Numbers.back() > 1024)
      stop(Argument);
  }
  return Numbers;
}

Choices readChoices(int Count, char **Arguments, const Program &P) {
  Choices C;
  for (int I = 0; I < P.Count; ++I)
    C.Elements.push_back(P.Groups[I].Elements);
  C.Patterns = P.Uniform ? split("uniform") : split("random,worst");
  const std::vector<std::string> Known = C.Patterns;
  for (int I = 1; I < Count; ++I) {
    const char *Value = std::strchr(Arguments[I], '=');
    const std::string Name(Arguments[I], Value ? Value - Arguments[I] : 0);
    if (Name == "--elements")
      C.Elements = numbers(Value + 1, Arguments[I]);
    else if (Name == "--blocks")
      C.Blocks = numbers(Value + 1, Arguments[I]);
    else if (Name == "--patterns")
      C.Patterns = split(Value + 1);
    else
      stop(Arguments[I]);
  }
  // A pattern that only other programs know is no mistake.
  C.Patterns.erase(std::remove_if(C.Patterns.begin(), C.Patterns.end(),
                                  [&](const std::string &Pattern) {
                                    return std::find(Known.begin(), Known.end(),
                                                     Pattern) == Known.end();
                                  }),
                   C.Patterns.end());
  return C;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

struct Measured {
  const char *Name;
  const void *Kernel;
  size_t SharedBytes = 0; // Per block.
  int CarveOut = cudaSharedmemCarveoutDefault;
  int Resident = 0; // Blocks per SM; 0: it does not fit.
  bool Same = false;
  std::vector<float> Times;
};

class Sweep {
public:
  explicit Sweep(const Program &P) : P(P) {
    check(cudaGetDeviceProperties(&Device, 0), "cudaGetDeviceProperties");
    Threads = unsigned(Device.multiProcessorCount) *
              Device.maxThreadsPerMultiProcessor * Waves;
    Seeds = allocate<uint2>(Threads);
    Expected = allocate<unsigned>(Threads);
    Differences = allocate<unsigned>(1);
    Given.Seeds = Seeds;
    Given.Results = allocate<unsigned>(Threads);
    float *Stream = allocate<float>(StreamFloats);
    std::vector<float> Values(StreamFloats);
    for (unsigned I = 0; I < StreamFloats; ++I)
      Values[I] = float(I * 2654435761u >> 16);
    upload(Stream, Values);
    Given.Stream = Stream;
    Given.StreamMask = StreamFloats - 1;
    Given.StreamStride = 32 * 1031; // Whole lines, and an odd number of them.
    Given.First = 3;
    Given.Stride = 7;
    check(cudaEventCreate(&Begin), "cudaEventCreate");
    check(cudaEventCreate(&End), "cudaEventCreate");
  }

  void run(const Choices &C) {
    for (const std::string &Pattern : C.Patterns)
      for (int I = 0; I < P.Count; ++I) {
        const Group &G = P.Groups[I];
        if (std::find(C.Elements.begin(), C.Elements.end(), G.Elements) ==
            C.Elements.end())
          continue;
        seed(Pattern == "worst" ? std::max(G.Elements / 32, 1) : 0);
        for (int BlockSize : C.Blocks)
          measure(G, Pattern, BlockSize);
      }
  }

  bool anyDiffers() const { return AnyDiffers; }
  bool loads() const { return std::strcmp(P.Stream, "quiet") != 0; }

private:
  /// Lanes of a warp go one way, so many elements apart, or each its own.
  void seed(unsigned Apart) {
    std::vector<uint2> Values(Threads);
    for (unsigned T = 0; T < Threads; ++T) {
      Values[T].x = ((Apart ? T / 32 : T) + 1) * 2654435761u;
      Values[T].y = T % 32 * Apart;
    }
    upload(Seeds, Values);
  }

  void measure(const Group &G, const std::string &Pattern, int BlockSize) {
    Block = BlockSize;
    Grid = Threads / Block;
    Given.Steps = std::max(256, 2 * G.Elements);
    std::vector<Measured> Variants = variants(G);
    if (warmUp(Variants.front()) > SlowMilliseconds)
      Grid = Grid * WavesWhenSlow / Waves;
    addControls(Variants);
    judge(Variants);
    for (int Run = 0; Run < Runs; ++Run)
      for (Measured &M : Variants)
        if (M.Resident &&
            Run < (M.Times[0] > LongMilliseconds ? RunsWhenLong : Runs))
          M.Times.push_back(time(M, M.Times[0] < ShortMilliseconds));
    for (Measured &M : Variants)
      print(G, Pattern, M);
  }

  std::vector<Measured> variants(const Group &G) {
    std::vector<Measured> Result;
    for (int I = 0; I < G.Count; ++I) {
      Measured M;
      M.Name = G.Variants[I].Name;
      M.Kernel = G.Variants[I].Kernel;
      M.SharedBytes = G.Variants[I].BytesPerWarp * ((Block + 31) / 32);
      fit(M);
      Result.push_back(M);
    }
    if (!Result.front().Resident) {
      std::fprintf(stderr, "no block of %d threads fits\n", Block);
      std::exit(1);
    }
    return Result;
  }

  void addControls(std::vector<Measured> &Variants) {
    Measured Reserved = Variants[0];
    Reserved.Name = "reserved";
    Reserved.SharedBytes = Variants[1].SharedBytes;
    fit(Reserved);
    Variants.push_back(Reserved);
    if (!loads())
      return;
    Measured CarveOut = Variants[1];
    CarveOut.Name = "carve-out";
    const int Brought =
        (Grid + Device.multiProcessorCount - 1) / Device.multiProcessorCount;
    const size_t Needed =
        std::min(CarveOut.Resident, Brought) *
        (CarveOut.SharedBytes + Device.reservedSharedMemPerBlock);
    const size_t All = Device.sharedMemPerMultiprocessor;
    CarveOut.CarveOut =
        int(std::min<size_t>(100, (100 * Needed + All - 1) / All));
    fit(CarveOut);
    Variants.push_back(CarveOut);
  }

  /// Allows a kernel its shared memory, and finds out how many blocks fit.
  void fit(Measured &M) {
    M.Resident = 0;
    if (M.SharedBytes > Device.sharedMemPerBlockOptin)
      return;
    // What a kernel is allowed it may leave unused: other variants with the
    // same kernel do not suffer.
    check(cudaFuncSetAttribute(M.Kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(Device.sharedMemPerBlockOptin)),
          M.Name);
    setCarveOut(M);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&M.Resident, M.Kernel,
                                                        Block, M.SharedBytes),
          M.Name);
  }

  float warmUp(const Measured &Original) {
    time(Original, false);
    return time(Original, false);
  }

  /// Compares results. Each time that this takes is where Times begin.
  void judge(std::vector<Measured> &Variants) {
    const unsigned Count = Grid * Block;
    for (Measured &M : Variants) {
      if (!M.Resident)
        continue;
      const bool First = &M == &Variants.front();
      check(cudaMemset(Given.Results, 0xCB, Count * sizeof(unsigned)),
            "cudaMemset");
      M.Times = {time(M, false)};
      if (First)
        check(cudaMemcpy(Expected, Given.Results, Count * sizeof(unsigned),
                         cudaMemcpyDeviceToDevice),
              "cudaMemcpy");
      M.Same = First || equalsExpected(Count);
      AnyDiffers = AnyDiffers || !M.Same;
    }
  }

  bool equalsExpected(unsigned Count) {
    check(cudaMemset(Differences, 0, sizeof(unsigned)), "cudaMemset");
    countDifferences<<<(Count + 255) / 256, 256>>>(Given.Results, Expected,
                                                   Count, Differences);
    unsigned Number = 0;
    check(cudaMemcpy(&Number, Differences, sizeof(Number),
                     cudaMemcpyDeviceToHost),
          "countDifferences");
    return Number == 0;
  }

  void setCarveOut(const Measured &M) {
    check(cudaFuncSetAttribute(M.Kernel,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               M.CarveOut),
          M.Name);
  }

  float time(const Measured &M, bool LedIn) {
    setCarveOut(M);
    if (LedIn)
      launch(M);
    check(cudaEventRecord(Begin), M.Name);
    launch(M);
    check(cudaEventRecord(End), M.Name);
    check(cudaEventSynchronize(End), M.Name);
    float Milliseconds = 0;
    check(cudaEventElapsedTime(&Milliseconds, Begin, End), M.Name);
    return Milliseconds;
  }

  void launch(const Measured &M) {
    // Integers grow out of any word; floating-point numbers must not.
    if (P.ElementBytes == 8)
      launchJob<double>(M, 1 + 0x1p-10, 0.25);
    else if (P.ElementBytes == 4)
      launchJob<float>(M, 1 + 0x1p-10f, 0.25f);
    else
      launchJob<unsigned>(M, 1664525u, 1013904223u);
  }

  template <class Number>
  void launchJob(const Measured &M, Number Factor, Number Term) {
    Job<Number> J;
    static_cast<Input &>(J) = Given;
    J.Factor = Factor;
    J.Term = Term;
    void *Arguments[] = {&J};
    check(cudaLaunchKernel(M.Kernel, dim3(Grid), dim3(Block), Arguments,
                           M.SharedBytes, nullptr),
          M.Name);
  }

  void print(const Group &G, const std::string &Pattern, Measured &M) const {
    const bool Updates = std::strcmp(P.Use, "updates") == 0;
    std::printf("%d | %d | %s | %d | %s%s%s | %d | %u | %s | ", P.ElementBytes,
                G.Elements, Pattern.c_str(), P.Arithmetic,
                loads() ? P.Stream : "none", Updates ? "" : " ",
                Updates ? "" : P.Use, Block, Grid, M.Name);
    cudaFuncAttributes A;
    check(cudaFuncGetAttributes(&A, M.Kernel), M.Name);
    if (!M.Resident) {
      std::printf("- | - | %d | %zu | %zu | 0 | does not fit\n", A.numRegs,
                  A.localSizeBytes, M.SharedBytes);
      return;
    }
    M.Times.erase(M.Times.begin()); // That of the comparison.
    std::sort(M.Times.begin(), M.Times.end());
    const float Median = M.Times[M.Times.size() / 2];
    const size_t Outer = M.Times.size() >= 5;
    const float Spread = M.Times[M.Times.size() - 1 - Outer] - M.Times[Outer];
    std::printf("%.4f | %.1f | %d | %zu | %zu | %d | %s\n", Median,
                100 * Spread / Median, A.numRegs, A.localSizeBytes,
                M.SharedBytes, M.Resident, M.Same ? "same" : "DIFFERENT");
    std::fflush(stdout);
  }

  const Program &P;
  cudaDeviceProp Device;
  unsigned Threads = 0, Grid = 0;
  int Block = 0;
  Input Given = {};
  uint2 *Seeds = nullptr;
  unsigned *Expected = nullptr, *Differences = nullptr;
  cudaEvent_t Begin, End;
  bool AnyDiffers = false;
};

} // namespace

int main(int Count, char **Arguments) {
  const Choices C = readChoices(Count, Arguments, TheProgram);
  Sweep S(TheProgram);
  S.run(C);
  return S.anyDiffers();
}
