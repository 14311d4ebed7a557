// Groups cases by what is left of their settings, then chooses figures that all cases of a series have.
#include "analysis/training_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/case_label.h"
#include "analysis/compare_cases.h"
#include "analysis/step_columns.h"
#include "base/contains.h"
#include "metrics/case_settings.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// In the order in which a reader asks for them.
constexpr std::array<std::string_view, 15> kNamedSettings{"model",
                                                          "task",
                                                          "data",
                                                          "batch_size",
                                                          "sequence_length",
                                                          "precision",
                                                          "optimizer",
                                                          "learning_rate",
                                                          "gradient_accumulation",
                                                          "gradient_checkpointing",
                                                          "lora_rank",
                                                          "batching",
                                                          "attention",
                                                          "threads",
                                                          "device"};
constexpr std::array<std::string_view, 7> kSpeakForThemselves{"model",     "task",     "data",  "precision",
                                                              "optimizer", "batching", "device"};

std::string why_left_out(const AnalyzedCase& one) {
  std::string why = why_not_usable(one);
  const auto step = measured_figure(one, "latency");
  if (why.empty() && !(step && step->value > 0)) why = "it has no latency";
  return why;
}

bool all_have(const std::vector<TrainingPoint>& points, std::string_view metric) {
  return std::all_of(points.begin(), points.end(), [&](const TrainingPoint& point) {
    const auto figure = measured_figure(*point.the_case, metric);
    return figure && figure->value > 0;
  });
}

void choose_figures(TrainingSeries& series) {
  std::vector<TrainingPoint>& points = series.points;
  series.rate = all_have(points, "throughput_useful_tokens") ? "throughput_useful_tokens" : "throughput_samples";
  const bool has_tokens = all_have(points, "throughput_processed_tokens");
  series.size_unit = has_tokens ? "token" : "example";
  for (TrainingPoint& point : points) {
    point.throughput = *measured_figure(*point.the_case, series.rate);
    point.step_time = *measured_figure(*point.the_case, "latency");
    point.size = point.examples;
    if (!has_tokens) continue;
    // Both rates are totals over one window, so their quotient is exact.
    point.size *= measured_figure(*point.the_case, "throughput_processed_tokens")->value /
                  measured_figure(*point.the_case, "throughput_samples")->value;
  }
}

void add_remarks(TrainingSeries& series) {
  std::vector<std::string> within;
  std::vector<std::string> without;
  for (const TrainingPoint& point : series.points) {
    const MetricRow* row = shown_metric(*point.the_case, series.rate);
    if (row->interval == IntervalKind::kSingleWindow || row->interval == IntervalKind::kBetweenSlices)
      within.push_back(point.the_case->record->id);
    if (row->interval == IntervalKind::kNone) without.push_back(point.the_case->record->id);
    const std::string doubt = why_doubted(*point.the_case);
    if (!doubt.empty()) series.remarks.push_back(fmt::format("{}: {}", point.the_case->record->id, doubt));
  }
  if (!within.empty()) {
    series.remarks.push_back(
        fmt::format("{} have fewer than 3 replicates: their intervals do not cover variance between processes",
                    fmt::join(within, ", ")));
  }
  if (!without.empty()) {
    series.remarks.push_back(fmt::format("the throughput of {} has no interval", fmt::join(without, ", ")));
  }
}

void finish(TrainingSeries& series) {
  const auto by_batch = [](const auto& a, const auto& b) { return a.batch_size < b.batch_size; };
  std::stable_sort(series.points.begin(), series.points.end(), by_batch);
  std::stable_sort(series.left_out.begin(), series.left_out.end(), by_batch);
  if (!series.points.empty()) choose_figures(series);
  add_remarks(series);
}

void add_case(TrainingSeries& series, const AnalyzedCase& one, double batch_size) {
  std::string why = why_left_out(one);
  if (!why.empty()) {
    series.left_out.push_back({&one, batch_size, std::move(why)});
    return;
  }
  TrainingPoint point;
  point.the_case = &one;
  point.batch_size = batch_size;
  point.examples = batch_size * number_of_path(one.record->requested, {"gradient_accumulation"}).value_or(1);
  series.points.push_back(std::move(point));
}

}  // namespace

std::string why_not_usable(const AnalyzedCase& the_case) {
  const CaseRecord& record = *the_case.record;
  if (!the_case.is_ok()) {
    const std::string word(status_word(record));
    return record.status_reason.empty() ? word : fmt::format("{}: {}", word, record.status_reason);
  }
  if (the_case.analysis.verdict.level == VerdictLevel::kInvalid) return why_doubted(the_case);
  const auto rate = measured_figure(the_case, "throughput_samples");
  return rate && rate->value > 0 ? "" : "it has no throughput_samples";
}

std::string training_setting(const CaseRecord& the_case, const std::string& name) {
  if (name == "device") {
    if (const auto device = text_of_path(the_case.effective, {"device"})) return *device;
  }
  return setting_value_text(the_case, name);
}

std::string settings_text(const CaseRecord& the_case, const std::vector<std::string>& without) {
  std::vector<std::string> parts;
  for (const std::string_view name : kNamedSettings) {
    if (contains(without, name)) continue;
    const std::string value = training_setting(the_case, std::string(name));
    if (value.empty() || is_as_before(name, value)) continue;
    parts.push_back(contains(kSpeakForThemselves, name) ? value : fmt::format("{} {}", name, value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string batch_text(double batch_size) {
  return "batch " + plain_number(batch_size);
}

std::string at_batch(const TrainingPoint& point) {
  return fmt::format("{} at {}", figure_text(point.throughput), batch_text(point.batch_size));
}

std::vector<TrainingSeries> training_series(const AnalyzedRun& run) {
  std::vector<TrainingSeries> all;
  std::map<std::string, std::size_t> places;
  for (const AnalyzedCase& one : run.cases) {
    const CaseRecord& record = *one.record;
    const auto batch_size = number_of_path(record.requested, {"batch_size"});
    if (!is_train(record.requested) || !batch_size) continue;
    const auto [place, is_new] = places.try_emplace(key_without(record.requested, {"batch_size"}), all.size());
    if (is_new) {
      TrainingSeries& series = all.emplace_back();
      series.device = training_setting(record, "device");
      series.settings = settings_text(record, {"batch_size", "device"});
      series.key_without_device = key_without(record.requested, {"batch_size", "device"});
    }
    add_case(all[place->second], one, *batch_size);
  }
  for (TrainingSeries& series : all) finish(series);
  return all;
}

}  // namespace transformeter
