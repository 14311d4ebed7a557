// Headline rows are estimated per replicate and combined; what only describes is pooled over the replicates.
#include "metrics/latency_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/metric_rows.h"
#include "stats/dependence.h"
#include "stats/mean.h"
#include "stats/percentile.h"
#include "stats/ratio.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::string_view kOverInputs = "distribution over inputs";

struct Percentile {
  std::string_view name;
  double p;
};
constexpr std::array kPercentiles{Percentile{"p90", 0.90}, Percentile{"p95", 0.95}, Percentile{"p99", 0.99},
                                  Percentile{"p99.9", 0.999}};

std::string first_problem(const std::vector<SampleWindow>& windows, std::string_view otherwise) {
  for (const SampleWindow& window : windows) {
    if (!window.problem.empty()) return window.problem;
  }
  return std::string(otherwise);
}

// A window that is not steady is described, but no interval is claimed for it.
void keep(std::vector<Estimate>& estimates, const SampleWindow& window, std::optional<Estimate> estimate) {
  if (!estimate) return;
  if (!window.steady()) estimate->interval.reset();
  estimates.push_back(*estimate);
}

MetricRow median_row(const std::vector<SampleWindow>& windows) {
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) {
    keep(estimates, window, estimate_median(window.samples, effective_n_of_quantile(window.samples, 0.5)));
  }
  return replicated_row({"latency", "median"}, estimates, first_problem(windows, kTooFewSamples));
}

MetricRow mean_row(std::string_view metric, const std::vector<SampleWindow>& windows) {
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) {
    keep(estimates, window, estimate_mean(window.seconds, window.effective_n));
  }
  return replicated_row({metric, "mean"}, estimates, first_problem(windows, kTooFewSamples));
}

MetricRow percentile_row(const Percentile& percentile, const std::vector<SampleWindow>& windows,
                         const std::vector<double>& pooled) {
  const RowTitle title{"latency", percentile.name};
  double effective = 0;
  for (const SampleWindow& window : windows) effective += effective_n_of_quantile(window.samples, percentile.p);
  const bool over_inputs = windows.front().has_cycles();
  // Measuring an input again adds no input: p99 of 10 inputs is p99 of 10 values.
  if (over_inputs) effective = static_cast<double>(windows.front().batches_per_cycle);
  std::optional<Estimate> estimate = estimate_percentile(pooled, percentile.p, effective);
  if (!estimate) return missing_row(title, kTooFewSamples);
  if (!over_inputs && windows.size() == 1 && windows.front().steady()) {
    return estimate_row(title, *estimate, IntervalKind::kWithinProcess, kTooFewSamples);
  }
  // Pooled samples hold a between-process variance that order statistics of one series do not know.
  estimate->interval.reset();
  const std::string why = over_inputs          ? std::string(kOverInputs)
                          : windows.size() > 1 ? fmt::format("pooled over {} replicates", windows.size())
                                               : windows.front().problem;
  return estimate_row(title, *estimate, IntervalKind::kNone, why);
}

// The statistics in the order readers know; median and mean are built by the callers for one batch per cycle.
std::vector<MetricRow> pooled_rows(const std::vector<SampleWindow>& windows, bool with_centre) {
  std::vector<double> pooled;
  for (const SampleWindow& window : windows) {
    pooled.insert(pooled.end(), window.samples.begin(), window.samples.end());
  }
  const auto summary = summarize(pooled);
  std::vector<MetricRow> rows;
  const auto add = [&](std::string_view statistic, std::optional<double> value, std::string_view reason = "") {
    const RowTitle title{"latency", statistic};
    rows.push_back(value ? estimate_row(title, Estimate{*value, std::nullopt, summary->n}, IntervalKind::kNone, reason)
                         : missing_row(title, kTooFewSamples));
  };
  if (with_centre) {
    add("median", summary->median, kOverInputs);
    add("mean", summary->mean, kOverInputs);
  }
  add("stddev", summary->stddev);
  add("min", summary->min);
  add("max", summary->max);
  add("mad", summary->mad);
  for (const Percentile& percentile : kPercentiles) rows.push_back(percentile_row(percentile, windows, pooled));
  add("total", summary->total);
  return rows;
}

