// What the answers are worth.
#include "metrics/score_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/case_settings.h"
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "metrics/scalar_metrics.h"
#include "schema/case.h"
#include "schema/scenario.h"
#include "schema/settings.h"
#include "stats/bootstrap.h"
#include "stats/edit_distance.h"
#include "stats/macro_f1.h"
#include "stats/proportion.h"

namespace transformeter {
namespace {

constexpr std::string_view kOnlyTimed = "training runs are only timed; use finetune to score a model";

bool recognizes_speech(const Json& requested) {
  return text_of_path(requested, {"task"}) == name_of(Task::kSpeechRecognition);
}

std::string why_no_error_rate(const CaseRecord& the_case) {
  if (has_seeded_weights(the_case)) return "seeded random weights have no vocabulary";
  if (is_train(the_case.requested)) return std::string(kOnlyTimed);
  if (flag_of_path(the_case.effective, {"data", "labelled"}) == false) return "the data set has no transcripts";
  return std::string(kNotAvailable);
}

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

// Of each sound; nothing where they are missing, or not of the same sounds.
std::vector<EditCount> edits_of(const ReplicateRecord& replicate, const char* edits, const char* units) {
  const Series* edited = find_series(replicate.series, edits);
  const Series* counted = find_series(replicate.series, units);
  if (edited == nullptr || counted == nullptr || edited->value.size() != counted->value.size()) return {};
  for (const Series* series : {edited, counted}) {
    if (!std::all_of(series->value.begin(), series->value.end(), is_count)) return {};
  }
  std::vector<EditCount> counts;
  for (std::size_t i = 0; i < edited->value.size(); ++i) {
    counts.push_back({static_cast<std::size_t>(edited->value[i]), static_cast<std::size_t>(counted->value[i])});
  }
  return counts;
}

// As score gives it for the same transcripts.
MetricRow error_rate_row(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates,
                         const RowTitle& title, const char* edits, const char* units) {
  for (const ReplicateRecord* replicate : replicates) {
    const std::vector<EditCount> counts = edits_of(*replicate, edits, units);
    if (counts.empty()) continue;
    std::vector<std::size_t> all(counts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto rate = error_rate(counts, all);
    if (!rate) return missing_row(title, "the data set's transcripts are empty");
    const ExplainedInterval explained = explained_bootstrap_interval(
        all.size(), "sounds", [&](std::span<const std::size_t> chosen) { return error_rate(counts, chosen); });
    std::size_t counted = 0;
    for (const EditCount& one : counts) counted += one.units;
    const Estimate estimate{*rate, explained.interval, counted};
    return estimate_row(title, estimate, IntervalKind::kWithinProcess, explained.why_none);
  }
  return missing_row(title, why_no_error_rate(the_case));
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
  if (offered == OfferedWork::kSteps) return std::string(kOnlyTimed);
  if (recognizes_speech(the_case.requested)) return "transcripts have error rates";
  if (!task_has(the_case.requested, is_scored_in_runs)) return "this task is not scored";
  if (has_filled_rows(the_case.requested)) {
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
  std::vector<MetricRow> rows{accuracy_row(the_case, slices.replicates), macro_f1_row(the_case, slices.replicates)};
  if (!recognizes_speech(the_case.requested)) return rows;
  rows.push_back(
      error_rate_row(the_case, slices.replicates, {"word_error_rate", "ratio"}, "word_edits", "reference_words"));
  rows.push_back(error_rate_row(the_case, slices.replicates, {"character_error_rate", "ratio"}, "character_edits",
                                "reference_characters"));
  return rows;
}

}  // namespace transformeter
