// One row for each case that can be used.
#include "report/diagnosis_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/training_findings.h"
#include "base/units.h"
#include "metrics/train_metrics.h"
#include "report/metric_text.h"

namespace transformeter {
namespace {

Column column(const TrainingSeries& series, std::string heading,
              const std::function<std::string(const TrainingPoint&)>& cell) {
  Column made;
  made.heading = std::move(heading);
  made.is_number = true;
  for (const TrainingPoint& point : series.points) made.cells.emplace_back(cell(point));
  return made;
}

// "data_wait" to "data", "forward_time" to "forward".
std::string phase_heading(std::string_view phase) {
  return std::string(phase.substr(0, phase.find('_')));
}

std::string phase_cell(const TrainingPoint& point, std::string_view phase) {
  const auto time = measured_figure(*point.the_case, phase);
  const auto share = share_of_step(point, phase);
  if (!time || !share) return "-";
  return fmt::format("{} {}", format_duration(time->value), percent_text(share->value));
}

}  // namespace

std::vector<Column> diagnosis_columns(const TrainingSeries& series) {
  std::vector<Column> columns;
  columns.push_back(column(series, "batch", [](const TrainingPoint& point) { return plain_number(point.batch_size); }));
  columns.push_back(column(
      series, "step", [](const TrainingPoint& point) { return value_text(shown_metric(*point.the_case, "latency")); }));
  for (const std::string_view phase : kStepPhases) {
    columns.push_back(
        column(series, phase_heading(phase), [&](const TrainingPoint& point) { return phase_cell(point, phase); }));
  }
  const char* rate = series.rate == "throughput_samples" ? "examples" : "useful tokens";
  columns.push_back(column(series, rate, [&](const TrainingPoint& point) {
    return value_text(shown_metric(*point.the_case, series.rate));
  }));
  columns.push_back(column(series, "padding", [](const TrainingPoint& point) {
    const auto padding = measured_figure(*point.the_case, "padding_share");
    return padding ? percent_text(padding->value) : std::string("-");
  }));
  for (const auto& [metric, heading] : {std::pair{"peak_allocated", "tensors"}, std::pair{"peak_rss", "peak RSS"}}) {
    const std::string name = metric;
    columns.push_back(column(
        series, heading, [&](const TrainingPoint& point) { return value_text(shown_metric(*point.the_case, name)); }));
    columns.back().may_be_left_out = true;
  }
  columns.push_back(column(series, "case", [](const TrainingPoint& point) { return point.the_case->record->id; }));
  columns.back().is_number = false;
  return columns;
}

}  // namespace transformeter
