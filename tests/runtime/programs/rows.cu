//===-- rows.cu - launches of kernels that have rows ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rows CASE: what launches run, and what they ask of a runtime that exists in
// runtime_stand_in.cpp alone. Ends with status 0 if all is as expected.
//
//===----------------------------------------------------------------------===//

#include "bankstripe_launch.cuh"

#include "bankstripe_choose.cuh"
#include "rows.cuh"
#include "runtime_stand_in.h"
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

using stand_in::Error;
using stand_in::State;

static bool Failed = false;
static void expect(bool Holds, const char *What) {
  if (!Holds)
    printf("FAILED: %s; the last launch is of %s with %zu bytes\n", What,
           State.Last.Kernel.c_str(), State.Last.Bytes);
  Failed |= !Holds;
}
// That a launch ran one kernel, once.
template <class Launch> static void expect_run(const char *Kernel, Launch Run) {
  State.Last = {};
  Run();
  expect(State.Last.Kernel == Kernel && Error == cudaSuccess, Kernel);
}

// --- Kernels -----------------------------------------------------------------

// What a launch of `sum` with so many warps brings.
static size_t bytes_for(int warps) { return size_t(warps) * 2112 + 41; }

__global__ void sum(const int *, int *, int) {}
static __global__ void sum_striped(const int *, int *, int) {}
static ::bankstripe::version sum_row("sum", sum, sum_striped, 2112);

__global__ void count(int *) {}
static ::bankstripe::storage count_row("count", count, 2112);

static __global__ void carved(int *) {}
static __global__ void carved_striped(int *) {}
static ::bankstripe::version carved_row("carved", carved, carved_striped, 2112,
                                        0, 30);
static __global__ void uncarved(int *) {}
static ::bankstripe::storage uncarved_row("uncarved", uncarved, 2112,
                                          ::bankstripe::by_driver);
static __global__ void waits(int *) {}
static __global__ void waits_striped(int *) {}
static ::bankstripe::version waits_row("waits", waits, waits_striped, 2112,
                                       ::bankstripe::may_wait);
static __global__ void small_grids(int *) {}
static __global__ void small_grids_striped(int *) {}
static ::bankstripe::version small_grids_row("small_grids", small_grids,
                                             small_grids_striped, 2112,
                                             ::bankstripe::where_resident);
// Arrays in constant memory need none that is shared.
static __global__ void constant(int *) {}
static __global__ void constant_striped(int *) {}
static ::bankstripe::version constant_row("constant", constant,
                                          constant_striped, 0);
static __global__ void without_row(int *) {}

static __global__ void chooses(int *) {}
static __global__ void chooses_striped(int *) {}
static ::bankstripe::choice chooses_row("chooses", chooses, chooses_striped,
                                        2112, ::bankstripe::may_gain);
static __global__ void leads(int *) {}
static __global__ void leads_striped(int *) {}
static ::bankstripe::choice leads_row("leads", leads, leads_striped, 2112,
                                      ::bankstripe::gains);
static __global__ void stays(int *) {}
static __global__ void stays_striped(int *) {}
static ::bankstripe::choice stays_row("stays", stays, stays_striped, 2112,
                                      ::bankstripe::loses,
                                      ::bankstripe::may_wait, 30);

extern "C" __global__ void with_c_name(int *) {}
static __global__ void with_c_name_striped(int *) {}
static ::bankstripe::version with_c_name_row("with_c_name", with_c_name,
                                             with_c_name_striped, 512);
namespace space {
__global__ void inner(int *) {}
static __global__ void inner_striped(int *) {}
static ::bankstripe::version inner_row("space::inner", inner, inner_striped,
                                       512);
} // namespace space
namespace {
__global__ void hidden(int *) {}
__global__ void hidden_striped(int *) {}
static ::bankstripe::version hidden_row("hidden", hidden, hidden_striped, 512);
} // namespace

static __global__ void empty() {}
static __global__ void empty_striped() {}
static ::bankstripe::version empty_row("empty", empty, empty_striped, 512);