std::vector<MetricRow> missing_rows(const std::vector<SampleWindow>& windows) {
  const std::string reason = first_problem(windows, "no samples");
  std::vector<MetricRow> rows;
  for (const auto statistic : {"median", "mean", "stddev", "min", "max", "mad"}) {
    rows.push_back(missing_row({"latency", statistic}, reason));
  }
  for (const Percentile& percentile : kPercentiles) rows.push_back(missing_row({"latency", percentile.name}, reason));
  rows.push_back(missing_row({"latency", "total"}, reason));
  if (!windows.empty() && windows.front().has_cycles()) rows.push_back(missing_row({"cycle_time", "mean"}, reason));
  return rows;
}

std::vector<SampleWindow> filled(const std::vector<SampleWindow>& windows) {
  std::vector<SampleWindow> result;
  std::copy_if(windows.begin(), windows.end(), std::back_inserter(result),
               [](const SampleWindow& window) { return !window.samples.empty(); });
  return result;
}

double total_of(const std::vector<SampleWindow>& windows, std::vector<double> SampleWindow::*column) {
  double sum = 0;
  for (const SampleWindow& window : windows) {
    for (const double value : window.*column) sum += value;
  }
  return sum;
}

MetricRow rate_row(std::string_view metric, const std::vector<SampleWindow>& windows,
                   std::vector<double> SampleWindow::*work) {
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) keep(estimates, window, estimate_ratio(window.*work, window.seconds));
  const std::string_view otherwise = estimates.empty() ? kNotAvailable : kTooFewSamples;
  return replicated_row({metric, "ratio"}, estimates, first_problem(windows, otherwise));
}

// Exact: token counts are no sample of anything.
MetricRow padding_row(const std::vector<SampleWindow>& windows) {
  const RowTitle title{"padding_share", "ratio", "derived"};
  const double processed = total_of(windows, &SampleWindow::processed_tokens);
  const bool counted = std::none_of(windows.begin(), windows.end(),
                                    [](const SampleWindow& window) { return window.useful_tokens.empty(); });
  if (!counted || !(processed > 0)) return missing_row(title, kNotAvailable);
  std::size_t n = 0;
  for (const SampleWindow& window : windows) n += window.samples.size();
  const double useful = total_of(windows, &SampleWindow::useful_tokens);
  return estimate_row(title, Estimate{(processed - useful) / processed, std::nullopt, n}, IntervalKind::kNone);
}

}  // namespace

std::vector<MetricRow> latency_metrics(const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_rows(all);
  const bool has_cycles = windows.front().has_cycles();
  std::vector<MetricRow> rows;
  if (!has_cycles) {
    rows.push_back(median_row(windows));
    rows.push_back(mean_row("latency", windows));
  }
  const std::vector<MetricRow> pooled = pooled_rows(windows, has_cycles);
  rows.insert(rows.end(), pooled.begin(), pooled.end());
  if (has_cycles) rows.push_back(mean_row("cycle_time", windows));
  return rows;
}

std::vector<MetricRow> throughput_metrics(const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) {
    const std::string reason = first_problem(all, "no samples");
    std::vector<MetricRow> rows;
    for (const auto metric :
         {"throughput_samples", "throughput_useful_tokens", "throughput_processed_tokens", "padding_share"}) {
      rows.push_back(missing_row({metric, "ratio"}, reason));
    }
    return rows;
  }
  return {rate_row("throughput_samples", windows, &SampleWindow::examples),
          rate_row("throughput_useful_tokens", windows, &SampleWindow::useful_tokens),
          rate_row("throughput_processed_tokens", windows, &SampleWindow::processed_tokens), padding_row(windows)};
}

const MetricRow* headline(const std::vector<MetricRow>& metrics) {
  const MetricRow* cycle = find_metric(metrics, "cycle_time", "mean");
  return cycle != nullptr ? cycle : find_metric(metrics, "latency", "median");
}

}  // namespace transformeter
