// When a measurement has enough samples: counted, precise enough, or out of time.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "stats/estimate.h"

namespace transformeter {

/// Complete cycles behind an interval over them.
inline constexpr std::size_t kFewestCycles = 6;

struct StoppingOptions {
  std::size_t min_samples = 10;            // never fewer, but for a hard limit or an exact count; at least 1
  std::size_t target_samples = 20;         // K = 1: fewer cannot show their own dependence, and so meet no target
  double min_time_s = 1;                   // nor less time than this, likewise
  double target = 0.02;                    // relative half-width of the 95 % interval that is precise enough
  double limit_s = 30;                     // time at which to stop although the target is not met
  bool hard_limit = false;                 // false: at the limit, min_samples and min_cycles are still waited for
  std::size_t min_cycles = kFewestCycles;  // with more than one batch per cycle: complete cycles before any stop; ≥ 2
  std::optional<double> slice_s;           // a slice: so long, then to the end of the unit or cycle; nothing is judged
  std::size_t slice_samples = 2;           // and at least this many samples
  std::optional<std::size_t> exact_count;  // stop at so many samples and look at nothing else but a hard limit
};

enum class StopDecision { kContinue, kTargetMet, kLimitReached, kCountReached, kSliceDone };

/// "continue", "target_met", "limit_reached", "count_reached", "slice_done".
std::string_view name_of(StopDecision decision);

/// Fed with every sample in order; has no clock. With one batch per cycle it judges the median of the steady window;
/// with K > 1, whose samples differ by design, the t interval of the mean cycle time over complete cycles.
/// It looks at min_samples · √2ᵏ samples from target_samples on (20, 28, 40, ...) or at min_cycles · √2ᵏ cycles (6, 8,
/// 12, 17, ...). Two looks in a row must meet the target: an interval that is narrow once may be so because the
/// dependence, or of few cycles the scatter, came out too low. It stops at no look before min_time_s, and in between
/// only appends, so that a sample costs nanoseconds; a look costs about 0.1 µs per sample so far. Any input ends:
/// zeros, NaN and constant durations reach a target or the limit. Not thread-safe.
class StoppingRule {
 public:
  /// Throws Error (kBadInput) for options out of range: a target, limit or time that is negative or not finite, a
  /// count of 0, fewer than 2 cycles, 0 batches.
  explicit StoppingRule(const StoppingOptions& options, std::size_t batches_per_cycle = 1);

  /// `duration_s` is the sample's own time, `elapsed_s` the time since measuring began, harness included.
  /// `batch_index` < batches_per_cycle is the sample's place in the cycle; a cycle ends with its last index, and counts
  /// only when all of its samples came. With K > 1 every stop but the hard limit's and the exact count's waits for the
  /// end of the cycle.
  StopDecision add(double duration_s, double elapsed_s, std::size_t batch_index = 0);

  std::size_t samples() const { return samples_; }
  std::size_t cycles() const { return batches_per_cycle_ > 1 ? judged_.size() : samples_; }

  /// The interval of what was judged, over all samples so far, whether or not it is time to look.
  std::optional<Estimate> estimate() const;

 private:
  bool time_to_look();
  bool meets_target();

  StoppingOptions options_;
  std::size_t batches_per_cycle_;
  std::size_t samples_ = 0;
  std::vector<double> judged_;  // sample durations for K = 1, totals of complete cycles for K > 1
  double cycle_total_ = 0;
  std::size_t cycle_samples_ = 0;
  std::size_t looks_ = 0;
  std::size_t next_look_;
  bool met_before_ = false;  // at the look before
};

}  // namespace transformeter