struct Large {
  int v[64];
};
struct Copied {
  int v;
  __host__ __device__ Copied(int Value) : v(Value) {}
  __host__ __device__ Copied(const Copied &Other) : v(Other.v) {}
  __host__ __device__ ~Copied() {}
};
static __global__ void takes(Large, Copied, int *) {}
static __global__ void takes_striped(Large, Copied, int *) {}
static ::bankstripe::version takes_row("takes", takes, takes_striped, 512);

// nvcc 13 looks for the unnamed namespace of `hidden` in there, too.
using namespace space;

template <> __global__ void space::typed<char>(char *, int) {}
template __global__ void space::typed<short>(short *, int);
static __global__ void takes_short(short *, int) {}

// Arguments that nothing deduces, with defaults that the versions lack.
template <class Here, int N, class T> struct sized_row {
  static ::bankstripe::choice row;
  static ::bankstripe::bodies both();
  template <::bankstripe::choice *> struct of {
    typedef void type;
  };
  typedef typename of<&row>::type type;
};
template <int N, class T>
static __global__ typename sized_row<::bankstripe::here, N, T>::type
sized_striped(int *) {}
template <int N, class T = float> static __global__ void sized(int *) {
  (void)sized_striped<N, T>;
}
template <class Here, int N, class T>
::bankstripe::bodies sized_row<Here, N, T>::both() {
  return {sized<N, T>, sized_striped<N, T>, __PRETTY_FUNCTION__};
}
template <class Here, int N, class T>
::bankstripe::choice sized_row<Here, N, T>::row("sized", both(), 512,
                                                ::bankstripe::may_gain);

template <class Here, class... A> struct packed_row {
  static ::bankstripe::version row;
  static ::bankstripe::bodies both();
  template <::bankstripe::version *> struct of {
    typedef void type;
  };
  typedef typename of<&row>::type type;
};
template <class... A>
__global__ typename packed_row<::bankstripe::here, A...>::type
packed_striped(A...) {}
template <class... A> __global__ void packed(A...) {
  (void)packed_striped<A...>;
}
template <class Here, class... A>
::bankstripe::bodies packed_row<Here, A...>::both() {
  return {packed<A...>, packed_striped<A...>, __PRETTY_FUNCTION__};
}
template <class Here, class... A>
::bankstripe::version packed_row<Here, A...>::row("packed", both(), 512);

template <class T> struct Dependent {
  typedef T *pointer;
  void run() { space::typed<<<1, 32>>>(pointer(), 1); }
};

// --- Cases -------------------------------------------------------------------

// In rows_other.cu.
void launch_sum(unsigned, unsigned, size_t, cudaStream_t);
void launch_sum_by_pointer();
void launch_with_c_name();
void launch_inner();
void launch_in_header();
void launch_typed();
void launch_own_typed();

static void forms() {
  int *p = nullptr;
  expect_run("sum_striped", [=] { sum<<<1, 32>>>(p, p, 1); });
  expect_run("sum_striped", [=] {
    auto kernel = &sum;
    kernel<<<1, 32>>>(p, p, 1);
  });
  expect_run("hidden_striped", [=] {
    void (*all[])(int *) = {carved, hidden};
    all[1]<<<1, 32>>>(p);
  });
  expect_run("with_c_name_striped", [=] { with_c_name<<<1, 32>>>(p); });
  expect_run("space::inner_striped", [=] { space::inner<<<1, 32>>>(p); });
  expect_run("in_header_striped", [=] { in_header<<<1, 32>>>(p); });
  expect_run("empty_striped", [] { empty<<<1, 32>>>(); });
  expect_run("takes_striped", [=] { takes<<<1, 32>>>({}, 3, p); });
  expect_run("constant_striped", [=] { constant<<<1, 32, 100>>>(p); });
  expect(State.Last.Bytes == 100, "a version without shared memory");
  expect_run("without_row", [=] { without_row<<<1, 32, 100>>>(p); });
  expect(State.Last.Bytes == 100, "a kernel without a row");
}

