// bankstripe_launch.cuh - launches that bring storage, or run a version
//
// Written by bankstripe beside the sources that it rewrote; host code only, for
// C++11 or newer. Regenerate it, do not edit it.
//
// A launch `kernel<<<...>>>(...)` calls the kernel's host stub, which nvcc puts
// into the file that defines the kernel, whoever launches it. The stub calls
// cudaLaunchKernel(char *, dim3 &, dim3 &, ...), for which the overload below
// is the best match. So each launch of a kernel of this file passes here, with
// its true grid, block, bytes and stream. Rows say what is known of a kernel:
//
//     static ::bankstripe::storage sum_row("sum", sum, 2112);
//     static ::bankstripe::version sum_row("sum", sum, sum_striped, 2112);
//
// Arrays of the first lie in 2112 bytes of shared memory for each warp, which
// its launches bring. The second has a version beside it, in which they do. A
// launch runs that instead, with the same arguments, where
//
//   1. the device can start blocks of this size of it, and gives them as much
//      shared memory as they need;
//   2. all blocks of this grid are resident at once, or not all of the
//      original's would be either, if it may wait for other blocks;
//   3. all blocks of this grid are resident at once, if it is predicted to be
//      faster only then.
//
// Else it runs the original, as do all launches that pass no stub, such as
// cudaLaunchKernelEx, cooperative ones and those of other rows' kernels.
//
//     BANKSTRIPE_CHOICE=original, =version   run that one; the version only
//                                            where it can run
//     BANKSTRIPE_LAUNCHES=FILE               append what ran, and why, as JSON
//                                            lines, when the program ends
//
// Each file has rows and a table of its own, so all is in a namespace without a
// name. A launch costs a look into the table; the device is asked at the first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_LAUNCH_CUH
#define BANKSTRIPE_LAUNCH_CUH
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

#ifdef __GNUC__ // Builds that make errors of these are about their own code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#pragma pack(push)
#pragma pack() // Whatever the file has it at.

#if !defined(__NVCC__) && !defined(__CUDA_ARCH__)
#warning "Clang's launches run no versions of kernels: compile with nvcc"
#endif
#ifdef __NVCC__ // It says that the rows of explicit instances are not defined.
#pragma nv_diag_suppress 114
#endif

#pragma push_macro("cudaLaunchKernel")
#undef cudaLaunchKernel // The stub uses the plain name, whatever
                        // -default-stream says.

