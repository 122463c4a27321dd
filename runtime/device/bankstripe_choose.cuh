// bankstripe_choose.cuh - kernels that find out which version is faster
//
// Written by bankstripe beside the sources that it rewrote; host code only, for
// C++11 or newer. Regenerate it, do not edit it.
//
// A row of this kind (bankstripe_launch.cuh, which files include before) has
// the program choose, where the version can run:
//
//     static ::bankstripe::choice sum_row("sum", sum, sum_striped, 2112, true);
//
// Launches run the original and the version in turns, between two events, until
// it is clear which one is faster; then they run that. Each size of block and
// of grid is a choice of its own. `true` is the prediction, which decides where
// times cannot.
//
// The rule is `detail::comparison` below. It never waits for the GPU, it makes
// everything at the first launch that needs it, and leaves errors, captured
// streams and the order of launches as they are.
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

#include <math.h>

namespace bankstripe {
namespace detail {

// --- The rule ----------------------------------------------------------------

// Which of two kernels is faster, from the times of some launches.
//
// Launches are timed in pairs of neighbours, one of each kernel, in the order
// O V, V O, O V, ... What makes all launches slower from one to the next (a
// frontier that grows, a clock that falls) adds to every other logarithm of a
// ratio what it takes from the one after it. The first pair is dropped: it
// loads the kernels, and fills the caches.
//
// The logarithms r of the ratios decide as soon as their mean is away from 0 by
// more than 3 times their range over (n - 1), n being their number. That is
// Lord's test, which is Student's with the range in the place of the standard
// deviation. Half a microsecond, the resolution of events, counts as range.
// After `most_pairs` a third of that distance is enough, else the prediction
// decides. A factor of 2 in the dropped pair and in the next one decides at
// once: each further launch of the slower kernel costs that much.
//
// Times come back late where the host runs ahead of the GPU. At most two pairs
// are under way at once; meanwhile the original runs, so that a version which
// loses does not run more often. It runs at most `most_pairs` times before
// anything is decided, which bounds what trying it can cost. The original runs
// as often as the host is ahead: never slower than the program was.
struct comparison {
  enum { most_pairs = 13, under_way = 4 };
  enum outcome : unsigned char { open, original, version };

  // A sample is a launch that is timed; 2*p and 2*p + 1 are pair p.
  static bool is_of_version(int sample) { return (sample + 1) / 2 % 2 != 0; }

  // The number of the next sample, or -1 where the original runs untimed.
  int next() {
    if (handed == 2 * most_pairs ||
        (handed % 2 == 0 && handed + 2 > returned + under_way))
      return -1;
    return handed++;
  }

  // Samples come back in order. `microseconds` is negative for one that failed:
  // its pair does not count.
  outcome add(int sample, float microseconds) {
    ++returned;
    times[sample % 2] = microseconds;
    if (sample % 2 == 0)
      return open;
    if (times[0] > 0 && times[1] > 0)
      count(is_of_version(sample) ? times[0] : times[1],
            is_of_version(sample) ? times[1] : times[0], sample > 1);
    const bool last = returned == 2 * most_pairs;
    if (is_clear(last ? 1 : 3))
      return sum > 0 ? version : original;
    return !last ? open : predicted ? version : original;
  }

  float microseconds_of(outcome which) const {
    return pairs ? expf((which == version ? of_version : of_original) / pairs)
                 : 0;
  }

  bool predicted; // The version is expected to be the faster one.
  int handed, returned, pairs;
  float times[2];
  float dropped; // The logarithm of the ratio of the first pair.
  float sum, least, most, shortest;
  float of_original, of_version; // Sums of logarithms.

private:
  bool is_clear(float ranges) const {
    const float twice = logf(2);
    const float range = most - least + 0.5f / shortest;
    return (pairs == 1 && (sum > 0 ? fminf(sum, dropped) > twice
                                   : fmaxf(sum, dropped) < -twice)) ||
           (pairs > 1 && fabsf(sum / pairs) * (pairs - 1) > ranges * range);
  }

