// time of a step = overhead + marginal · size, fitted over the batch sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/training_findings.h"
#include "base/units.h"
#include "stats/linear_fit.h"

namespace transformeter {
namespace {

constexpr std::string_view kPattern = "fixed_overhead";
constexpr std::size_t kMinBatchSizes = 3;

struct StepLine {
  LineFit fit;
  std::size_t points = 0;  // the first of the series
  double worst_miss = 0;   // |measured ÷ fitted − 1|
  const TrainingPoint* worst = nullptr;
};

std::optional<StepLine> line_through(const TrainingSeries& series, std::size_t count) {
  const bool has_errors = std::all_of(series.points.begin(), series.points.begin() + static_cast<std::ptrdiff_t>(count),
                                      [](const TrainingPoint& point) { return point.step_time.interval.has_value(); });
  std::vector<LinePoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const EvidenceFigure& time = series.points[i].step_time;
    // Without intervals errors are taken to be equal shares of the times.
    double half_width = time.value;
    if (has_errors) {
      half_width = std::max((time.interval->high - time.interval->low) / 2, kMinRelativeError * time.value);
    }
    points.push_back({series.points[i].size, time.value, half_width});
  }
  const auto fit = fit_line(points, has_errors);
  if (!fit) return std::nullopt;
  StepLine line{*fit, count};
  for (std::size_t i = 0; i < count; ++i) {
    const double miss = std::fabs(points[i].y / fit->at(points[i].x) - 1);
    if (line.worst == nullptr || miss > line.worst_miss) {
      line.worst_miss = miss;
      line.worst = &series.points[i];
    }
  }
  return line;
}

// Beyond the fastest batch a step may grow faster than its size; the line is then that of the batches up to it.
std::optional<StepLine> step_line(const TrainingSeries& series) {
  auto line = line_through(series, series.points.size());
  if (line && line->worst_miss <= kWorstLineMiss) return line;
  const auto up_to = static_cast<std::size_t>(&fastest_point(series) - series.points.data()) + 1;
  if (up_to < kMinBatchSizes || up_to == series.points.size()) return line;
  auto shorter = line_through(series, up_to);
  return shorter && shorter->worst_miss <= kWorstLineMiss ? shorter : line;
}

EvidenceFigure figure_of(std::string name, std::string unit, const Estimate& estimate) {
  return {std::move(name), std::move(unit), estimate.value, estimate.interval, ""};
}

EvidenceFigure overhead_share(const StepLine& line, const TrainingPoint& point) {
  const double time = line.fit.at(point.size);
  const Interval& overhead = *line.fit.intercept.interval;
  // The step's time is known far better than what of it is overhead.
  return {"overhead_share", "ratio", line.fit.intercept.value / time,
          Interval{std::clamp(overhead.low / time, 0.0, 1.0), std::clamp(overhead.high / time, 0.0, 1.0)},
          point.the_case->record->id};
}

// Examples per second at `to` over those at `from`, by the line.
double predicted_factor(const StepLine& line, const TrainingPoint& from, const TrainingPoint& to) {
  return line.fit.at(from.size) / from.examples * to.examples / line.fit.at(to.size);
}

Advice larger_batch(const TrainingSeries& series, const StepLine& line, const TrainingPoint& to) {
  const TrainingPoint& from = series.points.front();
  PredictedGain gain{"throughput_samples", predicted_factor(line, from, to), std::nullopt, "", false};
  gain.formula = fmt::format("({} ÷ {} examples) ÷ ({} ÷ {} examples), with fitted step times",
                             format_duration(line.fit.at(from.size)), plain_number(from.examples),
                             format_duration(line.fit.at(to.size)), plain_number(to.examples));
  // Of examples, as the prediction: the series may go by useful tokens.
  EvidenceFigure times = quotient_figure("throughput", *measured_figure(*to.the_case, "throughput_samples"),
                                         *measured_figure(*from.the_case, "throughput_samples"));
  times.unit.clear();
  return {fmt::format("use {} instead of {}: {} times the examples per second by the fit, {} times as measured",
                      batch_text(to.batch_size), plain_number(from.batch_size), format_number(gain.factor),
                      figure_text(times)),
          gain};
}

std::string range_of(const TrainingSeries& series, const StepLine& line) {
  return fmt::format("{} to {}", batch_text(series.points.front().batch_size),
                     plain_number(series.points[line.points - 1].batch_size));
}

// The line holds, and its overhead is a share to speak of.
void tell_overhead(const TrainingSeries& series, const StepLine& line, TrainingFinding& finding) {
  const auto up_to = series.points.begin() + static_cast<std::ptrdiff_t>(line.points);
  std::vector<std::string> shares;
  for (auto point = series.points.begin(); point != up_to; ++point) {
    finding.figures.push_back(overhead_share(line, *point));
    shares.push_back(
        fmt::format("{} at {}", percent_text(finding.figures.back().value), batch_text(point->batch_size)));
  }
  const std::string marginal = figure_text(figure_of("marginal_time", "s", line.fit.slope));
  finding.state = FindingState::kPresent;
  finding.statement = fmt::format("over {} each step has a fixed cost of {} plus {} per {}: {}", range_of(series, line),
                                  figure_text(figure_of("overhead", "s", line.fit.intercept)), marginal,
                                  series.size_unit, fmt::join(shares, ", "));
  const TrainingPoint& best = *std::max_element(series.points.begin(), up_to, [](const auto& a, const auto& b) {
    return a.throughput.value < b.throughput.value;
  });
  if (&best != &series.points.front()) finding.advice.push_back(larger_batch(series, line, best));
}

// Whether the overhead is a share to speak of, from what the line says of the smallest batch.
void judge_overhead(const TrainingSeries& series, const StepLine& line, TrainingFinding& finding) {
  const EvidenceFigure share = overhead_share(line, series.points.front());
  if (share.interval->low >= kOverheadShare) {
    tell_overhead(series, line, finding);
    return;
  }
  finding.figures.push_back(share);
  const std::string overhead = figure_text(figure_of("overhead", "s", line.fit.intercept));
  const std::string smallest = batch_text(series.points.front().batch_size);
  if (share.interval->high < kOverheadShare) {
    finding.state = FindingState::kAbsent;
    finding.statement = fmt::format("the linear fit over {} has a fixed cost of {}, less than {} of a step at {}",
                                    range_of(series, line), overhead, percent_text(kOverheadShare), smallest);
  } else {
    finding.reason =
        fmt::format("the linear fit over {} has a fixed cost of {}, {} of a step at {}: its interval includes {}",
                    range_of(series, line), overhead, figure_text(share), smallest, percent_text(kOverheadShare));
  }
}

}  // namespace

