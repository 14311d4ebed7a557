// Counted events of a pass as people read them, and what follows from them: instructions per cycle, clock rate, rates
// of misses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/event_counts.h"

namespace transformeter {

/// A ratio of two counts, or of a count and the latency of a pass.
struct CounterFigure {
  std::string_view name;   // "cycles_per_s"
  std::string_view label;  // "clock rate"
  std::string_view event;  // beside which it is shown
  std::optional<double> value;
  std::string text;  // "2.31 GHz"; empty without a value
};

/// Always the same figures in the same order, without a value where a count is missing. `pass_s`: mean latency of a
/// pass without the profiler.
std::vector<CounterFigure> counter_figures(const std::vector<EventCount>& events, std::optional<double> pass_s);

/// Mean of Profile::unprofiled_s; nothing without any.
std::optional<double> unprofiled_mean_s(const std::vector<double>& unprofiled_s);

/// "cache misses" of "cache_misses", "CPU time" of "task_clock_s".
std::string counter_label(std::string_view name);
/// "1.23 G", "15.0 ms", "2.00 MiB": by the unit in the name, counts with decimal prefixes.
std::string counter_text(std::string_view name, double value);

/// A count or a figure that two profiles have.
struct ComparedCounter {
  std::string name;
  std::string before;
  std::string after;
  std::optional<double> change_ratio;  // after ÷ before − 1; nothing where before is 0
};

/// Counts in the order of `after`, then figures; of those that both have.
std::vector<ComparedCounter> compared_counters(const std::vector<EventCount>& before, std::optional<double> before_s,
                                               const std::vector<EventCount>& after, std::optional<double> after_s);

}  // namespace transformeter
