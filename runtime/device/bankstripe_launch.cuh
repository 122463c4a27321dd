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
//      original's would be either, if it may wait for other blocks.
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

#ifndef BANKSTRIPE_MARK
#define BANKSTRIPE_MARK
namespace detail {

// Launches that bring this memory ask for this many bytes more than a multiple
// of 16, by which others are told apart. They are room for programs that read
// one element behind the last slot.
enum : unsigned { mark = 2 * 16 + 9 };

} // namespace detail
#endif // BANKSTRIPE_MARK

namespace {

// What the host stub was given.
struct launch {
  dim3 grid, block;
  void **arguments;
  size_t own; // Bytes of dynamic shared memory that the launch asks for.
  cudaStream_t stream;

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned long long blocks() const { return 1ull * grid.x * grid.y * grid.z; }
  bool is_alone() const { // No other kernel runs beside it.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    return false;
#else
    return !stream;
#endif
  }
};

// What a launch runs: the version, or the original for a reason.
enum outcome { ran_version, too_large, no_room, not_resident, not_chosen };

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

// What BANKSTRIPE_CHOICE says.
enum pin { pinned_to_none, pinned_to_original, pinned_to_version };
inline pin pinned() {
  static const pin known = [] {
    const char *asked = getenv("BANKSTRIPE_CHOICE");
    return asked && !strcmp(asked, "original")  ? pinned_to_original
           : asked && !strcmp(asked, "version") ? pinned_to_version
                                                : pinned_to_none;
  }();
  return known;
}

// The file that a variable names, if any. `append` writes to it when the
// program ends.
template <void append()> inline const char *file_of(const char *variable) {
  static const char *const known = [=] {
    const char *asked = getenv(variable);
    if (asked)
      atexit(append);
    return asked;
  }();
  return known;
}

// --- What blocks take --------------------------------------------------------

// The dynamic shared memory of a block: for each warp, and for the kernel.
constexpr size_t bytes_brought(size_t warp_bytes, unsigned threads,
                               size_t own) {
  return (own + 15) / 16 * 16 + (threads + 31) / 32 * warp_bytes + detail::mark;
}

// The part of `all` shared memory of a multiprocessor that so many blocks need,
// in percent.
constexpr unsigned long long most_percent(unsigned long long percent) {
  return percent < 100 ? percent : 100;
}
constexpr int percent_of(unsigned long long all, unsigned long long blocks,
                         unsigned long long bytes) {
  return static_cast<int>(most_percent(
      ((blocks ? blocks : 1) * ((bytes + 127) / 128 * 128) * 100 + all - 1) /
      all));
}

// What a multiprocessor has for the blocks of one kernel.
struct multiprocessor {
  int threads, blocks, registers, shared_bytes;
  int registers_per_warp; // Of the kernel.
  int bytes_per_block;    // Likewise, without the dynamic ones.
};

// The part of the memory, in percent, that `blocks` need which the grid brings
// to a multiprocessor, as far as they are resident at once. (The occupancy that
// the runtime computes depends on the carveout, so it cannot be asked.)
inline int percent_needed(const multiprocessor &all, unsigned long long blocks,
                          unsigned warps, size_t bytes) {
  typedef unsigned long long number;
  const number each = (all.bytes_per_block + bytes + 127) / 128 * 128;
  const number registers = 1ull * all.registers_per_warp * warps;
  const number most[] = {static_cast<number>(all.blocks),
                         all.threads / (32ull * warps),
                         all.registers / (registers ? registers : 1),
                         all.shared_bytes / (each ? each : 1)};
  number resident = blocks;
  for (number other : most)
    resident = other < resident ? other : resident;
  return percent_of(all.shared_bytes, resident, each);
}

// --- Rows --------------------------------------------------------------------

// What is known of the body that moves arrays, on one device.
struct on_device {
  int device, processors, most_threads;
  int most_bytes, unasked_bytes; // Dynamic shared memory.
  multiprocessor each;
  // Threads and bytes of a block, and how many of these are resident at once:
  // of the original, and of the version.
  std::atomic<uint64_t> residency[2];
  // One more than the percent of the carveout that was asked for last.
  std::atomic<int> percent;
  // The launch, as of key_of(), that ran the version last; 0 where the next one
  // like it has to be prepared again.
  std::atomic<uint64_t> settled;
  on_device *following;
};

// Launches with blocks of one size, for BANKSTRIPE_LAUNCHES.
struct tally {
  std::atomic<uint64_t> block; // 0 while it is free.
  std::atomic<unsigned long long> ran[not_chosen + 1];
};

enum waiting : bool { may_wait = true };

// How much of the memory that the L1 and shared memory have in common is shared
// memory: as much as blocks need, what the driver says, or so many percent.
enum carved : int { as_needed = -1, by_driver = -2 };

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

class version {
public:
  template <class Kernel>
  version(const char *name, Kernel *kernel, Kernel *other, unsigned warp_bytes,
          bool waits = false, int carveout = as_needed)
      : version(name, bodies(kernel, other), warp_bytes, waits, carveout) {}
  version(const char *name, const bodies &both, unsigned warp_bytes,
          bool waits = false, int carveout = as_needed)
      : name(name), both(both), following(first().load()),
        warp_bytes(warp_bytes), waits(waits), carveout(carveout) {
    first().store(this, std::memory_order_release);
  }
  version(const version &) = delete;

