// What the answers are worth.
#include "metrics/score_metrics.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>

#include "metrics/case_settings.h"
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "metrics/scalar_metrics.h"
#include "schema/case.h"
#include "schema/scenario.h"
#include "stats/bootstrap.h"
#include "stats/macro_f1.h"
#include "stats/proportion.h"

namespace transformeter {
namespace {

// The classes of a series; nothing where it is missing or holds a value that is not a class.
std::optional<std::vector<int>> classes_of(const ReplicateRecord& replicate, std::string_view name) {
  const Series* series = find_series(replicate.series, name);
  if (series == nullptr || series->value.empty()) return std::nullopt;
  std::vector<int> classes;
  for (const double value : series->value) {
    if (!is_count(value) || value > std::numeric_limits<int>::max()) return std::nullopt;
    classes.push_back(static_cast<int>(value));
  }
  return classes;
}

MetricRow accuracy_row(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates) {
  const RowTitle title{"accuracy", "ratio"};
  if (has_seeded_weights(the_case)) return missing_row(title, why_not_scored(the_case));
  // Every replicate answers the same questions with the same weights: counting their answers together would make the
  // interval narrower than the data set allows.
  for (const ReplicateRecord* replicate : replicates) {
    const auto correct = scalar_of(*replicate, "correct");
    const auto evaluated = scalar_of(*replicate, "evaluated");
    if (!correct || !evaluated || !is_count(*correct) || !is_count(*evaluated)) continue;
    const auto share = estimate_proportion(static_cast<std::size_t>(*correct), static_cast<std::size_t>(*evaluated));
    if (share) return estimate_row(title, *share, IntervalKind::kWithinProcess);
  }
  return missing_row(title, why_not_scored(the_case));
}

MetricRow macro_f1_row(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates) {
  const RowTitle title{"macro_f1", "ratio"};
  if (has_seeded_weights(the_case)) return missing_row(title, why_not_scored(the_case));
  bool is_counted = false;
  for (const ReplicateRecord* replicate : replicates) {
    is_counted = is_counted || scalar_of(*replicate, "evaluated");
    const auto labels = classes_of(*replicate, "true_class");
    const auto predicted = classes_of(*replicate, "predicted_class");
    if (!labels || !predicted || labels->size() != predicted->size()) continue;
    MacroF1 macro_f1(*predicted, *labels);
    const ExplainedInterval explained = explained_bootstrap_interval(
        macro_f1.size(), "examples", [&](std::span<const std::size_t> chosen) { return macro_f1.of(chosen); });
    const Estimate estimate{macro_f1.of_all().value(), explained.interval, macro_f1.size()};
    return estimate_row(title, estimate, IntervalKind::kWithinProcess, explained.why_none);
  }
  return missing_row(title, is_counted ? "only the number of correct answers was stored" : why_not_scored(the_case));
}

}  // namespace

bool has_seeded_weights(const CaseRecord& the_case) {
  return flag_of_path(the_case.effective, {"model", "trained"}) == false;
}

std::string why_not_scored(const CaseRecord& the_case) {
  if (has_seeded_weights(the_case)) return "seeded random weights have no accuracy";
  if (is_compiled_format(text_of_path(the_case.effective, {"model", "weights"}).value_or(""))) {
    return "a compiled file is not scored in runs; use predict and score";
  }
  const OfferedWork offered = work_of(scenario_of(the_case.requested));
  if (offered == OfferedWork::kRequests) return "generated text is not scored";
  if (offered == OfferedWork::kSteps) return "training runs are only timed; use finetune to score a model";
  if (!task_has(the_case.requested, is_scored_in_runs)) return "this task is not scored";
  if (number_of_path(the_case.requested, {"sequence_length"})) {
    return "rows of a fixed length combine several texts, so they have no label";
  }
  if (flag_of_path(the_case.effective, {"data", "labelled"}) == false) return "the data set has no labels";
  return other_classes(the_case).value_or(std::string(kNotAvailable));
}

std::optional<std::string> other_classes(const CaseRecord& the_case) {
  const auto model_labels = number_of_path(the_case.effective, {"model", "labels"});
  const auto data_labels = number_of_path(the_case.effective, {"data", "labels"});
  if (!model_labels || !data_labels || *model_labels == *data_labels) return std::nullopt;
  return fmt::format("the model has {} labels, the data set {}", *model_labels, *data_labels);
}

std::vector<MetricRow> score_metrics(const CaseRecord& the_case, const Slices& slices) {
  return {accuracy_row(the_case, slices.replicates), macro_f1_row(the_case, slices.replicates)};
}

}  // namespace transformeter