static void templates() {
  int *p = nullptr;
  expect_run("space::typed_striped<int>",
             [=] { space::typed<<<1, 32>>>(p, 1); });
  expect_run("space::typed_striped<float>",
             [=] { space::typed<float><<<1, 32>>>(nullptr, 1); });
  expect_run("space::typed_striped<double>", [] { Dependent<double>().run(); });
  expect_run("space::typed_striped<unsigned int>", [=] {
    void (*kernel)(unsigned *, int) = space::typed;
    kernel<<<1, 32>>>(nullptr, 1);
  });
  expect_run("space::typed_striped<short>", [=] {
    void (*kernel)(short *, int) = p ? takes_short : space::typed<short>;
    kernel<<<1, 32>>>(nullptr, 1);
  });
  expect_run("space::typed<char>", // A specialisation has no version.
             [=] { space::typed<<<1, 32>>>((char *)nullptr, 1); });
  for (int i = 0; i < 2; ++i) // The very first launch is no sample.
    expect_run("sized<3, float>", [=] { sized<3><<<1, 32>>>(p); });
  expect_run("sized_striped<3, float>", [=] { sized<3><<<1, 32>>>(p); });
  expect_run("packed_striped<>", [] { packed<<<1, 32>>>(); });
  expect_run("packed_striped<int, double>", [] { packed<<<1, 32>>>(1, 2.0); });
}

#ifdef __CUDACC_EXTENDED_LAMBDA__
// Its type has a name in no language.
static void lambdas() {
  const int x = 3;
  State.Last = {};
  packed<<<1, 32>>>([=] __device__(int y) { return x + y; });
  expect(!strncmp(State.Last.Kernel.c_str(), "packed_striped<", 15),
         "a lambda as an argument");
}
#endif

static void other_file() {
  int stream = 0;
  launch_sum(7, 100, 20, (cudaStream_t)&stream);
  const stand_in::Launch &l = State.Last;
  expect(l.Kernel == "sum_striped" && l.Grid.x == 7 && l.Block.x == 100 &&
             l.Bytes == 32 + bytes_for(4) && l.Stream == (cudaStream_t)&stream,
         "all of the configuration arrives");
  expect_run("sum_striped", launch_sum_by_pointer);
  expect_run("with_c_name_striped", launch_with_c_name);
  expect_run("space::inner_striped", launch_inner);
  expect_run("in_header_striped", launch_in_header);
  expect_run("space::typed_striped<int>", launch_typed);
  expect_run("space::typed_striped<long>", launch_own_typed);
}

// A row is about stubs, so what passes none runs the original.
static void other_launches() {
  const void *const stub = (const void *)sum;
  void *arguments[3] = {};
  expect_run("sum",
             [&] { cudaLaunchKernel(stub, dim3(1), dim3(32), arguments); });
#if CUDART_VERSION >= 13000
  expect_run("sum",
             [&] { cudaLaunchKernel(sum, dim3(1), dim3(32), arguments); });
#endif
  expect_run("sum", [&] {
    cudaLaunchCooperativeKernel(stub, 1, 32, arguments, 0, 0);
  });
  cudaLaunchConfig_t how = {};
  how.gridDim = how.blockDim = dim3(1, 1, 1);
  expect_run("carved", [&] { cudaLaunchKernelEx(&how, carved, (int *)0); });
}

// --- Rule 1 ------------------------------------------------------------------

static void launch_count(unsigned blocks, unsigned threads, size_t own) {
  count<<<blocks, threads, own>>>(nullptr);
}
// That a launch fails, and why.
template <class Launch> static void expect_error(cudaError_t Why, Launch Run) {
  State.Last = {};
  Run();
  expect(State.Last.Kernel.empty() && Error == Why,
         ("error " + std::to_string(Why)).c_str());
  Error = cudaSuccess;
}

