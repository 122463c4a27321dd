// bankstripe_choose.cuh - kernels that find out which version is faster
//
// Written by bankstripe beside the sources that it rewrote; host code only, for
// C++11 or newer. Regenerate it, do not edit it.
//
// A row of this kind (bankstripe_launch.cuh, which files include before) has
// the program choose, where the version can run:
//
//     static ::bankstripe::choice sum_row("sum", sum, sum_striped, 2112,
//                                         ::bankstripe::may_gain);
//
// Launches run the original and the version in turns, between two events, until
// it is clear which one is faster; then they run that. Each size of block and
// of grid is a choice of its own. The last word is the prediction, which
// decides where there are no times.
//
// The rule is `detail::comparison` below. Where times are on their way, the
// next launch waits for them, as long as `patience` says. All is made at the
// first launch that needs it; errors, captured streams and the order of
// launches stay as they are.
//
//     BANKSTRIPE_CHOICE=original, =version   run that one, compare nothing
//     BANKSTRIPE_CHOICES=FILE                append what was chosen, as JSON
//                                            lines, when the program ends
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BANKSTRIPE_CHOOSE_CUH
#define BANKSTRIPE_CHOOSE_CUH
#if defined(__cplusplus) && !defined(__CUDACC_RTC__)

#ifdef __GNUC__ // Builds that make errors of these are about their own code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#pragma pack(push)
#pragma pack() // Whatever the file has it at.

