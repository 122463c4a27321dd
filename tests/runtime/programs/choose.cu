//===-- choose.cu - launches that choose their kernel ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// choose CASE: one behaviour of bankstripe_choose.cuh or bankstripe_launch.cuh
// on a GPU. The kernels add 1 to each element, the versions too; how long they
// take are arguments of the template. Ends with status 0 if all is as expected.
//
//===----------------------------------------------------------------------===//

#include "bankstripe_launch.cuh"

#include "bankstripe_choose.cuh"
#include "check.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int Blocks = 264, Threads = 128, Count = Blocks * Threads;

template <int Turns> __device__ void wait_and_add(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i | 1; // Odd and even in turns.
  for (int turn = 0; turn < Turns; ++turn)
    x = x * (out[0] < 0 ? 5 : 1664525u) + 1013904223u;
  out[i] += x == Turns % 2 ? 2 : 1; // It never is.
}

template <class Here, int Original, int Version> struct add_row {
  static ::bankstripe::choice row;
  static ::bankstripe::bodies both();
  template <::bankstripe::choice *> struct of {
    typedef void type;
  };
  typedef typename of<&row>::type type;
};
template <int Original, int Version>
__global__ typename add_row<::bankstripe::here, Original, Version>::type
add_striped(int *out) {
  wait_and_add<Version>(out);
}
template <int Original, int Version> __global__ void add(int *out) {
  (void)add_striped<Original, Version>; // It is made for each instance.
  wait_and_add<Original>(out);
}
template <class Here, int Original, int Version>
::bankstripe::bodies add_row<Here, Original, Version>::both() {
  return {add<Original, Version>, add_striped<Original, Version>,
          __PRETTY_FUNCTION__};
}
template <class Here, int Original, int Version>
::bankstripe::choice
    add_row<Here, Original, Version>::row("add", both(), 0,
                                          ::bankstripe::may_gain);
template <int Turns> __global__ void add_alone(int *out) {
  wait_and_add<Turns>(out);
}

template <int Original, int Version>
void launch(int *out, cudaStream_t stream = 0, int blocks = Blocks) {
  add<Original, Version><<<blocks, Threads, 0, stream>>>(out);
}

// What runs by now: 1 the original, 2 the version.
template <int Original, int Version> int leader(unsigned blocks = Blocks) {
  const ::bankstripe::launch one = {dim3(blocks), dim3(Threads), nullptr, 0,
                                    nullptr};
  const auto *setting =
      add_row<::bankstripe::here, Original, Version>::row.find(one, 0);
  return setting ? setting->leader.load() : 0;
}

static bool Failed = false;
static void expect(bool Holds, const char *What) {
  if (!Holds)
    printf("FAILED: %s\n", What);
  Failed |= !Holds;
}

static int *zeros(int count = Count) {
  int *out;
  CHECK(cudaMalloc(&out, count * sizeof(int)));
  CHECK(cudaMemset(out, 0, count * sizeof(int)));
  return out;
}
static void expectAll(const int *out, int value, const char *what) {
  std::vector<int> host(Count);
  CHECK(cudaMemcpy(host.data(), out, Count * sizeof(int),
                   cudaMemcpyDeviceToHost));
  for (int element : host)
    if (element != value) {
      printf("FAILED: %s: %d instead of %d\n", what, element, value);
      Failed = true;
      return;
    }
}