static void room() {
  State.OptinBytes = int(bytes_for(32)) + 2375;
  expect_run("sum_striped", [] { launch_sum(1, 1024, 2368, 0); });
  expect(State.Last.Bytes == 2368 + bytes_for(32), "bytes of all warps");
  expect_run("sum", [] { launch_sum(1, 1024, 2369, 0); });
  expect(State.Last.Bytes == 2369, "the original gets its own bytes");
  expect_run("count", [] { launch_count(1, 1024, 2368); });
  expect(State.Last.Bytes == 2368 + bytes_for(32),
         "bytes of a row for storage");
  // It cannot run without them.
  expect_error(cudaErrorInvalidValue, [] { launch_count(1, 1024, 2369); });
}

static void large_blocks() {
  stand_in::kernel("sum_striped").Attributes.maxThreadsPerBlock = 512;
  expect_run("sum_striped", [] { launch_sum(1, 512, 0, 0); });
  expect_run("sum", [] { launch_sum(1, 513, 0, 0); });
  expect(State.Last.Bytes == 0, "the original asks for nothing");
}

static void reset() {
  for (const char *name : {"count", "sum_striped", "chooses_striped"})
    stand_in::kernel(name).Attributes.maxDynamicSharedSizeBytes = 48 * 1024;
}

// Blocks may get more than 48 KB on each device that has them, also after a
// reset.
static void many_devices() {
  State.Devices = 40;
  State.OptinBytes = 60 * 1024;
  expect_run("sum", [] { launch_sum(1, 1024, 0, 0); });
  State.OptinBytes = 100 * 1024;
  for (State.Device = 1; State.Device < State.Devices; ++State.Device) {
    reset();
    expect_run("count", [] { launch_count(1, 1024, 0); });
    expect_run("sum_striped", [] { launch_sum(1, 1024, 0, 0); });
  }
  State.Device = 0;
  expect_run("sum", [] { launch_sum(1, 1024, 0, 0); });
}

static void no_device() {
  State.Devices = 0;
  expect_run("sum", [] { launch_sum(1, 32, 0, 0); });
  expect_run("count", [] { launch_count(1, 32, 0); });
  expect(State.Last.Bytes == bytes_for(1), "storage is brought all the same");
}

// Launches fail as they did.
static void errors() {
  for (auto launch : {+[](unsigned blocks, unsigned threads, size_t own) {
                        launch_sum(blocks, threads, own, 0);
                      },
                      launch_count}) {
    const cudaError_t wrong = cudaErrorInvalidConfiguration;
    expect_error(wrong, [=] { launch(0, 32, 0); });
    expect_error(wrong, [=] { launch(1, 0, 0); });
    expect_error(wrong, [=] { launch(1, 2048, 0); });
    expect_error(cudaErrorInvalidValue, [=] { launch(1, 32, size_t(-1)); });
    expect_error(cudaErrorInvalidValue, [=] { launch(1, 32, 1 << 20); });
  }
  // What the program left stays.
  for (unsigned i = 0; i < 40; ++i) {
    Error = cudaErrorPeerAccessUnsupported;
    launch_sum(1, 32 + i, 0, 0);
    launch_count(1, 1024, 0);
    chooses<<<1, 32>>>(nullptr);
    expect(Error == cudaErrorPeerAccessUnsupported, "an error from before");
  }
  expect(State.Events == 0, "nothing is timed meanwhile");
}

// --- Rule 2 ------------------------------------------------------------------

// One block of the version fits on a multiprocessor, and two of the original.
static void waiting() {
  State.OptinBytes = 100 * 1024;
  auto launch = [](unsigned blocks) {
    return [=] { waits<<<blocks, 1024>>>(nullptr); };
  };
  expect_run("waits_striped", launch(4));
  expect_run("waits", launch(5));
  expect_run("waits", launch(8));
  expect_run("waits_striped", launch(9));
  expect_run("waits_striped", launch(4));
  expect_run("stays", [] { stays<<<5, 1024>>>(nullptr); });
  expect(State.Events == 0, "what may not run is not timed");
}

// --- Rule 3 ------------------------------------------------------------------

static void small_grid() {
  State.OptinBytes = 100 * 1024; // One block with 1024 threads.
  auto launch = [](unsigned blocks, unsigned threads) {
    return [=] { small_grids<<<blocks, threads>>>(nullptr); };
  };
  expect_run("small_grids_striped", launch(4, 1024));
  expect_run("small_grids", launch(5, 1024));
  expect_run("small_grids", launch(9, 1024));
  expect_run("small_grids_striped", launch(9, 32));
}

