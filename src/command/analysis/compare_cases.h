// Whether one stored case is faster than another of the same workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "metrics/quads.h"

namespace transformeter {

/// Replicates with which stored cases are compared: fewer hold too little between-process variance.
inline constexpr std::size_t kMinReplicatesToCompare = 3;

/// The ratio of the values of two rows, which are positive and have t intervals over replicates. Its interval is around
/// the difference of the logarithms of the intervals' centres, each with the standard error that its interval implies,
/// on Welch's degrees of freedom, and holds the ratio. Replicates are not paired by index: docs/metrics.md says why.
Quotient quotient_of(const MetricRow& baseline, const MetricRow& candidate);

/// Why the row, of the case `one`, cannot be part of a quotient: no positive value (of `what`), fewer than three
/// replicates, fewer of them with a value, or no interval over them, as of percentiles; empty when it can.
std::string why_no_quotient(const MetricRow* row, const AnalyzedCase& one, std::string_view what);

/// "doubtful (drift, foreign_load)"; empty for a valid case.
std::string doubt_text(const AnalyzedCase& one);

/// "LABEL is doubtful (drift, foreign_load)"; empty for a valid case.
std::string why_doubted(const AnalyzedCase& one);

/// Why two cases cannot be compared: one is not ok, or their workloads differ, naming the difference ("the workloads
/// differ: batch_size 1 vs. 8"). Empty when they can.
std::string why_no_pair(const AnalyzedCase& baseline, const AnalyzedCase& candidate);

/// Quads of slices, which were measured side by side; processes of a live comparison, each with its quads; or
/// replicates that were not.
enum class ComparedBy { kReplicates, kQuads, kProcesses };

/// "replicates", "quads", "processes".
std::string_view name_of(ComparedBy by);

struct SpeedComparison {
  std::optional<Quotient> speed_up;              // time of the baseline ÷ time of the candidate
  double level = 0.95;                           // of its interval; of what is looked at again and again 0.99
  SpeedAnswer answer = SpeedAnswer::kUndecided;  // what the candidate is, seen from the baseline
  std::string reason;                            // why it is undecided
  bool is_doubted = false;                       // because a case is doubtful
  std::vector<std::string> tolerated_doubts;     // "LABEL is doubtful (preempted)": the answer holds all the same
  ComparedBy by = ComparedBy::kReplicates;
  std::size_t n = 0;  // those used: quads, processes, or the smaller count of replicates
};

/// By the quads of one run: of a live comparison over its processes, of three or more other processes with a t interval
/// over these. Else by replicates, where each
/// case has three; else over the quads themselves. Undecided, with the reason: for invalid cases, those not of one
/// workload, those without times, and too few quads or replicates there are no figures; of doubtful cases there are.
/// What disturbs the machine disturbs both cases of a quad, so that such doubts do not count there.
SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate);

}  // namespace transformeter
