// What an estimator answers: a value, where the truth may lie, and from how many samples.
#pragma once

#include <cstddef>
#include <optional>

namespace transformeter {

/// The level of every interval here.
inline constexpr double kIntervalLevel = 0.95;

/// A two-sided 95 % interval, low ≤ high.
struct Interval {
  double low = 0;
  double high = 0;
};

struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  // none: the samples cannot carry one
  std::size_t n = 0;                 // samples the value was computed from
  // Of an estimate that is combined with others:
  int process = 0;                     // in which its samples were taken
  std::optional<double> start_s = {};  // when, from the start of the run
  double sampling_variance = 0;        // of the value, from the scatter of its samples alone; 0: not known
  bool has_heavy_tail = false;         // why a mean or ratio has no interval: one sample decides it (stats/mean.h)
  std::optional<double> weight = {};   // of a ratio its total denominator, so that several make total ÷ total
};

}  // namespace transformeter