static void carveout() {
  auto percent = [](const char *kernel) {
    return stand_in::kernel(kernel).Attributes.preferredShmemCarveout;
  };
  launch_sum(1, 128, 0, 0); // One block on a multiprocessor, of 16.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  expect(percent("sum_striped") == 66, "as much as blocks need");
#else
  expect(percent("sum_striped") == 5, "as much as blocks need");
#endif
  int stream = 0;
  launch_sum(1, 128, 0, (cudaStream_t)&stream);
  expect(percent("sum_striped") == 66, "others may run in other streams");
  launch_sum(1, 128, 0, 0);
  expect(percent("sum_striped") == 66, "it only grows");
  carved<<<1, 32>>>(nullptr);
  expect(percent("carved_striped") == 30, "so many percent");
  uncarved<<<1, 32>>>(nullptr);
  expect(percent("uncarved") == 0 && State.Last.Bytes == bytes_for(1),
         "what the driver says");
}

// What so many blocks of a kernel with 40 registers need of an H100.
static void percents() {
  auto expect_need = [](int percent, unsigned long long blocks, unsigned warps,
                        size_t bytes) {
    const ::bankstripe::multiprocessor all = {2048,   32,      65536,
                                              233472, 40 * 32, 1024};
    expect(::bankstripe::percent_needed(all, blocks, warps, bytes) == percent,
           (std::to_string(percent) + " percent").c_str());
  };
  expect_need(8, 1, 4, 15 * 1024);        // One block of 16 KB.
  expect_need(8, 0, 4, 15 * 1024);        // There is always one.
  expect_need(22, 3, 4, 15 * 1024);       // Three.
  expect_need(85, 1 << 30, 4, 15 * 1024); // 12, whose registers there are.
  expect_need(15, 1 << 30, 1, 0);         // 32, the most there can be.
  expect_need(86, 1 << 30, 1, 64 * 1024); // Three, as many as fit.
  expect_need(100, 1, 32, 300 * 1024);    // It will not start.
}

// --- Choices -----------------------------------------------------------------

static void launch_chooses(int launches, unsigned blocks = 1) {
  for (int i = 0; i < launches; ++i)
    chooses<<<blocks, 32>>>(nullptr);
}
static void expect_decision(const char *Kernel, unsigned blocks,
                            int launches = 6) {
  launch_chooses(launches, blocks);
  const int Events = State.Events;
  expect_run(Kernel, [=] { launch_chooses(1, blocks); });
  expect(State.Events == Events, "it is decided");
}

static void faster() {
  expect_decision("chooses_striped", 1);
  State.VersionTakes = 1000; // Each class of grids is a setting of its own.
  expect_decision("chooses", 100);
  expect_decision("chooses_striped", 1);
  expect(State.Last.Bytes == bytes_for(1), "the version brings its storage");
  for (int i = 0; i < 6; ++i) // So is each shape of blocks.
    chooses<<<1, dim3(8, 4)>>>(nullptr);
  expect(State.Last.Kernel == "chooses", "another block of as many threads");
  expect_decision("chooses_striped", 1);
  State.VersionTakes = State.OriginalTakes;
  int Events = State.Events;
  expect_decision("chooses", 500, 2);
  expect(State.Events == Events + 4, "a pair that agrees with other grids");
  for (int i = 0; i < 400; ++i)
    stays<<<1, 32>>>(nullptr);
  expect(State.Last.Kernel == "stays", "the prediction decides between equals");
}

static void large() {
  auto launch = [] {
    reset();
    chooses<<<1, 1024>>>(nullptr);
  };
  for (int i = 0; i < 30; ++i)
    launch();
  expect_run("chooses_striped", launch); // It is allowed its 67 KB each time.
}

