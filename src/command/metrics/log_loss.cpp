// How sure the model is of the labels: sees what rounding does to answers long before one of them changes.
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "metrics/score_metrics.h"
#include "stats/mean.h"

namespace transformeter {

std::vector<MetricRow> log_loss(const CaseRecord& the_case, const Slices& slices) {
  const RowTitle title{"log_loss", "mean"};
  if (has_seeded_weights(the_case)) return {missing_row(title, "seeded random weights have no score")};
  bool is_scored = false;
  bool is_stored = false;
  // Every replicate answers the same questions with the same weights: one of them says all.
  for (const ReplicateRecord* replicate : slices.replicates) {
    is_scored = is_scored || find_series(replicate->series, "true_class") != nullptr;
    const Series* losses = find_series(replicate->series, "log_loss");
    if (losses == nullptr || losses->value.empty()) continue;
    is_stored = true;
    if (const auto mean = estimate_mean(losses->value)) {
      return {
          estimate_row(title, *mean, IntervalKind::kWithinProcess, mean->has_heavy_tail ? kHeavyTail : kTooFewSamples)};
    }
  }
  if (is_stored) return {missing_row(title, "the loss of an example is not finite")};
  if (is_scored) return {missing_row(title, "the worker does not report the loss of each example")};
  return {missing_row(title, why_not_scored(the_case))};
}

}  // namespace transformeter
