// The series of a step have a value for each of latency's.
#include "metrics/train_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/case_settings.h"
#include "metrics/latency_metrics.h"
#include "metrics/metric_rows.h"
#include "metrics/part_windows.h"
#include "metrics/scalar_metrics.h"
#include "stats/robust_slope.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

using Replicates = std::vector<const ReplicateRecord*>;

constexpr std::string_view kNoLosses = "fewer than 10 steps, or a loss that is not positive";
constexpr std::string_view kNoFiniteNorm = "no step had a finite gradient";
constexpr double kSecondsPerHour = 3600;

const std::vector<double>& column(const ReplicateRecord& replicate, std::string_view name) {
  static const std::vector<double> kNone;
  const Series* series = find_series(replicate.series, name);
  return series == nullptr ? kNone : series->value;
}

// The series' values of the steps that count.
std::vector<double> values_of(const ReplicateRecord& replicate, std::string_view name, const SampleWindow& window) {
  return taken(column(replicate, name), window, column(replicate, "latency").size());
}

// What the phases leave of the steps.
std::vector<double> other_time(const ReplicateRecord& replicate, const SampleWindow& window) {
  std::vector<double> rest = window.samples;
  for (const std::string_view phase : kMeasuredPhases) {
    const std::vector<double> values = values_of(replicate, phase, window);
    if (values.size() != rest.size()) return {};
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= values[i];
  }
  return rest;
}

void append(std::vector<MetricRow>& rows, const std::vector<MetricRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

// The window less the steps that changed no weight: their optimizer only looked at the gradients.
SampleWindow without_skipped(const SampleWindow& window, const std::vector<double>& skipped) {
  if (skipped.size() != window.samples.size()) return window;
  SampleWindow kept = window;
  kept.samples.clear();
  kept.places.clear();
  for (std::size_t i = 0; i < skipped.size(); ++i) {
    if (skipped[i] != 0) continue;
    kept.samples.push_back(window.samples[i]);
    kept.places.push_back(window.places[i]);
  }
  return kept;
}

void append_phases(std::vector<MetricRow>& rows, const Replicates& replicates,
                   const std::vector<SampleWindow>& windows) {
  const auto add = [&](std::string_view metric, const auto& values) {
    std::vector<SampleWindow> parts;
    for (std::size_t i = 0; i < replicates.size(); ++i) {
      const SampleWindow window =
          metric == "optimizer_time"
              ? without_skipped(windows[i], values_of(*replicates[i], "skipped_step", windows[i]))
              : windows[i];
      parts.push_back(part_window(window, values(*replicates[i], window)));
    }
    append(rows, duration_metrics(metric, parts));
  };
  for (const std::string_view phase : kMeasuredPhases) {
    add(phase, [&](const ReplicateRecord& replicate, const SampleWindow& window) {
      return values_of(replicate, phase, window);
    });
  }
  add(kStepPhases.back(), other_time);
}

using OfReplicate = std::function<std::optional<Estimate>(const ReplicateRecord&)>;

MetricRow row_of(const RowTitle& title, const Replicates& replicates, const OfReplicate& estimate,
                 std::string_view why_none) {
  std::vector<Estimate> estimates;
  bool has_intervals = true;
  for (const ReplicateRecord* replicate : replicates) {
    const std::optional<Estimate> one = estimate(*replicate);
    if (!one) continue;
    has_intervals = has_intervals && one->interval.has_value();
    estimates.push_back(*one);
    estimates.back().process = replicate->index;
  }
  return replicated_row(title, estimates, estimates.empty() ? why_none : has_intervals ? "" : kOneNumberEach);
}

std::optional<Estimate> exactly(double value, std::size_t n = 1) {
  return Estimate{value, std::nullopt, n};
}

void append_memory(std::vector<MetricRow>& rows, const CaseRecord& the_case, const Replicates& replicates) {
  for (const char* part : {"trainable_parameters", "gradient_bytes", "optimizer_bytes", "activation_bytes"}) {
    rows.push_back(scalar_metric(replicates, part));
  }
  rows.push_back(forecast_metric(replicates, "activation_bytes_forecast", why_no_memory_forecast(the_case)));
}

std::vector<double> first_losses(const ReplicateRecord& replicate, std::size_t most_steps) {
  std::vector<double> losses = column(replicate, "loss");
  losses.resize(std::min(losses.size(), most_steps));
  return losses;
}

// The mean over the last quarter of the steps, so that one batch's texts do not decide.
std::optional<Estimate> last_loss(const std::vector<double>& losses) {
  if (losses.empty()) return std::nullopt;
  const std::size_t count = (losses.size() + 3) / 4;
  const double sum = std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(count), losses.end(), 0.0);
  return exactly(sum / static_cast<double>(count), count);
}