// Times come late: launches wait for them, but not where that may take for
// ever.
static void late() {
  State.ReadyAfter = 100;
  expect_decision("chooses_striped", 1);
  const int Events = State.Events;
  for (int i = 0; i < 6; ++i)
    stays<<<1, 32>>>(nullptr);
  expect(State.Events == Events + 2,
         "a kernel that may wait is not waited for");
}

static void leading() {
  auto launch = [] { leads<<<1, 32>>>(nullptr); };
  State.IsCapturing = true;
  expect_run("leads_striped", launch);
  State.IsCapturing = false;
  State.VersionTakes = 1000; // The prediction is wrong.
  expect_run("leads_striped", launch);
  for (int i = 0; i < 6; ++i)
    launch();
  expect(State.Last.Kernel == "leads", "the times have the last word");
}

static void untimed() {
  State.IsCapturing = true;
  expect_run("chooses", [] { launch_chooses(30); });
  expect(State.Events == 0, "captured launches are not timed");
  State.IsCapturing = false;
  State.IsAhead = true;
  launch_chooses(30);
  expect(State.Events == 2 && State.Last.Kernel == "chooses",
         "the original runs while times do not come back");
  State.Context = 2; // A reset: they never will.
  State.IsAhead = false;
  expect_decision("chooses_striped", 1);
}

static void many_settings() {
  for (int round = 0; round < 30; ++round)
    for (unsigned blocks = 1; blocks <= 1 << 20; blocks *= 2)
      launch_chooses(1, blocks);
  expect_run("chooses_striped", [] { launch_chooses(1, 1 << 15); });
  expect_run("chooses", [] { launch_chooses(1, 1 << 16); });
}

// Another thread's launch, say.
static void second_launch() {
  State.DuringLaunch = [] {
    launch_chooses(1);
    expect(State.Last.Kernel == "chooses", "the original runs meanwhile");
  };
  launch_chooses(1);
  expect(State.Events == 2, "one launch is timed at a time");
}

static void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([] {
      for (unsigned i = 0; i < 1000; ++i) {
        launch_chooses(1);
        launch_sum(1, 32 + i % 7, 0, 0);
        launch_count(1, 1024, 0);
        waits<<<1, 1024>>>(nullptr);
      }
    });
  for (std::thread &each : all)
    each.join();
  auto launches = [](const char *kernel) {
    return stand_in::kernel(kernel).Launches;
  };
  expect(launches("chooses") + launches("chooses_striped") == 4000 &&
             launches("sum_striped") == 4000 && launches("count") == 4000 &&
             launches("waits_striped") == 4000,
         "all launches ran");
}

// For the variables of the environment.
static void report() {
  State.OptinBytes = 60 * 1024;
  for (unsigned threads : {32u, 32u, 1024u, 1024u})
    launch_sum(1, threads, 0, 0);
  launch_count(1, 32, 0);
  space::typed<<<1, 32>>>((int *)nullptr, 1);
  sized<3><<<1, 32>>>(nullptr);
  launch_chooses(30);
  printf("%s\n", State.Last.Kernel.c_str());
}

int main(int argc, char **argv) {
  struct {
    const char *Name;
    void (*Run)();
  } const Cases[] = {{"forms", forms},
                     {"templates", templates},
#ifdef __CUDACC_EXTENDED_LAMBDA__
                     {"lambdas", lambdas},
#endif
                     {"other_file", other_file},
                     {"other_launches", other_launches},
                     {"room", room},
                     {"large_blocks", large_blocks},
                     {"many_devices", many_devices},
                     {"no_device", no_device},
                     {"errors", errors},
                     {"waiting", waiting},
                     {"small_grid", small_grid},
                     {"carveout", carveout},
                     {"percents", percents},
                     {"faster", faster},
                     {"large", large},
                     {"late", late},
                     {"leading", leading},
                     {"untimed", untimed},
                     {"second_launch", second_launch},
                     {"many_settings", many_settings},
                     {"threads", threads},
                     {"report", report}};
  for (const auto &Case : Cases) {
    if (argc == 1)
      puts(Case.Name);
    else if (!strcmp(argv[1], Case.Name)) {
      Case.Run();
      return Failed;
    }
  }
  return argc > 1;
}
