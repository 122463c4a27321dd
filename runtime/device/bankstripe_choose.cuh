// bankstripe_choose.cuh - kernels that find out which version is faster
//
// Written by bankstripe beside the sources that it rewrote; host code only, for
// C++11 or newer. Regenerate it, do not edit it.
//
// A launch of a kernel that has a version beside it becomes
//
//     ::bankstripe::chosen<decltype(sum), sum, sum_striped>()<<<
//         grid, block,
//         ::bankstripe::choose<decltype(sum), sum, sum_striped>(true, grid,
//                                                               block, 0,
//                                                               stream),
//         stream>>>(in, out);
//
// choose() makes an object that lives until the launch is in its stream. It
// records an event before the launch and one behind it while both kernels are
// compared, and does nothing once one of them is chosen. chosen() is the kernel
// that this object says.
//
// The rule is `detail::comparison` below. It never waits for the GPU, it makes
// everything at the first launch that needs it, and leaves errors, captured
// streams and the order of launches as they are.
//
//     BANKSTRIPE_CHOICE=original, =version   run that one, compare nothing
//     BANKSTRIPE_CHOICES=FILE                append what was chosen, as JSON
//                                            lines, when the program ends
#ifndef BANKSTRIPE_CHOOSE_CUH
#define BANKSTRIPE_CHOOSE_CUH
#ifdef __cplusplus // Compilers for C may read a header that includes it.

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

#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace bankstripe {
namespace detail {

// --- What is known of one kernel ---------------------------------------------

// Launches that do the same work, as far as anybody can see: one device, one
// block, and grids within a factor of two.
struct setting {
  int device;
  unsigned long long context; // In which the events are, see current_context.
  dim3 grid, block;           // Of its first launch.
  int grid_class;
  comparison rule;
  cudaEvent_t before[comparison::under_way], behind[comparison::under_way];
  bool enqueued[comparison::under_way]; // Both events are in a stream.
  bool failed[comparison::under_way];   // There is nothing to wait for.
  char gpu[64], architecture[8];        // Its name, and `sm_90`; for choices.
  std::atomic<unsigned char> chosen;    // A comparison::outcome.
  std::atomic<bool> busy;               // A thread is at work with the above.
};

// All settings of one kernel. It begins as zeros, and is never destroyed.
struct choices {
  setting all[16];
  std::atomic<int> count;
  std::atomic<bool> busy;
  const char *kernel; // `... [with ...; Original = sum<16>; ...]`.
  choices *following; // In the list of those that are written.
};

inline int class_of(dim3 grid) {
  int result = 0;
  for (unsigned long long blocks = 1ull * grid.x * grid.y * grid.z; blocks > 1;
       blocks /= 2)
    ++result;
  return result;
}

inline setting *find(choices &kernel, int device, int grid_class, dim3 block) {
  const int count = kernel.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    setting &s = kernel.all[i];
    if (s.grid_class == grid_class && s.device == device &&
        s.block.x == block.x && s.block.y == block.y && s.block.z == block.z)
      return &s;
  }
  return nullptr;
}

// --- What was chosen, for BANKSTRIPE_CHOICES ---------------------------------

inline std::atomic<choices *> &written_at_exit() {
  static std::atomic<choices *> first;
  return first;
}

// The kernel's name in what a compiler prints of a function template.
inline void print_kernel(FILE *file, const char *function) {
  const char *begin = strstr(function, "Original = ");
  begin = begin ? begin + strlen("Original = ") : function;
  begin += *begin == '&';
  int depth = 0;
  for (; *begin && *begin != ']'; ++begin) {
    depth += (*begin == '<') - (*begin == '>');
    if (depth <= 0 && (*begin == ';' || *begin == ','))
      break;
    if (*begin == '"' || *begin == '\\')
      fputc('\\', file);
    fputc(*begin, file);
  }
}

inline void write_choices() {
  FILE *file = fopen(getenv("BANKSTRIPE_CHOICES"), "a");
  if (!file)
    return;
  for (choices *k = written_at_exit().load(); k; k = k->following)
    for (int i = 0; i < k->count.load(); ++i) {
      const setting &s = k->all[i];
      const int chosen = s.chosen.load();
      fprintf(file, "{\"kernel\": \"");
      print_kernel(file, k->kernel);
      fprintf(file,
              "\", \"gpu\": \"%s\", \"architecture\": \"%s\", "
              "\"device\": %d, \"grid\": [%u, %u, %u], \"block\": [%u, %u, "
              "%u], \"pairs\": %d, \"original_us\": %.6g, "
              "\"version_us\": %.6g, \"chosen\": \"%s\"}\n",
              s.gpu, s.architecture, s.device, s.grid.x, s.grid.y, s.grid.z,
              s.block.x, s.block.y, s.block.z, s.rule.pairs,
              s.rule.microseconds_of(comparison::original),
              s.rule.microseconds_of(comparison::version),
              chosen == comparison::version    ? "version"
              : chosen == comparison::original ? "original"
                                               : "open");
    }
  fclose(file);
}