// The time of a run, in seconds.
template <class Step> double timeOf(int launches, bool synchronize, Step step) {
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) {
    step();
    if (synchronize)
      CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

template <int Original, int Version> void compare(int expected) {
  int *out = zeros();
  auto run = [=] { add_alone<Original><<<Blocks, Threads>>>(out); };
  auto runVersion = [=] { add_alone<Version><<<Blocks, Threads>>>(out); };
  for (int i = 0; i < 3; ++i) {
    run();
    runVersion();
  }
  const double original = timeOf(400, true, run);
  const double version = timeOf(400, true, runVersion);
  const double chosen =
      timeOf(400, true, [&] { launch<Original, Version>(out); });
  const double best = original < version ? original : version;
  printf("%7d and %7d turns: %8.2f and %8.2f us, chosen %8.2f us, %.3f of the "
         "best, leader %d\n",
         Original, Version, original / 400e-6, version / 400e-6,
         chosen / 400e-6, best / chosen, leader<Original, Version>());
  if (expected)
    expect((leader<Original, Version>()) == expected, "the faster one runs");
  expectAll(out, 6 + 1200, "all launches ran");
}

static void faster() {
  compare<20000, 10000>(2);
  compare<10000, 20000>(1);
  compare<11000, 10000>(2);
  compare<10000, 11000>(1);
  compare<1000, 100>(1); // They are too short to try in 400 launches.
  compare<100, 1000>(1);
  compare<40000, 1000>(2);
  compare<10, 20>(1);
  compare<200000, 100000>(2);
}

// What a launch costs when it is decided, and where times never come back.
static void cost() {
  int *out = zeros();
  timeOf(30000, true, [&] { launch<3, 4>(out, 0, 1); });
  const int many = 100000;
  for (int round = 0; round < 4; ++round) {
    const double chosen = timeOf(many, false, [&] { launch<3, 4>(out, 0, 1); });
    const double alone =
        timeOf(many, false, [&] { add_alone<3><<<1, Threads>>>(out); });
    const void *const kernel = (const void *)add_alone<3>;
    const double direct = timeOf(many, false, [&] {
      void *arguments[] = {&out};
      cudaLaunchKernel(kernel, dim3(1), dim3(Threads), arguments, 0, nullptr);
    });
    printf("a launch: %.3f us, without a row %.3f us, chosen %.3f us\n",
           direct * 1e6 / many, alone * 1e6 / many, chosen * 1e6 / many);
  }
  const double original =
      timeOf(400, false, [&] { add_alone<300000><<<Blocks, Threads>>>(out); });
  const double ahead = timeOf(400, false, [&] { launch<300000, 900000>(out); });
  printf("host ahead, version 3 times slower: %.3f of the original\n",
         original / ahead);
  int first = 0;
  CHECK(cudaMemcpy(&first, out, sizeof(int), cudaMemcpyDeviceToHost));
  expect(first == 30000 + 12 * many + 800, "all launches ran");
}

// Hosts that never wait, of which launches wait for the first times.
static void ahead() {
  int *out = zeros();
  const double version =
      timeOf(100, false, [&] { add_alone<99000><<<Blocks, Threads>>>(out); });
  const double chosen = timeOf(100, false, [&] { launch<400000, 99000>(out); });
  printf("host ahead, version 4 times faster: %.3f of the version\n",
         version / chosen);
  expect((leader<400000, 99000>()) == 2, "the faster one leads");
  expectAll(out, 200, "all launches ran");
}

__device__ void hold_until(volatile int *flag) {
  while (!*flag)
    ;
}
static __global__ void hold(int *flag) { hold_until(flag); }
static __global__ void hold_striped(int *flag) { hold_until(flag); }
static ::bankstripe::choice hold_row("hold", hold, hold_striped, 0,
                                     ::bankstripe::may_gain);

// Kernels that wait for what the host does after it has launched another one.
static void patience() {
  int *flag;
  CHECK(cudaMallocHost(&flag, sizeof(int)));
  for (int round = 0; round < 3; ++round) {
    *flag = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i)
      hold<<<1, 1>>>(flag);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    printf("three launches: %.3f s\n", seconds);
    expect(round ? seconds < 0.1 : seconds > 0.9 && seconds < 1.5,
           "all patience is lost once");
    *const_cast<volatile int *>(flag) = 1;
    CHECK(cudaDeviceSynchronize());
  }
}

static void capture() {
  int *out = zeros();
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i)
    launch<20000, 10000>(out, stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&runnable, graph, 0));
  expect((leader<20000, 10000>()) < 2, "a captured launch decides nothing");
  for (int i = 0; i < 5; ++i)
    CHECK(cudaGraphLaunch(runnable, stream));
  CHECK(cudaStreamSynchronize(stream));
  expectAll(out, 15, "captured before a decision");
  // Samples that are under way while a capture begins.
  int *other = zeros();
  cudaStream_t mine;
  CHECK(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking));
  for (int i = 0; i < 2; ++i)
    launch<20000, 10000>(out, stream);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch<20000, 10000>(out, stream);
  std::thread([&] { launch<20000, 10000>(other, mine); }).join();
  cudaGraph_t second;
  CHECK(cudaStreamEndCapture(stream, &second));
  for (int i = 0; i < 40; ++i) {
    launch<20000, 10000>(out, stream);
    CHECK(cudaStreamSynchronize(stream));
  }
  expect((leader<20000, 10000>()) == 2, "decided between captures");
  expectAll(out, 15 + 2 + 40, "captured with samples under way");
}

static void streams() {
  int *out[4];
  cudaStream_t all[4];
  for (int s = 0; s < 4; ++s) {
    out[s] = zeros();
    CHECK(cudaStreamCreateWithFlags(&all[s], cudaStreamNonBlocking));
  }
  for (int i = 0; i < 400; ++i) {
    launch<2000, 1500>(out[i % 4], all[i % 4]);
    if (i % 16 == 0)
      CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  for (int *each : out)
    expectAll(each, 100, "four streams");
}

static void threads() {
  std::vector<std::thread> all;
  int *out[4];
  for (int t = 0; t < 4; ++t)
    out[t] = zeros();
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      cudaStream_t stream;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int i = 0; i < 400; ++i) {
        launch<50000, 20000>(out[t], stream);
        launch<500, 2000>(out[t], stream, Blocks);
        if (i % 8 == 0)
          CHECK(cudaStreamSynchronize(stream));
      }
      CHECK(cudaStreamSynchronize(stream));
    });
  for (std::thread &each : all)
    each.join();
  for (int *each : out)
    expectAll(each, 800, "four threads");
  expect((leader<50000, 20000>()) == 2, "four threads find the faster one");
}

