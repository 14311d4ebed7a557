// A finding of a training diagnosis: a pattern, the measurements that show it or its absence, and advice with the
// predicted gain.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "stats/estimate.h"

namespace transformeter {

/// A number that supports a statement: measured in a case or computed from measurements.
struct EvidenceFigure {
  std::string name;  // of the metric, or what was computed: "overhead_share"
  std::string unit;
  double value = 0;
  std::optional<Interval> interval;  // 95 %
  std::string case_id;               // empty: of several cases
};

enum class FindingState { kPresent, kAbsent, kNotDetermined };

/// "present", "absent", "not_determined".
std::string_view name_of(FindingState state);

/// The predicted ratio of a quantity after and before a change. Computed from measurements, and an upper bound if other
/// costs certainly take a part of it.
struct PredictedGain {
  std::string quantity;  // "throughput_samples", "peak_memory"
  double factor = 1;
  std::optional<Interval> interval;
  std::string formula;  // with the figures put in
  bool is_upper_bound = false;
};

struct Advice {
  std::string text;
  std::optional<PredictedGain> gain;
};

struct TrainingFinding {
  std::string pattern;  // "fixed_overhead", "saturation", ...
  FindingState state = FindingState::kNotDetermined;
  std::string statement;  // what the figures say; empty when not determined
  std::string reason;     // why it is not determined
  std::vector<EvidenceFigure> figures;
  std::vector<Advice> advice;
  std::vector<std::string> cases;  // ids
};

TrainingFinding not_determined(std::string_view pattern, std::string reason);

/// The metric's headline as a figure; nothing without a value. The interval is left out where the row has none.
std::optional<EvidenceFigure> measured_figure(const AnalyzedCase& the_case, std::string_view metric);

/// The same of a row of that case.
std::optional<EvidenceFigure> figure_of_row(const MetricRow& row, const std::string& case_id);

/// a ÷ b, from the lowest to the highest that both intervals allow (wider than a 95 % interval of the quotient; for
/// positive figures). No interval where either lacks one.
EvidenceFigure quotient_figure(std::string name, const EvidenceFigure& a, const EvidenceFigure& b);

/// Whether `one` is less than `other` by no more than the share `share`: whether it may be, by the favourable ends of
/// the intervals, and whether it must be, by the unfavourable ones. Without both intervals it may be, and need not.
bool may_be_within(const EvidenceFigure& one, const EvidenceFigure& other, double share);
bool must_be_within(const EvidenceFigure& one, const EvidenceFigure& other, double share);

/// Whether the interval of `one` lies below that of `other`, and its value by more than kNoiseThreshold
/// (compare_cases.h). Not without both intervals.
bool is_clearly_less(const EvidenceFigure& one, const EvidenceFigure& other);

/// "101 ms (98.0 ms to 104 ms)", "23.1 % (22.0 % to 24.2 %)" for a ratio, without an interval the value alone.
std::string figure_text(const EvidenceFigure& figure);

/// "23.1 %".
std::string percent_text(double ratio);

/// "8", "0.5": a number without needless digits.
std::string plain_number(double value);

}  // namespace transformeter