std::optional<Estimate> convergence_rate(const std::vector<double>& losses) {
  std::vector<double> logarithms;
  for (const double loss : losses) logarithms.push_back(std::log(loss));
  auto slope = robust_slope(logarithms);
  if (!slope) return std::nullopt;
  slope->value = -slope->value;
  if (slope->interval) slope->interval = Interval{-slope->interval->high, -slope->interval->low};
  return slope;
}

std::optional<Estimate> median_norm(const ReplicateRecord& replicate) {
  std::vector<double> norms = column(replicate, "gradient_norm");
  // Of a step that was skipped the norm is infinite, or no number.
  std::erase_if(norms, [](double norm) { return !std::isfinite(norm); });
  const auto median = median_of(norms);
  return median ? exactly(*median, norms.size()) : std::nullopt;
}

std::optional<Estimate> skipped_steps(const ReplicateRecord& replicate) {
  const std::vector<double>& skipped = column(replicate, "skipped_step");
  if (skipped.empty()) return std::nullopt;
  return exactly(std::accumulate(skipped.begin(), skipped.end(), 0.0), skipped.size());
}

MetricRow cost_row(const CaseRecord& the_case, const MetricRow* step_time) {
  const RowTitle title{"cost_per_step", "mean", "derived"};
  const auto price = number_of_path(the_case.requested, {"price_per_hour"});
  if (!price) return missing_row(title, "the machine's price is unknown; set --price-per-hour");
  if (step_time == nullptr || !step_time->value) return missing_row(title, kNotAvailable);
  MetricRow row = missing_row(title, step_time->reason);
  const auto cost = [&](std::optional<double> seconds) {
    return seconds ? std::optional(*seconds * *price / kSecondsPerHour) : std::nullopt;
  };
  row.value = cost(step_time->value);
  row.low = cost(step_time->low);
  row.high = cost(step_time->high);
  row.interval = step_time->interval;
  row.n = step_time->n;
  row.provenance = "derived";
  return row;
}

}  // namespace

std::vector<MetricRow> loss_metrics(const Replicates& replicates, std::size_t most_steps) {
  const auto over = [&](std::optional<Estimate> (*estimate)(const std::vector<double>&)) {
    return [=](const ReplicateRecord& replicate) { return estimate(first_losses(replicate, most_steps)); };
  };
  return {row_of({"loss", "mean"}, replicates, over(last_loss), kNotAvailable),
          row_of({"loss_convergence_rate", "value", "derived"}, replicates, over(convergence_rate), kNoLosses)};
}

std::vector<MetricRow> train_metrics(const CaseRecord& the_case, const Slices& slices) {
  const Replicates& replicates = slices.replicates;
  std::vector<MetricRow> rows = throughput_metrics(the_case, slices);
  append_phases(rows, slices.all, slices.windows);
  append_memory(rows, the_case, replicates);
  append(rows, loss_metrics(replicates));
  const bool has_norms = std::any_of(replicates.begin(), replicates.end(), [](const ReplicateRecord* replicate) {
    return !column(*replicate, "gradient_norm").empty();
  });
  rows.push_back(
      row_of({"gradient_norm", "median"}, replicates, median_norm, has_norms ? kNoFiniteNorm : kNotAvailable));
  rows.push_back(row_of({"skipped_steps", "total"}, replicates, skipped_steps, kNotAvailable));
  const std::vector<MetricRow> times = latency_metrics(slices.windows);
  rows.push_back(cost_row(the_case, find_metric(times, "latency", "mean")));
  return rows;
}

}  // namespace transformeter