  void count(float original_time, float version_time, bool counts) {
    const float ratio = logf(original_time / version_time);
    if (!counts) {
      dropped = ratio;
      return;
    }
    least = pairs && least < ratio ? least : ratio;
    most = pairs && most > ratio ? most : ratio;
    shortest = pairs && shortest < original_time ? shortest : original_time;
    shortest = shortest < version_time ? shortest : version_time;
    sum += ratio;
    of_original += logf(original_time);
    of_version += logf(version_time);
    ++pairs;
  }
};

} // namespace detail
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
  std::atomic<unsigned char> chosen;    // A comparison::outcome.
  std::atomic<bool> busy; // A thread is at work with what can change.
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
         bool predicted, int conditions = 0, int carveout = as_needed)
      : choice(name, bodies(kernel, other), warp_bytes, predicted, conditions,
               carveout) {}
  choice(const char *name, const bodies &both, unsigned warp_bytes,
         bool predicted, int conditions = 0, int carveout = as_needed)
      : version(name, both, warp_bytes, conditions, carveout),
        predicted(predicted) {
    choose = [](version &row, const launch &l, on_device &on) {
      return static_cast<choice &>(row).launch_chosen(l, on);
    };
  }

  // The setting of a launch, if it has one.
  setting *find(const launch &l, int device) const;

private:
  enum { most_settings = 16 };

  static void print_choices(const version &row, FILE *to);
  setting *make(const launch &l, int device);
  setting *lock(setting *s, const launch &l, int device);
  cudaError_t launch_chosen(const launch &l, on_device &on);
  cudaError_t launch_locked(setting &s, const launch &l, on_device &on);

  const bool predicted;
  std::atomic<setting *> settings{nullptr};
  int count = 0;                 // Of the settings.
  std::atomic<bool> busy{false}; // A thread makes one.
};

// --- What was chosen, for BANKSTRIPE_CHOICES ---------------------------------

inline void choice::print_choices(const version &row, FILE *to) {
  const setting *s =
      row.choose ? static_cast<const choice &>(row).settings.load() : nullptr;
  for (; s; s = s->following) {
    const int chosen = s->chosen.load();
    row.print_kernel(to);
    fprintf(to,
            ", \"gpu\": \"%s\", \"architecture\": \"%s\", \"device\": %d, "
            "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"pairs\": %d, "
            "\"original_us\": %.6g, \"version_us\": %.6g, \"chosen\": "
            "\"%s\"}\n",
            s->gpu, s->architecture, s->device, s->grid.x, s->grid.y, s->grid.z,
            s->block.x, s->block.y, s->block.z, s->rule.pairs,
            s->rule.microseconds_of(comparison::original),
            s->rule.microseconds_of(comparison::version),
            chosen == comparison::version    ? "version"
            : chosen == comparison::original ? "original"
                                             : "open");
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
    if (outcome != comparison::open) {
      release_events(s);
      s.chosen.store(outcome, std::memory_order_release);
    }
  }
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
    made->rule.predicted = predicted;
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

inline cudaError_t choice::launch_locked(setting &s, const launch &l,
                                         on_device &on) {
  const int sample = s.chosen.load() ? -1 : s.rule.next();
  const int place = sample % comparison::under_way;
  const bool runs_version = s.chosen.load() == comparison::version ||
                            comparison::is_of_version(sample);
  if (runs_version)
    prepare(l, on);
  const bool has_begun = sample >= 0 && begin(s, place, l.stream);
  const cudaError_t result = run(l, runs_version ? ran_version : not_chosen);
  if (sample >= 0)
    s.is_timed[place] =
        has_begun && result == cudaSuccess && end(s, place, l.stream);
  s.busy.store(false, std::memory_order_release);
  return result;
}

inline cudaError_t choice::launch_chosen(const launch &l, on_device &on) {
  setting *s = find(l, on.device);
  const int chosen = s ? s->chosen.load(std::memory_order_acquire)
                       : static_cast<int>(comparison::open);
  if (chosen != comparison::open)
    return settle(l, on,
                  chosen == comparison::version ? ran_version : not_chosen);
  if ((s = lock(s, l, on.device)))
    return launch_locked(*s, l, on);
  return run(l, not_chosen);
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