  // The row that was made last.
  static std::atomic<version *> &first() {
    static std::atomic<version *> rows;
    return rows;
  }
  // Runs the one or the other.
  cudaError_t launch_one(const launch &l);
  void print_name(FILE *to) const;
  void print_launches(FILE *to) const;

  const char *const name;
  const bodies both;
  version *const following;
  // Where the program chooses, what does that (bankstripe_choose.cuh).
  cudaError_t (*choose)(version &, const launch &, on_device &) = nullptr;

protected:
  void prepare(const launch &l, on_device &on) const;
  cudaError_t run(const launch &l, outcome which);

private:
  on_device *device_of(int device);
  bool ask(on_device &on) const;
  outcome what_can_run(const launch &l, on_device &on) const;
  unsigned long long resident(bool of_version, const launch &l,
                              on_device &on) const;
  void note(const launch &l, outcome which);
  uint64_t key_of(const launch &l) const;
  size_t bytes_of(const launch &l) const { // Launches of a GB fail anyway.
    return warp_bytes && l.own < 1 << 30
               ? bytes_brought(warp_bytes, l.threads(), l.own)
               : l.own;
  }

  const unsigned warp_bytes;
  const bool waits;
  const int carveout;
  std::atomic<on_device *> devices{nullptr};
  std::atomic<tally *> tallies{nullptr};
};

// A kernel whose arrays lie in memory that its launches bring.
struct storage : version {
  template <class Kernel>
  storage(const char *name, Kernel *kernel, unsigned warp_bytes,
          int carveout = as_needed)
      : version(name, kernel, kernel, warp_bytes, false, carveout) {
#ifndef __NVCC__
    static_assert(
        !sizeof(Kernel *),
        "only nvcc's launches bring the memory that a kernel of this "
        "file needs: compile it with nvcc, or rewrite the original with "
        "`bankstripe rewrite --versions`, whose kernels need none");
#endif
  }
};

// The rows by their stubs: open addressing, at most half full. Rows only come,
// at the start of the program, so a table is never changed, and made anew when
// there are more.
struct table {
  version *const newest;
  size_t mask;
  version **places;