static void reset() {
  int *out = zeros();
  for (int i = 0; i < 3; ++i)
    launch<2000, 1000>(out);
  CHECK(cudaDeviceReset());
  out = zeros();
  for (int i = 0; i < 100; ++i) {
    launch<2000, 1000>(out);
    CHECK(cudaDeviceSynchronize());
  }
  expectAll(out, 100, "after a reset");
  CHECK(cudaGetLastError());
  printf("leader after a reset: %d\n", leader<2000, 1000>());
}

static void errors() {
  int *out = zeros();
  // A launch that fails says so, as ever.
  launch<2000, 1000>(out, 0, 0);
  const cudaError_t chosen = cudaGetLastError();
  add_alone<2000><<<0, Threads>>>(out);
  expect(chosen != cudaSuccess && chosen == cudaGetLastError(),
         "a launch's own error");
  // An error that is left over stays.
  expect(cudaSetDevice(1000) == cudaErrorInvalidDevice, "no such device");
  launch<2000, 1000>(out);
  expect(cudaGetLastError() == cudaErrorInvalidDevice, "an error from before");
  for (int i = 0; i < 40; ++i) {
    launch<2000, 1000>(out);
    expect(cudaPeekAtLastError() == cudaSuccess, "no error of its own");
    CHECK(cudaDeviceSynchronize());
  }
  // While the host does not wait.
  for (int i = 0; i < 40; ++i) {
    launch<200000, 100000>(out);
    expect(cudaPeekAtLastError() == cudaSuccess, "no error while it waits");
  }
  expectAll(out, 81, "all launches ran");
}

static void child() {
  const pid_t pid = fork();
  if (!pid) {
    int *out = zeros();
    for (int i = 0; i < 40; ++i) {
      launch<2000, 1000>(out);
      CHECK(cudaDeviceSynchronize());
    }
    expectAll(out, 40, "in the child");
    exit(Failed);
  }
  int *out = zeros();
  for (int i = 0; i < 40; ++i) {
    launch<2000, 1000>(out);
    CHECK(cudaDeviceSynchronize());
  }
  if (!fork())
    exit(0); // Without the GPU.
  int status = 0;
  while (wait(&status) > 0)
    expect(status == 0, "a child ends well");
  expectAll(out, 40, "in the parent");
}

// The frontier grows: each class of grids is a setting of its own.
static void grids() {
  int *out = zeros(1 << 22);
  for (int i = 0; i < 40; ++i)
    for (int blocks = 1; blocks <= 1 << 14; blocks *= 2) {
      launch<60000, 20000>(out, 0, blocks);
      CHECK(cudaDeviceSynchronize());
    }
  int host = 0;
  CHECK(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
  expect(host == 40 * 15, "all grids ran");
  for (unsigned blocks = 1; blocks <= 1 << 14; blocks *= 2)
    expect((leader<60000, 20000>(blocks)) == 2, "each grid decides");
}

// --- Storage and versions ----------------------------------------------------

__device__ int dynamic_bytes() {
  int bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
static __global__ void bring(int *out) { *out = dynamic_bytes(); }
static ::bankstripe::storage bring_row("bring", bring, 2112);
static __global__ void meet(int *out) { *out = 1; }
static __global__ void meet_striped(int *out) { *out = dynamic_bytes(); }
static ::bankstripe::version meet_row("meet", meet, meet_striped, 4224,
                                      ::bankstripe::may_wait);

static int left_in(const int *out) {
  int value = 0;
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost));
  return value;
}

// More than 48 KB, of which a reset takes the permission back.
static void room() {
  for (int round = 0; round < 2; ++round) {
    int *out = zeros();
    bring<<<1, 1024>>>(out);
    expect(left_in(out) == 32 * 2112 + 41, "storage for 32 warps");
    bring<<<1, 1024, 1 << 20>>>(out);
    expect(cudaGetLastError() == cudaErrorInvalidValue, "there is no room");
    CHECK(cudaDeviceReset());
  }
}

// On each multiprocessor one block of the version, and two of the original.
static void waiting() {
  int *out = zeros();
  int processors = 0, bytes = 0;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&bytes,
                               cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  const int needed = 32 * 4224 + 41;
  if (bytes < needed + 1024 || bytes >= 2 * needed) {
    printf("another GPU\n");
    return;
  }
  for (int round = 0; round < 2; ++round)
    for (int blocks :
         {1, processors, processors + 1, 2 * processors, 2 * processors + 1}) {
      meet<<<blocks, 1024>>>(out);
      const bool isVersion = blocks <= processors || blocks > 2 * processors;
      expect(left_in(out) == (isVersion ? needed : 1), "what is resident runs");
    }
}

int main(int argc, char **argv) {
  struct {
    const char *Name;
    void (*Run)();
  } const Cases[] = {
      {"faster", faster},   {"cost", cost},         {"capture", capture},
      {"ahead", ahead},     {"patience", patience}, {"streams", streams},
      {"threads", threads}, {"reset", reset},       {"errors", errors},
      {"child", child},     {"grids", grids},       {"room", room},
      {"waiting", waiting}};
  for (const auto &Case : Cases)
    if (argc == 2 && !strcmp(argv[1], Case.Name)) {
      Case.Run();
      printf("%s: %s\n", Case.Name, Failed ? "failed" : "passed");
      return Failed;
    }
  return 2;
}