const TrainingPoint& fastest_point(const TrainingSeries& series) {
  return *std::max_element(
      series.points.begin(), series.points.end(),
      [](const TrainingPoint& a, const TrainingPoint& b) { return a.throughput.value < b.throughput.value; });
}

TrainingFinding overhead_finding(const TrainingSeries& series) {
  if (series.points.size() < kMinBatchSizes) {
    return not_determined(kPattern, fmt::format("a linear fit needs {} batch sizes; {} can be used", kMinBatchSizes,
                                                series.points.size()));
  }
  const auto line = step_line(series);
  if (!line) return not_determined(kPattern, "no linear fit of step times: all steps have the same size");
  TrainingFinding finding = not_determined(kPattern, "");
  for (std::size_t i = 0; i < line->points; ++i) {
    finding.cases.push_back(series.points[i].the_case->record->id);
    finding.figures.push_back(series.points[i].step_time);
  }
  finding.figures.push_back(figure_of("overhead", "s", line->fit.intercept));
  finding.figures.push_back(figure_of("marginal_time", "s/" + series.size_unit, line->fit.slope));
  finding.figures.push_back(
      {"largest_miss_of_line", "ratio", line->worst_miss, std::nullopt, line->worst->the_case->record->id});
  if (line->worst_miss <= kWorstLineMiss) {
    judge_overhead(series, *line, finding);
    return finding;
  }
  finding.reason =
      fmt::format("step times are not linear in the batch size: at {} the step takes {}, {} off the fitted {}",
                  batch_text(line->worst->batch_size), figure_text(line->worst->step_time),
                  percent_text(line->worst_miss), format_duration(line->fit.at(line->worst->size)));
  return finding;
}

}  // namespace transformeter