inline void write_at_exit(choices &kernel, const char *function) {
  kernel.kernel = function;
  kernel.following = written_at_exit().load();
  while (!written_at_exit().compare_exchange_weak(kernel.following, &kernel))
    ;
  static std::atomic<bool> registered;
  if (!registered.exchange(true))
    atexit(write_choices);
}

// --- Samples -----------------------------------------------------------------

// While it lives, what this thread asks of the runtime disturbs no stream that
// another one captures.
class relaxed_capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

public:
  relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  relaxed_capture(const relaxed_capture &) = delete;
};

// Whether a call did what it should. There was no error before it, so one that
// it left is taken back.
inline bool did(cudaError_t result) {
  if (result != cudaSuccess)
    cudaGetLastError();
  return result == cudaSuccess;
}

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
  for (int i = 0; i < comparison::under_way && s.context; ++i) {
    s.before[i] = s.behind[i] = nullptr;
    s.failed[i] = true;
  }
  s.context = context;
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
    if (!s.failed[place]) {
      if (!s.enqueued[place])
        return;
      const cudaError_t state = cudaEventQuery(s.behind[place]);
      if (!did(state) && state == cudaErrorNotReady)
        return;
      if (state != cudaSuccess ||
          !did(cudaEventElapsedTime(&milliseconds, s.before[place],
                                    s.behind[place])))
        milliseconds = -1;
    }
    s.enqueued[place] = s.failed[place] = false;
    const comparison::outcome outcome = s.rule.add(sample, milliseconds * 1000);
    if (outcome != comparison::open) {
      release_events(s);
      s.chosen.store(outcome, std::memory_order_release);
    }
  }
}

// A setting for launches that were not seen before, if there is room. One
// thread at a time calls it.
inline setting *add_setting(choices &kernel, int device, dim3 grid, dim3 block,
                            bool predicted, const char *function) {
  const int count = kernel.count.load();
  if (count == sizeof(kernel.all) / sizeof(kernel.all[0]) ||
      find(kernel, device, class_of(grid), block))
    return nullptr;
  setting &s = kernel.all[count];
  s.device = device;
  s.grid = grid;
  s.block = block;
  s.grid_class = class_of(grid);
  s.rule.predicted = predicted;
  if (getenv("BANKSTRIPE_CHOICES")) {
    cudaDeviceProp properties;
    if (did(cudaGetDeviceProperties(&properties, device))) {
      strncpy(s.gpu, properties.name, sizeof(s.gpu) - 1);
      snprintf(s.architecture, sizeof(s.architecture), "sm_%d%d",
               properties.major, properties.minor);
    }
    if (!count)
      write_at_exit(kernel, function);
  }
  kernel.count.store(count + 1, std::memory_order_release);
  return &s;
}

// What BANKSTRIPE_CHOICE says, asked for once.
inline comparison::outcome pinned() {
  static std::atomic<unsigned char> known; // One more than the outcome.
  if (!known.load(std::memory_order_relaxed)) {
    const char *asked = getenv("BANKSTRIPE_CHOICE");
    known.store(1 + (!asked                       ? comparison::open
                     : !strcmp(asked, "original") ? comparison::original
                     : !strcmp(asked, "version")  ? comparison::version
                                                  : comparison::open));
  }
  return static_cast<comparison::outcome>(known.load() - 1);
}