  explicit table(version *newest) : newest(newest), mask(15) {
    size_t rows = 0;
    for (version *row = newest; row; row = row->following)
      ++rows;
    while (mask < 2 * rows)
      mask += mask + 1;
    places = new version *[mask + 1]();
    for (version *row = newest; row; row = row->following)
      place_of(row->both.original) = row;
  }
  // Where the row of a kernel is, or would be.
  version *&place_of(const void *stub) const {
    size_t at = (uintptr_t)stub * 0x9E3779B97F4A7C15ull >> 20;
    while (places[at & mask] && places[at & mask]->both.original != stub)
      ++at;
    return places[at & mask];
  }
};

// The row of a kernel; null if it has none. (What threads make at once and one
// of them does not need is not missed.)
inline version *find_row(const void *stub) {
  static std::atomic<table *> known;
  version *const newest = version::first().load(std::memory_order_acquire);
  table *all = known.load(std::memory_order_acquire);
  if (!all || all->newest != newest) {
    all = new table(newest);
    known.store(all, std::memory_order_release);
  }
  return all->place_of(stub);
}

// --- What ran, for BANKSTRIPE_LAUNCHES ---------------------------------------

enum { counted_blocks = 16 }; // Sizes of blocks, of each kernel.

// `sum`, or `sum<T = int>` of a template, as a part of a string in JSON.
inline void version::print_name(FILE *to) const {
  auto print = [to](const char *text, const char *end) {
    for (; text < end; ++text)
      fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  };
  print(name, name + strlen(name));
  if (const char *list = strstr(both.instance, "() [")) {
    list += strncmp(list, "() [with ", 9) ? 4 : 9;
    fputc('<', to);
    print(list, both.instance + strlen(both.instance) - 1);
    fputc('>', to);
  }
}

inline void version::print_launches(FILE *to) const {
  const tally *all = tallies.load();
  for (int i = 0; all && i < counted_blocks && all[i].block.load(); ++i) {
    const uint64_t block = all[i].block.load();
    fprintf(to, "{\"kernel\": \"");
    print_name(to);
    fprintf(to,
            "\", \"block\": [%u, %u, %u], \"version\": %llu, \"original\": "
            "{\"tooLarge\": %llu, \"noRoom\": %llu, \"mayWait\": %llu, "
            "\"notChosen\": %llu}}\n",
            unsigned(block >> 32), unsigned(block >> 16 & 0xffff),
            unsigned(block & 0xffff), all[i].ran[ran_version].load(),
            all[i].ran[too_large].load(), all[i].ran[no_room].load(),
            all[i].ran[not_resident].load(), all[i].ran[not_chosen].load());
  }
}

inline void append_launches() {
  FILE *to = fopen(getenv("BANKSTRIPE_LAUNCHES"), "a");
  for (version *row = version::first(); to && row; row = row->following)
    row->print_launches(to);
  if (to)
    fclose(to);
}

inline void version::note(const launch &l, outcome which) {
  if (!file_of<append_launches>("BANKSTRIPE_LAUNCHES"))
    return;
  tally *all = tallies.load();
  if (!all) {
    tally *made = new tally[counted_blocks]();
    if (tallies.compare_exchange_strong(all, made))
      all = made;
    else
      delete[] made;
  }
  const uint64_t block =
      (uint64_t)l.block.x << 32 | l.block.y << 16 | l.block.z;
  for (int i = 0; i < counted_blocks; ++i) {
    uint64_t other = 0;
    if (all[i].block.compare_exchange_strong(other, block) || other == block) {
      ++all[i].ran[which];
      return;
    }
  }
}

// --- One launch --------------------------------------------------------------

inline bool version::ask(on_device &on) const {
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
  if (!did(cudaFuncGetAttributes(&uses, both.version)))
    return false;
  const int own = static_cast<int>(uses.sharedSizeBytes);
  on.each.registers_per_warp = (uses.numRegs + 7) / 8 * 8 * 32;
  on.each.bytes_per_block = own + reserved;
  on.most_threads = uses.maxThreadsPerBlock;
  on.most_bytes = optin - own;
  on.unasked_bytes = 48 * 1024 - own;
  return true;
}

// Null where the device does not answer. Threads that ask at once get the same
// answers, and each of them is kept.
inline on_device *version::device_of(int device) {
  on_device *first = devices.load(std::memory_order_acquire);
  for (on_device *on = first; on; on = on->following)
    if (on->device == device)
      return on;
  const relaxed_capture unharmed;
  on_device *made = new on_device();
  made->device = device;
  if (!ask(*made)) {
    delete made;
    return nullptr;
  }
  made->following = first;
  while (!devices.compare_exchange_weak(made->following, made))
    ;
  return made;
}

// How many blocks of this size are resident at once. Where that is unknown the
// version has none, and the original all.
inline unsigned long long version::resident(bool of_version, const launch &l,
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
  if (!l.blocks() || !l.threads() || l.threads() > (unsigned)on.most_threads)
    return too_large;
  if (bytes_of(l) > (size_t)on.most_bytes)
    return no_room;
  if (!waits)
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
  if (bytes > (size_t)on.unasked_bytes && bytes <= (size_t)on.most_bytes)
    did(cudaFuncSetAttribute(both.version,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             on.most_bytes));
  const unsigned long long brought =
      l.is_alone() && !waits ? (l.blocks() + on.processors - 1) / on.processors
                             : 1ull << 60;
  const int percent =
      carveout == as_needed
          ? percent_needed(on.each, brought, (l.threads() + 31) / 32, bytes)
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

// All that decides about a launch and is prepared for it; 0 where that is more
// than a number can hold. The next launch like it needs no second thought.
inline uint64_t version::key_of(const launch &l) const {
  return l.blocks() >> 32 || l.own >> 20 || l.threads() >> 11
             ? 0
             : l.blocks() | (uint64_t)l.threads() << 32 |
                   (uint64_t)l.own << 43 | (uint64_t)l.is_alone() << 63;
}

// Of a kernel without a version a launch that is too large fails as it did, and
// one for which there is no room does so.
inline cudaError_t version::launch_one(const launch &l) {
  const bool has_version = both.version != both.original;
  if (has_version && pinned() == pinned_to_original)
    return run(l, not_chosen);
  on_device *on = device_of(current_device());
  const uint64_t key = key_of(l);
  if (on && key && !choose &&
      key == on->settled.load(std::memory_order_relaxed))
    return run(l, ran_version);
  const outcome which = on ? what_can_run(l, *on) : no_room;
  if (which == too_large || (has_version && which != ran_version))
    return run(l, which);
  if (choose && pinned() == pinned_to_none)
    return choose(*this, l, *on);
  if (on) {
    prepare(l, *on);
    if (bytes_of(l) <= (size_t)on->unasked_bytes)
      on->settled.store(key, std::memory_order_relaxed);
  }
  return run(l, ran_version);
}

} // namespace
} // namespace bankstripe