extern "C++" { // Where files are included between the braces of extern "C".

#include <atomic>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace bankstripe {

#include "parts/mark.cuh"

namespace {

typedef unsigned long long number;

// What the host stub was given.
struct launch {
  dim3 grid, block;
  void **arguments;
  size_t own; // Bytes of dynamic shared memory that the launch asks for.
  cudaStream_t stream;

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned warps() const { return (threads() + 31) / 32; }
  number blocks() const { return number(grid.x) * grid.y * grid.z; }
  bool has_block(const dim3 &other) const {
    return block.x == other.x && block.y == other.y && block.z == other.z;
  }
  bool is_alone() const { // No other kernel runs beside it.
#ifdef __CUDART_API_PER_THREAD_DEFAULT_STREAM
    return false;
#else
    return !stream;
#endif
  }
};

// What a launch runs: the version, or the original for a reason.
enum outcome {
  ran_version,
  too_large,
  no_room,
  not_resident,
  too_many_blocks,
  not_chosen
};

// While it lives, what this thread asks of the runtime disturbs no stream that
// another one captures.
class relaxed_capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

public:
  relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  relaxed_capture(const relaxed_capture &) = delete;
};

// Whether a call did what it should; an error that it left is taken back. (So
// is one that the program left, but what is asked here fails only where the
// launch fails as well, and leaves its own.)
inline bool did(cudaError_t result) {
  if (result != cudaSuccess)
    cudaGetLastError();
  return result == cudaSuccess;
}

// The device of this thread, or -1. Programs that see one device are not asked
// again: the answer would take longer than all else that is done here.
inline int current_device() {
  static std::atomic<int> seen; // 0 while nobody has asked.
  int count = seen.load(std::memory_order_relaxed), device = 0;
  if (!count && did(cudaGetDeviceCount(&count)))
    seen.store(count, std::memory_order_relaxed);
  return count == 1 || did(cudaGetDevice(&device)) ? device : -1;
}

// Whether BANKSTRIPE_CHOICE says so.
inline bool is_pinned_to(const char *body) {
  static const char *const known = getenv("BANKSTRIPE_CHOICE");
  return known && !strcmp(known, body);
}

// Puts an element before the others of a list, which only grows.
template <class Element>
inline void put_first(std::atomic<Element *> &list, Element *made) {
  made->following = list.load();
  while (!list.compare_exchange_weak(made->following, made))
    ;
}

// --- What blocks take --------------------------------------------------------

constexpr number smaller(number one, number other) {
  return one < other ? one : other;
}

// The dynamic shared memory of a block: for each warp, and for the kernel.
constexpr size_t bytes_brought(size_t warp_bytes, unsigned threads,
                               size_t own) {
  return (own + 15) / 16 * 16 + (threads + 31) / 32 * warp_bytes + detail::mark;
}

// The part of `all` shared memory of a multiprocessor that so many blocks need,
// in percent.
constexpr int percent_of(number all, number blocks, number bytes) {
  return static_cast<int>(smaller(
      100,
      ((blocks ? blocks : 1) * ((bytes + 127) / 128 * 128) * 100 + all - 1) /
          all));
}

// What a multiprocessor has for the blocks of one kernel.
struct multiprocessor {
  int threads, blocks, registers, shared_bytes;
  int registers_per_warp; // Of the kernel.
  int bytes_per_block;    // Likewise, without the dynamic ones.
};

// How many of its blocks are resident at once, with all of the memory. (The
// occupancy that the runtime computes depends on the carveout.)
inline number most_resident(const multiprocessor &all, number warps,
                            size_t bytes) {
  const number registers = all.registers_per_warp * warps;
  const number each = (all.bytes_per_block + bytes + 127) / 128 * 128;
  number resident = smaller(all.blocks, all.threads / (32 * warps));
  resident = smaller(resident, all.registers / (registers ? registers : 1));
  return smaller(resident, all.shared_bytes / (each ? each : 1));
}

// The part of the memory, in percent, that `blocks` need which the grid brings
// to a multiprocessor, as far as they are resident at once.
inline int percent_needed(const multiprocessor &all, number blocks,
                          number warps, size_t bytes) {
  return percent_of(all.shared_bytes,
                    smaller(blocks, most_resident(all, warps, bytes)),
                    all.bytes_per_block + bytes);
}

// What is known of the body that moves arrays, on one device.
struct on_device {
  int device, processors;
  unsigned most_threads;
  size_t most_bytes, unasked_bytes; // Dynamic shared memory.
  multiprocessor each;
  // Threads and bytes of a block, and how many of these are resident at once:
  // of the original, and of the version.
  std::atomic<uint64_t> residency[2];
  // One more than the percent of the carveout that was asked for last.
  std::atomic<int> percent;
  // A launch, as of key_of(), and its outcome, which is that of all like it:
  // they need no second thought.
  std::atomic<uint64_t> settled;
  on_device *following;
};

// Asks the device about a kernel. \returns whether it answers.
inline bool ask(on_device &on, const void *kernel) {
  cudaFuncAttributes uses;
  int optin = 0, reserved = 0;
  const struct {
    int &answer;
    cudaDeviceAttr what;
  } questions[] = {
      {optin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {reserved, cudaDevAttrReservedSharedMemoryPerBlock},
      {on.processors, cudaDevAttrMultiProcessorCount},
      {on.each.threads, cudaDevAttrMaxThreadsPerMultiProcessor},
      {on.each.blocks, cudaDevAttrMaxBlocksPerMultiprocessor},
      {on.each.registers, cudaDevAttrMaxRegistersPerMultiprocessor},
      {on.each.shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor}};
  for (const auto &each : questions)
    if (!did(cudaDeviceGetAttribute(&each.answer, each.what, on.device)))
      return false;
  if (!did(cudaFuncGetAttributes(&uses, kernel)))
    return false;
  on.each.registers_per_warp = (uses.numRegs + 7) / 8 * 8 * 32;
  on.each.bytes_per_block = uses.sharedSizeBytes + reserved;
  on.most_threads = uses.maxThreadsPerBlock;
  on.most_bytes = optin - uses.sharedSizeBytes;
  on.unasked_bytes = 48 * 1024 - uses.sharedSizeBytes;
  return true;
}

// --- Rows --------------------------------------------------------------------

// When a version runs, if not always.
enum condition : int { may_wait = 1, where_resident = 2 };

// How much of the memory that the L1 and shared memory have in common is shared
// memory: as much as blocks need, what the driver says, or so many percent.
enum carved : int { as_needed = -1, by_driver = -2 };

// Rows of instances have it as an argument, so that each file has its own.
struct here;

// A kernel and its version. An instance of a template is named by a function,
// since its row is made while the type of the version is.
struct bodies {
  const void *original, *version;
  const char *instance; // `... both() [with T = int]`, as compilers print it.

  template <class Kernel>
  bodies(Kernel *kernel, Kernel *version, const char *instance = "")
      : original((const void *)kernel), version((const void *)version),
        instance(instance) {}
};

// Launches with one block, for BANKSTRIPE_LAUNCHES.
struct tally {
  dim3 block;
  std::atomic<number> ran[not_chosen + 1];
  tally *following;
};

class version {
public:
  template <class Kernel>
  version(const char *name, Kernel *kernel, Kernel *other, unsigned warp_bytes,
          int conditions = 0, int carveout = as_needed)
      : version(name, bodies(kernel, other), warp_bytes, conditions, carveout) {
  }
  version(const char *name, const bodies &both, unsigned warp_bytes,
          int conditions = 0, int carveout = as_needed)
      : both(both), conditions(conditions), name(name), warp_bytes(warp_bytes),
        carveout(carveout), next_like(newest_like(both.original)) {
    newest_like(both.original).store(this, std::memory_order_release);
    put_first(newest(), this);
  }
  version(const version &) = delete;

  // The row that was made last, of all and of those whose stubs have one hash.
  // Rows only come, at the start of the program.
  static std::atomic<version *> &newest() {
    static std::atomic<version *> last;
    return last;
  }
  static std::atomic<version *> &newest_like(const void *stub) {
    static std::atomic<version *> last[256];
    return last[(uintptr_t)stub * 0x9E3779B97F4A7C15ull >> 56];
  }
  // The row of a kernel; null if it has none.
  static version *find(const void *stub) {
    version *row = newest_like(stub).load(std::memory_order_acquire);
    while (row && row->both.original != stub)
      row = row->next_like;
    return row;
  }

  // Runs the one or the other.
  cudaError_t launch_one(const launch &l);
  void print_kernel(FILE *to) const;
  static void print_launches(const version &row, FILE *to);

  // Where the program chooses, what does that (bankstripe_choose.cuh).
  cudaError_t (*choose)(version &, const launch &, on_device *) = nullptr;
  version *following; // Of all.

protected:
  // The first launch runs the original, and the device loads that alone: it
  // loads the version while that runs.
  std::atomic<bool> defers{false};
  void prepare(const launch &l, on_device &on) const;
  cudaError_t run(const launch &l, outcome which);
  cudaError_t settle(const launch &l, on_device &on, outcome which);

  const bodies both;
  const int conditions;

private:
  on_device *device_of(int device);
  outcome what_can_run(const launch &l, on_device &on) const;
  number resident(bool of_version, const launch &l, on_device &on) const;
  void note(const launch &l, outcome which);
  size_t bytes_of(const launch &l) const { // Launches of a GB fail anyway.
    return warp_bytes && l.own < 1 << 30
               ? bytes_brought(warp_bytes, l.threads(), l.own)
               : l.own;
  }

  const char *const name;
  const unsigned warp_bytes;
  const int carveout;
  version *const next_like;
  std::atomic<on_device *> devices{nullptr};
  std::atomic<tally *> tallies{nullptr};
};

// A kernel whose arrays lie in memory that its launches bring.
struct storage : version {
  template <class Kernel>
  storage(const char *name, Kernel *kernel, unsigned warp_bytes,
          int carveout = as_needed)
#ifndef __NVCC__
      __attribute__((diagnose_if(
          warp_bytes,
          "only nvcc's launches bring the memory that this kernel needs: "
          "compile the file with nvcc, or rewrite the original with "
          "`bankstripe rewrite --versions`, whose kernels need none",
          "error")))
#endif
      : version(name, kernel, kernel, warp_bytes, 0, carveout) {
  }
};

// --- What ran, for BANKSTRIPE_LAUNCHES ---------------------------------------

// Whether a variable names a file. When the program ends, what `print` says of
// each row is appended to it.
template <void print(const version &row, FILE *to)>
inline bool is_asked_for(const char *variable) {
  static const char *file;
  static const bool asked = [=] {
    auto append = [] {
      FILE *to = fopen(file, "a");
      for (version *row = version::newest(); to && row; row = row->following)
        print(*row, to);
      if (to)
        fclose(to);
    };
    file = getenv(variable);
    return file && !atexit(append);
  }();
  return asked;
}

// Begins a line of JSON with the name: `sum`, or `sum<T = int>` of a template.
inline void version::print_kernel(FILE *to) const {
  auto print = [to](const char *text, const char *end) {
    for (; text < end; ++text)
      fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  };
  fprintf(to, "{\"kernel\": \"");
  print(name, name + strlen(name));
  if (const char *list = strstr(both.instance, "() [")) {
    list += strncmp(list, "() [with ", 9) ? 4 : 9;
    list += strcspn(list, ",;") + 2; // Behind `Here = ...`.
    fputc('<', to);
    print(list, both.instance + strlen(both.instance) - 1);
    fputc('>', to);
  }
  fputc('"', to);
}

inline void version::print_launches(const version &row, FILE *to) {
  for (const tally *of = row.tallies.load(); of; of = of->following) {
    row.print_kernel(to);
    fprintf(to,
            ", \"block\": [%u, %u, %u], \"version\": %llu, \"original\": "
            "{\"tooLarge\": %llu, \"noRoom\": %llu, \"mayWait\": %llu, "
            "\"tooManyBlocks\": %llu, \"notChosen\": %llu}}\n",
            of->block.x, of->block.y, of->block.z, of->ran[ran_version].load(),
            of->ran[too_large].load(), of->ran[no_room].load(),
            of->ran[not_resident].load(), of->ran[too_many_blocks].load(),
            of->ran[not_chosen].load());
  }
}

// Threads that meet a block at once may make two lines of it.
inline void version::note(const launch &l, outcome which) {
  if (!is_asked_for<print_launches>("BANKSTRIPE_LAUNCHES"))
    return;
  tally *of = tallies.load();
  while (of && !l.has_block(of->block))
    of = of->following;
  if (!of) {
    of = new tally();
    of->block = l.block;
    put_first(tallies, of);
  }
  ++of->ran[which];
}

// --- One launch --------------------------------------------------------------

// Null where the device does not answer. Threads that ask at once get the same
// answers, and each of them is kept.
inline on_device *version::device_of(int device) {
  on_device *on = devices.load(std::memory_order_acquire);
  while (on && on->device != device)
    on = on->following;
  if (on)
    return on;
  const relaxed_capture unharmed;
  on = new on_device();
  on->device = device;
  if (!ask(*on, both.version)) {
    delete on;
    return nullptr;
  }
  put_first(devices, on);
  return on;
}

// How many blocks of this size are resident at once. Where that is unknown the
// version has none, and the original all.
inline number version::resident(bool of_version, const launch &l,
                                on_device &on) const {
  const size_t bytes = of_version ? bytes_of(l) : l.own;
  const uint64_t key = (uint64_t)l.threads() << 18 | bytes;
  uint64_t known = on.residency[of_version].load(std::memory_order_relaxed);
  if (known >> 32 != key) {
    const relaxed_capture unharmed;
    int blocks = 0;
    if (!did(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, of_version ? both.version : both.original,
            (int)l.threads(), bytes)))
      return of_version ? 0 : l.blocks();
    known = key << 32 | (uint32_t)(blocks * on.processors);
    on.residency[of_version].store(known, std::memory_order_relaxed);
  }
  return (uint32_t)known;
}

// The version, or why the original. What is resident depends on what the kernel
// is allowed, so that comes first.
inline outcome version::what_can_run(const launch &l, on_device &on) const {
  if (!l.blocks() || !l.threads() || l.threads() > on.most_threads)
    return too_large;
  if (bytes_of(l) > on.most_bytes)
    return no_room;
  if (conditions & where_resident &&
      l.blocks() >
          on.processors * most_resident(on.each, l.warps(), bytes_of(l)))
    return too_many_blocks;
  if (!(conditions & may_wait))
    return ran_version;
  prepare(l, on);
  return l.blocks() <= resident(true, l, on) ||
                 l.blocks() > resident(false, l, on)
             ? ran_version
             : not_resident;
}

// More than a launch gets unasked is allowed each time, since cudaDeviceReset
// takes it back. (Of the carveout the driver decides after that.)
//
// How much is shared memory only grows, because kernels do not overlap where it
// changes. Where others may run beside it the grid does not tell how many
// blocks there are, nor does it where all of them have to be resident.
inline void version::prepare(const launch &l, on_device &on) const {
  const size_t bytes = bytes_of(l);
  if (bytes > on.unasked_bytes && bytes <= on.most_bytes)
    did(cudaFuncSetAttribute(both.version,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             on.most_bytes));
  const number brought = l.is_alone() && !(conditions & may_wait)
                             ? (l.blocks() + on.processors - 1) / on.processors
                             : 1ull << 60;
  const int percent = carveout == as_needed
                          ? percent_needed(on.each, brought, l.warps(), bytes)
                          : carveout; // by_driver is less than anything.
  if (percent >= on.percent.load(std::memory_order_relaxed) &&
      did(cudaFuncSetAttribute(both.version,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               percent)))
    on.percent.store(percent + 1, std::memory_order_relaxed);
}

inline cudaError_t version::run(const launch &l, outcome which) {
  note(l, which);
  const bool is_version = which == ran_version;
  return cudaLaunchKernel(is_version ? both.version : both.original, l.grid,
                          l.block, l.arguments,
                          is_version ? bytes_of(l) : l.own, l.stream);
}

// All that decides about a launch and is prepared for it, in 61 bits; 0 where
// that is more, as for grids that take longer than their launch.
inline uint64_t key_of(const launch &l) {
  const uint64_t x = l.block.x - 1, y = l.block.y - 1, z = l.block.z - 1;
  return l.blocks() >> 16 || l.own >> 18 || x >> 10 || y >> 10 || z >> 6
             ? 0
             : l.blocks() << 45 | l.own << 27 | x << 17 | y << 7 | z << 1 |
                   l.is_alone();
}

// Runs a launch as the next ones like it. Where these have to be allowed their
// bytes they are thought of again.
inline cudaError_t version::settle(const launch &l, on_device &on,
                                   outcome which) {
  if (which == ran_version)
    prepare(l, on);
  if (which != ran_version || bytes_of(l) <= on.unasked_bytes)
    on.settled.store(key_of(l) << 3 | which, std::memory_order_relaxed);
  return run(l, which);
}

// Of a kernel without a version a launch that is too large fails as it did, and
// one for which there is no room does so.
inline cudaError_t version::launch_one(const launch &l) {
  const bool has_version = both.version != both.original;
  if (has_version && is_pinned_to("original"))
    return run(l, not_chosen);
  if (defers.exchange(false) && !is_pinned_to("version"))
    return choose(*this, l, nullptr);
  on_device *on = device_of(current_device());
  if (!on)
    return run(l, has_version ? no_room : ran_version);
  const uint64_t key = key_of(l);
  const uint64_t settled = on->settled.load(std::memory_order_relaxed);
  if (key && key == settled >> 3)
    return run(l, static_cast<outcome>(settled & 7));
  const outcome which = what_can_run(l, *on);
  if (which == too_large || (has_version && which != ran_version))
    return settle(l, *on, which);
  if (choose && !is_pinned_to("version"))
    return choose(*this, l, on);
  return settle(l, *on, ran_version);
}

} // namespace
} // namespace bankstripe

#include "parts/host_stub.cuh"

} // extern "C++"

#pragma pop_macro("cudaLaunchKernel")
#pragma pack(pop)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif // __CUDACC__
#endif // BANKSTRIPE_LAUNCH_CUH