// The device of this thread, or -1. Programs that see one device are not asked
// again: the answer would take longer than all that a decided launch does.
inline int current_device() {
  static std::atomic<int> seen; // 0 while nobody has asked.
  int count = seen.load(std::memory_order_relaxed), device = 0;
  if (!count && cudaGetDeviceCount(&count) == cudaSuccess)
    seen.store(count, std::memory_order_relaxed);
  return count == 1 || cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

// --- One launch --------------------------------------------------------------

// Which kernel one launch runs. It lives until the launch is in its stream.
class launch {
public:
  bool runs_version = false;
  launch *const outer; // The launch of this kernel that waits for this one.

  launch(choices &kernel, bool predicted, dim3 grid, dim3 block,
         cudaStream_t into, launch *&innermost, const char *function)
      : outer(innermost), stream(into), inner(innermost) {
    inner = this;
    int device = 0;
    if (const comparison::outcome fixed = pinned()) {
      runs_version = fixed == comparison::version;
    } else if ((device = current_device()) >= 0) {
      setting *known = find(kernel, device, class_of(grid), block);
      if (known && known->chosen.load(std::memory_order_acquire))
        runs_version = known->chosen.load() == comparison::version;
      else
        sample_with(kernel, known, predicted, device, grid, block, function);
    }
  }

  ~launch() {
    inner = outer;
    if (place < 0)
      return;
    const relaxed_capture unharmed;
    const bool started = cudaPeekAtLastError() == cudaSuccess &&
                         did(cudaEventRecord(sampled->behind[place], stream));
    (started ? sampled->enqueued : sampled->failed)[place] = true;
    sampled->busy.store(false, std::memory_order_release);
  }

  launch(const launch &) = delete;

private:
  // Where an error is left over from before, or the stream is captured, the
  // launch is not timed. Nor is it where another thread times one.
  void sample_with(choices &kernel, setting *known, bool predicted, int device,
                   dim3 grid, dim3 block, const char *function) {
    const relaxed_capture unharmed;
    cudaStreamCaptureStatus capturing;
    unsigned long long context = 0;
    if (cudaPeekAtLastError() != cudaSuccess ||
        !did(cudaStreamIsCapturing(stream, &capturing)) ||
        capturing != cudaStreamCaptureStatusNone ||
        !(context = current_context()))
      return;
    if (!known && !kernel.busy.exchange(true, std::memory_order_acquire)) {
      known = add_setting(kernel, device, grid, block, predicted, function);
      kernel.busy.store(false, std::memory_order_release);
    }
    if (!known || known->busy.exchange(true, std::memory_order_acquire))
      return;
    enter(*known, context);
    collect(*known);
    runs_version = known->chosen.load() == comparison::version;
    const int sample = known->chosen.load() ? -1 : known->rule.next();
    if (sample >= 0 && begin(*known, sample))
      return; // The destructor unlocks it.
    known->busy.store(false, std::memory_order_release);
  }

  bool begin(setting &s, int sample) {
    const int at = sample % comparison::under_way;
    if ((s.before[at] || did(cudaEventCreate(&s.before[at]))) &&
        (s.behind[at] || did(cudaEventCreate(&s.behind[at]))) &&
        did(cudaEventRecord(s.before[at], stream))) {
      runs_version = comparison::is_of_version(sample);
      sampled = &s;
      place = at;
      return true;
    }
    s.failed[at] = true;
    return false;
  }

  const cudaStream_t stream;
  launch *&inner;
  setting *sampled = nullptr;
  int place = -1;
};

// The launch whose arguments this thread evaluates.
template <class Kernel, Kernel *Original, Kernel *Version>
inline launch *&innermost_launch() {
  static thread_local launch *innermost;
  return innermost;
}

template <class Kernel, Kernel *Original, Kernel *Version>
inline choices &choices_of() {
  static choices all;
  return all;
}

} // namespace detail

// The dynamic shared memory of a launch, and which kernel it runs.
class choice {
  detail::launch here;
  size_t bytes;

public:
  template <class Bytes, class... Rest>
  choice(Bytes needed, Rest &&...rest)
      : here(static_cast<Rest &&>(rest)...), bytes(needed(here.runs_version)) {}
  operator size_t() const { return bytes; }
};

namespace detail {

// What decltype says of a function: in templates, some compilers add a `&`.
template <class Function> struct function_type {
  typedef Function type;
};
template <class Function> struct function_type<Function &> {
  typedef Function type;
};

} // namespace detail

#define BANKSTRIPE_KERNELS                                                     \
  template <class Function,                                                    \
            typename detail::function_type<Function>::type *Original,          \
            typename detail::function_type<Function>::type *Version>
#define BANKSTRIPE_CHOICE_OF(bytes)                                            \
  typedef typename detail::function_type<Function>::type Kernel;               \
  return {                                                                     \
    bytes, detail::choices_of<Kernel, Original, Version>(), predicted, grid,   \
        block, stream, detail::innermost_launch<Kernel, Original, Version>(),  \
        __PRETTY_FUNCTION__                                                    \
  }

// The kernel that the launch runs whose configuration choose() is in.
BANKSTRIPE_KERNELS inline typename detail::function_type<Function>::type *
chosen() {
  typedef typename detail::function_type<Function>::type Kernel;
  const detail::launch *here =
      detail::innermost_launch<Kernel, Original, Version>();
  return here && here->runs_version ? Version : Original;
}

// A launch that needs `own` bytes of dynamic shared memory, with either kernel.
BANKSTRIPE_KERNELS inline choice choose(bool predicted, dim3 grid, dim3 block,
                                        size_t own, cudaStream_t stream) {
  BANKSTRIPE_CHOICE_OF([=](bool) { return own; });
}

// The same where the version also has storage of its own: `needed`, which is
// KERNEL_shared_bytes, says what it asks for in all. As ever, a grid in another
// stream than the default one does not tell how many blocks run at once.
BANKSTRIPE_KERNELS inline choice choose(bool predicted, dim3 grid, dim3 block,
                                        size_t own, cudaStream_t stream,
                                        size_t (*needed)(dim3, size_t)) {
  BANKSTRIPE_CHOICE_OF([=](bool runs_version) {
    return runs_version ? needed(block, own) : own;
  });
}
BANKSTRIPE_KERNELS inline choice choose(bool predicted, dim3 grid, dim3 block,
                                        size_t own, cudaStream_t stream,
                                        size_t (*needed)(dim3, dim3, size_t)) {
  BANKSTRIPE_CHOICE_OF([=](bool runs_version) {
    return runs_version ? needed(stream ? dim3(0) : grid, block, own) : own;
  });
}

#undef BANKSTRIPE_KERNELS
#undef BANKSTRIPE_CHOICE_OF

} // namespace bankstripe

#endif // __CUDACC__

} // extern "C++"

#pragma pack(pop)

#endif // __cplusplus
#endif // BANKSTRIPE_CHOOSE_CUH
