// Runs on a simulated machine, visited as src/command/run/runner.cpp does, and what `show` then says of their cases.
#pragma once

#include <vector>

#include "base/random.h"
#include "coverage/noise.h"
#include "metrics/case_metrics.h"
#include "metrics/quads.h"

namespace transformeter {

/// Cases of these batch times in slices of half a second: eight rounds back and forth, then the widest, until every
/// half-width meets the target or the case's time is used up.
std::vector<CaseRecord> simulated_run(const NoiseModel& model, const std::vector<double>& batch_s,
                                      RandomStream& random);

/// The same in rounds alone, all cases in turn, for so long, as with a budget that planned slices use up. With moods of
/// all cases the intervals know `independent_slices`.
enum class Moods { kOfAllCases, kUnknown };
std::vector<CaseRecord> simulated_rounds(const NoiseModel& model, const std::vector<double>& batch_s, double seconds,
                                         Moods moods, RandomStream& random);

/// The first case is the baseline of all others: after the eight rounds there are further quads of it and those whose
/// comparison is undecided, until all are decided or their time is used up. The answers, in the order of the cases.
std::vector<SpeedAnswer> simulated_comparison(const NoiseModel& model, const std::vector<double>& batch_s,
                                              RandomStream& random);

/// A live comparison as `compare --live` measures it: pairs of processes that differ by a lognormal factor each, until
/// the answer is decided or three minutes are over. `ratio`: time of the second case ÷ time of the first.
struct SimulatedLive {
  SpeedAnswer answer = SpeedAnswer::kUndecided;
  double took_s = 0;
};
struct LivePair {
  double batch_s = 0;
  double ratio = 1;
  double process_deviation = 0;  // of the factor's logarithm
};
SimulatedLive simulated_live(const NoiseModel& model, const LivePair& pair, RandomStream& random);

/// One case in windows of `seconds` that follow each other, each in a process of its own, as before there were slices.
CaseRecord simulated_windows(const NoiseModel& model, double batch_s, std::size_t windows, double seconds,
                             RandomStream& random);

/// Of many cases of one kind: how many rows are valid, and how many of these hold the truth.
class ValidCoverage {
 public:
  /// `half_width` is relative to the truth.
  void add(bool is_valid, const Interval& interval, double truth);
  /// The headline and verdict of an analysis; without an interval it is not valid. `single_window` does not count, so
  /// that windows can be judged as they were before that reason.
  void add(const CaseAnalysis& analysis, double truth);

  void add(const ValidCoverage& others);

  std::size_t asked() const { return asked_; }
  std::size_t valid() const { return valid_; }
  std::size_t wrong() const { return valid_ - covered_; }
  double valid_share() const { return share(valid_, asked_); }
  /// Of the valid ones; 1 for none.
  double share_covered() const { return valid_ == 0 ? 1 : share(covered_, valid_); }
  /// Mean of the valid ones' half-widths, relative to the truth.
  double half_width() const { return valid_ == 0 ? 0 : half_widths_ / static_cast<double>(valid_); }

 private:
  static double share(std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  std::size_t asked_ = 0;
  std::size_t valid_ = 0;
  std::size_t covered_ = 0;
  double half_widths_ = 0;
};

}  // namespace transformeter