extern "C++" { // Where files are included between the braces of extern "C".

#include <chrono>
#include <math.h>

namespace bankstripe {

#include "parts/comparison.cuh"

} // namespace bankstripe

#ifdef __CUDACC__

namespace bankstripe {
namespace {

using detail::comparison;

// Launches that do the same work, as far as anybody can see: one device, one
// block, and grids within a factor of two.
struct setting {
  int device, grid_class;
  dim3 grid, block; // Of its first launch.
  comparison rule;
  unsigned long long context; // In which the events are, see current_context.
  cudaEvent_t before[comparison::under_way], behind[comparison::under_way];
  bool is_timed[comparison::under_way]; // Both events are in a stream.
  char gpu[64], architecture[8];        // Its name, and `sm_90`; for choices.
  // Both are a comparison::outcome.
  std::atomic<unsigned char> chosen, leader;
  std::atomic<bool> busy; // A thread is at work with what can change.
  std::atomic<number> ran[comparison::version + 1]; // Launches; for choices.
  std::atomic<number> waited;                       // Nanoseconds; likewise.
  setting *following;
};

// The number of bits of the number of blocks.
inline int class_of(const launch &l) {
  int result = 0;
  for (unsigned long long blocks = l.blocks(); blocks > 1; blocks /= 2)
    ++result;
  return result;
}

// A kernel whose launches choose.
class choice : public version {
public:
  template <class Kernel>
  choice(const char *name, Kernel *kernel, Kernel *other, unsigned warp_bytes,
         expectation expected, int conditions = 0, int carveout = as_needed)
      : choice(name, bodies(kernel, other), warp_bytes, expected, conditions,
               carveout) {}
  choice(const char *name, const bodies &both, unsigned warp_bytes,
         expectation expected, int conditions = 0, int carveout = as_needed)
      : version(name, both, warp_bytes, conditions, carveout),
        expected(expected) {
    choose = [](version &row, const launch &l, on_device *on) {
      return static_cast<choice &>(row).launch_chosen(l, on);
    };
    defers = comparison::at_first(expected) == comparison::original &&
             !(conditions & may_wait);
  }

  // The setting of a launch, if it has one.
  setting *find(const launch &l, int device) const;

private:
  enum { most_settings = 16 };

  static void print_choices(const version &row, FILE *to);
  comparison::outcome chosen_near(const setting &other) const;
  setting *make(const launch &l, int device);
  setting *lock(setting *s, const launch &l, int device);
  void await_times(setting &s) const;
  cudaError_t launch_chosen(const launch &l, on_device *on);
  cudaError_t launch_locked(setting &s, const launch &l, on_device *on);
  cudaError_t run_body(int body, const launch &l, on_device *on, setting *s);

  const expectation expected;
  std::atomic<setting *> settings{nullptr};
  int count = 0;                 // Of the settings.
  std::atomic<bool> busy{false}; // A thread makes one.
};

// --- What was chosen, for BANKSTRIPE_CHOICES ---------------------------------

inline const char *name_of(int outcome) {
  return outcome == comparison::version    ? "version"
         : outcome == comparison::original ? "original"
                                           : "open";
}

inline void choice::print_choices(const version &row, FILE *to) {
  const setting *s =
      row.choose ? static_cast<const choice &>(row).settings.load() : nullptr;
  for (; s; s = s->following) {
    const float original = s->rule.microseconds_of(comparison::original);
    const float other = s->rule.microseconds_of(comparison::version);
    const number ran = s->ran[comparison::version].load();
    row.print_kernel(to);
    fprintf(to,
            ", \"gpu\": \"%s\", \"architecture\": \"%s\", \"device\": %d, "
            "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"pairs\": %d, "
            "\"original_us\": %.6g, \"version_us\": %.6g, \"chosen\": "
            "\"%s\", \"ran_original\": %llu, \"ran_version\": %llu, "
            "\"waited_us\": %.6g, \"won_us\": %.6g}\n",
            s->gpu, s->architecture, s->device, s->grid.x, s->grid.y, s->grid.z,
            s->block.x, s->block.y, s->block.z, s->rule.pairs, original, other,
            name_of(s->chosen.load()), s->ran[comparison::original].load(), ran,
            s->waited.load() / 1e3, ran * (original - other));
  }
}

// --- Samples -----------------------------------------------------------------

// The id of the current context, which is another one after the device was
// reset: events from before may not be touched then. It is 0, and nothing is
// timed, where driver or toolkit are older than 12.0. (Of the default stream
// cudaStreamGetId would know as much, but ends the capture of another stream.)
inline unsigned long long current_context() {
  typedef int get_id(void *context, unsigned long long *id);
  static std::atomic<void *> known;
  void *found = known.load(std::memory_order_relaxed);
#if CUDART_VERSION >= 12000
  cudaDriverEntryPointQueryResult result;
  if (!found &&
#if CUDART_VERSION >= 12050
      did(cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000,
                                           cudaEnableDefault, &result)) &&
#else
      did(cudaGetDriverEntryPoint("cuCtxGetId", &found, cudaEnableDefault,
                                  &result)) &&
#endif
      result == cudaDriverEntryPointSuccess)
    known.store(found, std::memory_order_relaxed);
#endif
  unsigned long long id = 0;
  return found && !reinterpret_cast<get_id *>(found)(nullptr, &id) ? id : 0;
}

// What was under way before a reset of the device never comes back.
inline void enter(setting &s, unsigned long long context) {
  if (s.context == context)
    return;
  s.context = context;
  for (int i = 0; i < comparison::under_way; ++i) {
    s.before[i] = s.behind[i] = nullptr;
    s.is_timed[i] = false;
  }
}

inline void release_events(setting &s) {
  for (int i = 0; i < comparison::under_way; ++i)
    for (cudaEvent_t *event : {&s.before[i], &s.behind[i]}) {
      if (*event)
        did(cudaEventDestroy(*event));
      *event = nullptr;
    }
}

// Takes the times that have come back. Never waits.
inline void collect(setting &s) {
  while (s.rule.returned < s.rule.handed && !s.chosen.load()) {
    const int sample = s.rule.returned, place = sample % comparison::under_way;
    float milliseconds = -1;
    if (s.is_timed[place]) {
      const cudaError_t state = cudaEventQuery(s.behind[place]);
      if (!did(state) && state == cudaErrorNotReady)
        return;
      if (state != cudaSuccess ||
          !did(cudaEventElapsedTime(&milliseconds, s.before[place],
                                    s.behind[place])))
        milliseconds = -1;
    }
    const comparison::outcome outcome = s.rule.add(sample, milliseconds * 1000);
    s.leader.store(s.rule.leader, std::memory_order_relaxed);
    if (outcome != comparison::open) {
      release_events(s);
      s.chosen.store(outcome, std::memory_order_release);
    }
  }
}

} // namespace

namespace detail {

// How long this process has waited for times, in nanoseconds, by the launches
// of all files.
inline std::atomic<long long> &time_waited() {
  static std::atomic<long long> all;
  return all;
}

} // namespace detail

namespace {

// How long launches may wait for times: for a second in a process, or 5 % of
// the time since the first of them waited. Who waits for longer waits for a
// kernel that waits for the host: then nobody waits any more.
class patience {
  enum : long long { least = 1000000000, share = 20, over = 1ll << 60 };

  static long long now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  const long long begin = now();
  long long left;

public:
  patience() {
    static const long long first = begin;
    const long long part = (begin - first) / share;
    left = (part > least ? part : least) - detail::time_waited().load();
  }
  patience(const patience &) = delete;
  long long waited() const { return now() - begin; }
  bool lasts() const { return waited() < left; }
  ~patience() {
    if (left > 0)
      detail::time_waited() += lasts() ? waited() : over;
  }
};

// Waits until the times that are under way are back.
inline void choice::await_times(setting &s) const {
  if (conditions & may_wait)
    return;
  const patience waits;
  while (waits.lasts() && s.rule.is_under_way() && !s.chosen.load())
    collect(s);
  s.waited += waits.waited();
}

// Whether an event stands before the launch of a sample.
inline bool begin(setting &s, int place, cudaStream_t stream) {
  const relaxed_capture unharmed;
  return (s.before[place] || did(cudaEventCreate(&s.before[place]))) &&
         (s.behind[place] || did(cudaEventCreate(&s.behind[place]))) &&
         did(cudaEventRecord(s.before[place], stream));
}
inline bool end(setting &s, int place, cudaStream_t stream) {
  const relaxed_capture unharmed;
  return did(cudaEventRecord(s.behind[place], stream));
}

// --- One launch --------------------------------------------------------------

inline setting *choice::find(const launch &l, int device) const {
  const int grid_class = class_of(l);
  for (setting *s = settings.load(std::memory_order_acquire); s;
       s = s->following)
    if (s->grid_class == grid_class && s->device == device &&
        l.has_block(s->block))
      return s;
  return nullptr;
}

// What the setting that is most like another one has chosen, of those that
// have.
inline comparison::outcome choice::chosen_near(const setting &other) const {
  int result = comparison::open, least = 1 << 30;
  for (const setting *s = settings.load(); s; s = s->following) {
    const int distance = abs(s->grid_class - other.grid_class);
    if (s->device == other.device && distance < least && s->chosen.load()) {
      least = distance;
      result = s->chosen.load();
    }
  }
  return static_cast<comparison::outcome>(result);
}

// A setting for launches that were not seen before, if there is room and no
// other thread makes one.
inline setting *choice::make(const launch &l, int device) {
  if (busy.exchange(true, std::memory_order_acquire))
    return nullptr;
  setting *made = find(l, device);
  if (!made && count < most_settings) {
    made = new setting();
    made->device = device;
    made->grid_class = class_of(l);
    made->grid = l.grid;
    made->block = l.block;
    made->rule.begin(expected, chosen_near(*made));
    made->leader.store(made->rule.leader);
    cudaDeviceProp properties;
    if (is_asked_for<print_choices>("BANKSTRIPE_CHOICES") &&
        did(cudaGetDeviceProperties(&properties, device))) {
      snprintf(made->gpu, sizeof(made->gpu), "%.63s", properties.name);
      snprintf(made->architecture, sizeof(made->architecture), "sm_%d%d",
               properties.major, properties.minor);
    }
    put_first(settings, made);
    ++count;
  }
  busy.store(false, std::memory_order_release);
  return made;
}

// The setting of a launch that can be timed, for this thread alone; else null:
// where an error is left over from before, or the stream is captured, or
// another thread times a launch.
inline setting *choice::lock(setting *s, const launch &l, int device) {
  const relaxed_capture unharmed;
  cudaStreamCaptureStatus capturing;
  unsigned long long context = 0;
  if (cudaPeekAtLastError() != cudaSuccess ||
      !did(cudaStreamIsCapturing(l.stream, &capturing)) ||
      capturing != cudaStreamCaptureStatusNone ||
      !(context = current_context()) || (!s && !(s = make(l, device))) ||
      s->busy.exchange(true, std::memory_order_acquire))
    return nullptr;
  enter(*s, context);
  collect(*s);
  return s;
}

// So that no launch takes the time for it.
inline void load(const void *body) {
  const relaxed_capture unharmed;
  cudaFuncAttributes unused;
  did(cudaFuncGetAttributes(&unused, body));
}

// Runs the original or the version, and counts that for choices.
inline cudaError_t choice::run_body(int body, const launch &l, on_device *on,
                                    setting *s) {
  if (!on) // The first launch of all.
    body = comparison::original;
  if (s)
    ++s->ran[body];
  if (body == comparison::version)
    prepare(l, *on);
  return run(l, body == comparison::version ? ran_version : not_chosen);
}

inline cudaError_t choice::launch_locked(setting &s, const launch &l,
                                         on_device *on) {
  if (!s.chosen.load() && s.rule.awaits_times())
    await_times(s);
  const int chosen = s.chosen.load();
  const int sample = chosen ? -1 : s.rule.next();
  const int place = sample % comparison::under_way;
  const int body = chosen                         ? chosen
                   : sample < 0                   ? s.rule.leader
                   : s.rule.is_of_version(sample) ? comparison::version
                                                  : comparison::original;
  if (sample == 1)
    load(body == comparison::version ? both.version : both.original);
  const bool has_begun = sample >= 0 && begin(s, place, l.stream);
  const cudaError_t result = run_body(body, l, on, &s);
  if (sample >= 0)
    s.is_timed[place] =
        has_begun && result == cudaSuccess && end(s, place, l.stream);
  s.busy.store(false, std::memory_order_release);
  return result;
}

// Launches that cannot be timed run what is chosen, or leads.
inline cudaError_t choice::launch_chosen(const launch &l, on_device *on) {
  const int device = on ? on->device : current_device();
  setting *s = find(l, device);
  const int chosen = s ? s->chosen.load(std::memory_order_acquire)
                       : static_cast<int>(comparison::open);
  if (on && chosen != comparison::open &&
      !is_asked_for<print_choices>("BANKSTRIPE_CHOICES"))
    return settle(l, *on,
                  chosen == comparison::version ? ran_version : not_chosen);
  if (chosen != comparison::open)
    return run_body(chosen, l, on, s);
  if (setting *locked = lock(s, l, device))
    return launch_locked(*locked, l, on);
  return run_body(s ? int(s->leader.load())
                    : int(comparison::at_first(expected)),
                  l, on, s);
}

} // namespace
} // namespace bankstripe

#endif // __CUDACC__

} // extern "C++"

#pragma pack(pop)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif // __cplusplus
#endif // BANKSTRIPE_CHOOSE_CUH