#ifdef __NVCC__
__attribute__((unused)) static inline cudaError_t
cudaLaunchKernel(char *stub, dim3 &grid, dim3 &block, void **arguments,
                 size_t own, cudaStream_t stream) {
  bankstripe::version *row = bankstripe::find_row(stub);
  return row ? row->launch_one({grid, block, arguments, own, stream})
             : cudaLaunchKernel((const void *)stub, grid, block, arguments, own,
                                stream);
}

// The stubs of CUDA 13 call other functions, which these stand for in this
// file: the labels are names of its own.
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 13 &&             \
    !defined(__NV_LEGACY_LAUNCH)
extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t *,
                            const void *) __asm__("bankstripe_get_kernel");
cudaError_t
__cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t,
                   cudaStream_t) __asm__("bankstripe_launch_kernel");
cudaError_t
__cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t,
                        cudaStream_t) __asm__("bankstripe_launch_kernel");
__attribute__((used)) static cudaError_t
bankstripe_get_kernel_(cudaKernel_t *,
                       const void *) __asm__("bankstripe_get_kernel");
__attribute__((used)) static cudaError_t
bankstripe_launch_kernel_(cudaKernel_t, dim3, dim3, void **, size_t,
                          cudaStream_t) __asm__("bankstripe_launch_kernel");
static cudaError_t bankstripe_get_kernel_(cudaKernel_t *kernel,
                                          const void *stub) {
  *kernel = (cudaKernel_t) const_cast<void *>(stub);
  return cudaSuccess;
}
static cudaError_t bankstripe_launch_kernel_(cudaKernel_t kernel, dim3 grid,
                                             dim3 block, void **arguments,
                                             size_t own, cudaStream_t stream) {
  return cudaLaunchKernel((char *)kernel, grid, block, arguments, own, stream);
}
} // extern "C"
#endif
#endif // __NVCC__

} // extern "C++"

#pragma pop_macro("cudaLaunchKernel")
#pragma pack(pop)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif // __CUDACC__
#endif // BANKSTRIPE_LAUNCH_CUH
