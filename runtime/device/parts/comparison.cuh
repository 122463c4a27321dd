// comparison.cuh - the rule by which launches choose between two kernels
#ifndef BANKSTRIPE_COMPARISON
#define BANKSTRIPE_COMPARISON
// What is predicted of a version: gains does so even in the worst case.
enum expectation : int { loses, may_gain, gains };

namespace detail {

// Which of two kernels is faster, from the times of some launches.
//
// One of them leads: it runs wherever nothing is tried. At first that is the
// original, unless the version is predicted to gain even in the worst case;
// then it is the one for which the times speak.
//
// Launches are timed in pairs of neighbours, one of each kernel, in the order
// L T, T L, L T, ... where L leads at first. What makes all launches slower
// from one to the next (a frontier that grows, a clock that falls) adds to
// every other logarithm of a ratio what it takes from the one after it. The
// first pair is dropped, since it fills the caches, unless the kernel was
// compared before, in another setting. The very first launch, which loads the
// kernel and makes room for its stack, is no sample, unless it takes so long
// that this is little of it.
//
// The logarithms r of the ratios decide as soon as their mean is away from 0 by
// more than 3 times their range over (n - 1), n being their number. That is
// Lord's test, which is Student's with the range in the place of the standard
// deviation. Half a microsecond, the resolution of events, counts as range.
// These decide at once, since each further launch of the slower kernel costs
// as much: a factor of 2 in the dropped pair against the kernel that does not
// lead; one in both the dropped pair and the next one; and a pair that agrees
// with the other setting.
//
// What trying costs is bounded. The kernel that does not lead has to be loaded
// and timed, and may run for longer. It is tried twice at first, if launches
// take so long that this costs little, and the first time did not take 1.25
// times as long; else, and after that, where all that was lost is less than 3 %
// of what the first 333 launches have taken, or 1 % of what all have. After
// `most_pairs` a third of the distance is enough, else the prediction decides.
struct comparison {
  enum { most_pairs = 13, under_way = 2, first_launches = 333, long_ago = 20 };
  enum outcome : unsigned char { open, original, version };

  // In microseconds, on an H200: loading a kernel, and a pair of timed launches
  // that the next launch waits for.
  static constexpr float loading() { return 200; }
  static constexpr float timing() { return 20; }
  static constexpr float long_for_a_first() { return 10000; }

  // What leads while there are no times.
  static outcome at_first(expectation what) {
    return what == gains ? version : original;
  }

  // Begins with what is predicted, and with what another setting has decided.
  void begin(expectation what, outcome other_setting) {
    expected = what;
    known = other_setting;
    first = leader = known != open ? known : at_first(what);
  }

  // A sample is a launch that is timed; 2*p and 2*p + 1 are pair p.
  bool is_of_version(int sample) const {
    return ((sample + 1) / 2 % 2 != 0) == (first == original);
  }

  // The number of the next sample, or -1 where the leader runs untimed.
  int next() {
    const bool completes_pair = handed % 2 && handed > 1;
    const float time = usual();
    if (!completes_pair && (is_under_way() || handed == 2 * most_pairs ||
                            (handed && !is_affordable()))) {
      ++untimed;
      spend(time);
      return -1;
    }
    if (handed == 1 && untimed > long_ago && !is_renewed) {
      is_renewed = true;
      handed = returned = 0;
    }
    return handed++;
  }
  bool is_under_way() const { return returned < handed; }
  // Whether the next launch would learn something from times on their way.
  bool awaits_times() const {
    return is_under_way() && (handed % 2 == 0 || handed == 1);
  }

  // Samples come back in order. `microseconds` is negative for one that failed:
  // its pair does not count.
  outcome add(int sample, float microseconds) {
    ++returned;
    times[sample % 2] = microseconds;
    const bool is_cold =
        known == open && !has_begun && microseconds < long_for_a_first();
    has_begun = true;
    if (sample == 0 && (microseconds <= 0 || is_cold)) {
      handed = returned = 0; // Once more.
      return open;
    }
    spend(microseconds);
    if (sample % 2 == 0)
      return open;
    lost += timing() + (sample == 1 && known == open ? loading() : 0);
    if (times[0] > 0 && times[1] > 0)
      count(is_of_version(sample) ? times[0] : times[1],
            is_of_version(sample) ? times[1] : times[0],
            sample > 1 || known != open);
    const bool last = returned == 2 * most_pairs;
    if (pairs ? is_clear(last ? 1 : 3) : is_hopeless())
      return leader;
    return !last ? open : expected == loses ? original : version;
  }

  float microseconds_of(outcome which) const {
    return pairs ? expf((which == version ? of_version : of_original) / pairs)
                 : 0;
  }

  expectation expected;
  outcome known, first, leader;
  int handed, returned, pairs;
  float times[2];
  int launches, untimed;      // All, and those that are no samples.
  bool has_begun;             // One has come back.
  bool is_renewed;            // The first sample was taken once more.
  double spent, lost, budget; // By all launches, in microseconds.
  float dropped;              // The logarithm of the ratio of the first pair.
  float sum, least, most, shortest;
  float of_original, of_version; // Sums of logarithms.

private:
  // How long a launch of the leader takes.
  float usual() const {
    return pairs                           ? microseconds_of(leader)
           : handed < 2 || leader == first ? times[0]
                                           : times[1];
  }

  void spend(float time) {
    spent += time > 0 ? time : 0;
    if (++launches <= first_launches)
      budget = spent * 0.03;
    else if (spent * 0.01 > budget)
      budget = spent * 0.01;
  }

  bool is_affordable() const {
    const bool is_long = usual() >= (expected == loses ? 100 : 30);
    const float more =
        pairs ? fabsf(microseconds_of(original) - microseconds_of(version))
        : handed > 1 ? fabsf(times[0] - times[1])
                     : usual() + (known == open ? loading() : 0);
    return (is_long && (handed < 2 || (handed < 4 && is_near()))) ||
           lost + more + timing() <= budget;
  }

  // Whether the kernel that did not lead took twice as long in the first pair,
  // or less than 1.25 times as long.
  bool is_hopeless() const { return behind() > logf(2); }
  bool is_near() const { return behind() < logf(1.25f); }
  float behind() const { return first == original ? -dropped : dropped; }

  bool is_clear(float ranges) const {
    const float twice = logf(2);
    const float range = most - least + 0.5f / shortest;
    return pairs > 1
               ? fabsf(sum / pairs) * (pairs - 1) > ranges * range
               : leader == known || (sum > 0 ? fminf(sum, dropped) > twice
                                             : fmaxf(sum, dropped) < -twice);
  }

  void count(float original_time, float version_time, bool counts) {
    const float ratio = logf(original_time / version_time);
    lost += fabsf(original_time - version_time);
    if (!counts) {
      dropped = ratio;
      if (fabsf(ratio) > logf(2))
        leader = ratio > 0 ? version : original;
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
    leader = sum > 0 ? version : original;
  }
};

} // namespace detail
#endif // BANKSTRIPE_COMPARISON
