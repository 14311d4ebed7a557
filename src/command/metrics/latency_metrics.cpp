// Means, rates and all intervals are estimated per slice or replicate and combined; order statistics are of the pooled
// samples, so that they are in order.
#include "metrics/latency_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "metrics/case_settings.h"
#include "metrics/cycle_total.h"
#include "metrics/metric_rows.h"
#include "schema/settings.h"
#include "stats/clustered_median.h"
#include "stats/dependence.h"
#include "stats/mean.h"
#include "stats/percentile.h"
#include "stats/ratio.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

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
  set_slice(*estimate, window);
  estimates.push_back(*estimate);
}

// The variance of a median of independent samples is about π/2 that of their mean; of few samples less.
double median_variance(const std::vector<double>& samples) {
  const auto summary = summarize(samples);
  if (!summary || summary->n < 2) return 0;
  constexpr double kDeviations = 1.4826;  // of a normal distribution, in its MAD
  const auto n = static_cast<double>(summary->n);
  const double factor = summary->n == 2 ? 0.46 : summary->n == 3 ? 1.17 : summary->n <= 12 ? 1.3 : 1.57;
  const double deviation = kDeviations * summary->mad * std::sqrt(n / (n - 1));
  return factor * deviation * deviation / n;
}

std::vector<double> pooled_samples(const std::vector<SampleWindow>& windows) {
  std::vector<double> pooled;
  for (const SampleWindow& window : windows) {
    pooled.insert(pooled.end(), window.samples.begin(), window.samples.end());
  }
  return pooled;
}

std::vector<std::vector<double>> samples_of(const std::vector<SampleWindow>& windows) {
  std::vector<std::vector<double>> samples;
  for (const SampleWindow& window : windows) samples.push_back(window.samples);
  return samples;
}

// Slices in bursts pull the mean of their medians, which is the centre of their interval, away from the median of all
// samples.
void widen_for_bursts(MetricRow& row, const std::vector<SampleWindow>& windows) {
  const auto clustered = clustered_median_interval(samples_of(windows));
  if (!clustered) return;
  row.low = std::min(*row.low, clustered->low);
  row.high = std::max(*row.high, clustered->high);
}

// The interval so far assumes moods of minutes; all cases together may show shorter ones. What differs between
// processes they do not show.
void narrow_where_moods_are_known(MetricRow& row, const std::vector<SampleWindow>& windows) {
  const SampleWindow& first = windows.front();
  const auto is_other = [&](const SampleWindow& window) { return window.process != first.process; };
  if (!first.independent_slices || std::any_of(windows.begin(), windows.end(), is_other)) return;
  const auto clustered = clustered_median_interval(samples_of(windows), *first.independent_slices);
  if (!clustered || clustered->high - clustered->low >= *row.high - *row.low) return;
  row.low = clustered->low;
  row.high = clustered->high;
}

// Percentiles, minimum and maximum are of all samples: the median of others could lie beyond them.
void take_pooled_median(MetricRow& row, const std::vector<SampleWindow>& windows) {
  row.value = median_of(pooled_samples(windows));
  if (!row.low || !row.high) return;
  row.low = std::min(*row.low, *row.value);
  row.high = std::max(*row.high, *row.value);
}

// The interval is of the windows' medians, which know what differs between slices and processes.
MetricRow median_row(std::string_view metric, const std::vector<SampleWindow>& windows) {
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) {
    auto estimate = estimate_median(window.samples, effective_n_of_quantile(window.samples, 0.5));
    if (estimate) estimate->sampling_variance = median_variance(window.samples);
    keep(estimates, window, estimate);
  }
  MetricRow row = replicated_row({metric, "median"}, estimates, first_problem(windows, kTooFewSamples));
  if (row.interval == IntervalKind::kBetweenSlices) {
    widen_for_bursts(row, windows);
    narrow_where_moods_are_known(row, windows);
  }
  if (row.value) take_pooled_median(row, windows);
  return row;
}

MetricRow mean_row(std::string_view metric, const std::vector<SampleWindow>& windows) {
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) {
    keep(estimates, window, estimate_mean(window.seconds, window.effective_n));
  }
  return replicated_row({metric, "mean"}, estimates, first_problem(windows, kTooFewSamples));
}

// What the windows are: of one process several, or of each process one.
std::string_view units_of(const std::vector<SampleWindow>& windows) {
  std::set<int> processes;
  for (const SampleWindow& window : windows) processes.insert(window.process);
  return processes.size() == windows.size() ? "replicates" : "slices";
}

MetricRow percentile_row(std::string_view metric, const Percentile& percentile,
                         const std::vector<SampleWindow>& windows, const std::vector<double>& pooled) {
  const RowTitle title{metric, percentile.name};
  double effective = 0;
  for (const SampleWindow& window : windows) effective += effective_n_of_quantile(window.samples, percentile.p);
  const bool over_inputs = windows.front().has_cycles();
  // Measuring an input again adds no input: p99 of 10 inputs is p99 of 10 values.
  if (over_inputs) effective = static_cast<double>(windows.front().batches_per_cycle);
  std::optional<Estimate> estimate = estimate_percentile(pooled, percentile.p, effective);
  if (!estimate) return missing_row(title, kTooFewSamples);
  if (!over_inputs && windows.size() == 1 && windows.front().steady()) {
    return estimate_row(title, *estimate, IntervalKind::kSingleWindow, kTooFewSamples);
  }
  // Pooled samples hold a variance between slices and processes that order statistics of one series do not know.
  estimate->interval.reset();
  const std::string why = over_inputs          ? std::string(kOverInputs)
                          : windows.size() > 1 ? fmt::format("pooled over {} {}", windows.size(), units_of(windows))
                                               : windows.front().problem;
  return estimate_row(title, *estimate, IntervalKind::kNone, why);
}

// The statistics in the order readers know, with median and mean where these have no interval, and why; else the
// callers build them.
std::vector<MetricRow> pooled_rows(std::string_view metric, const std::vector<SampleWindow>& windows,
                                   std::string_view why_no_centre) {
  const std::vector<double> pooled = pooled_samples(windows);
  const auto summary = summarize(pooled);
  std::vector<MetricRow> rows;
  const auto add = [&](std::string_view statistic, std::optional<double> value, std::string_view reason = "") {
    const RowTitle title{metric, statistic};
    rows.push_back(value ? estimate_row(title, Estimate{*value, std::nullopt, summary->n}, IntervalKind::kNone, reason)
                         : missing_row(title, kTooFewSamples));
  };
  if (!why_no_centre.empty()) {
    add("median", summary->median, why_no_centre);
    add("mean", summary->mean, why_no_centre);
  }
  add("stddev", summary->stddev);
  add("min", summary->min);
  add("max", summary->max);
  add("mad", summary->mad);
  for (const Percentile& percentile : kPercentiles) {
    rows.push_back(percentile_row(metric, percentile, windows, pooled));
  }
  add("total", summary->total);
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

// `work`: a column of the windows, or what is computed of each.
template <typename Work>
MetricRow rate_row(std::string_view metric, const std::vector<SampleWindow>& all, const Work& work) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_row({metric, "ratio"}, first_problem(all, "no samples"));
  std::vector<Estimate> estimates;
  for (const SampleWindow& window : windows) {
    keep(estimates, window, estimate_ratio(std::invoke(work, window), window.seconds));
  }
  const std::string_view otherwise = estimates.empty() ? kNotAvailable : kTooFewSamples;
  return replicated_row({metric, "ratio"}, estimates, first_problem(windows, otherwise));
}

// The ends of the interval change places; the inverse of a rate that may be 0 has none.
MetricRow inverse_of(MetricRow row, const RowTitle& title) {
  if (!row.value) return missing_row(title, row.reason);
  if (!(*row.value > 0)) return missing_row(title, kNotAvailable);
  std::optional<Interval> interval;
  if (row.low && row.high) {
    if (*row.low > 0) {
      interval = Interval{1 / *row.high, 1 / *row.low};
    } else {
      row.reason = fmt::format("the interval of {} reaches 0", row.name);
    }
  }
  return estimate_row(title, Estimate{1 / *row.value, interval, row.n}, row.interval, row.reason);
}

constexpr const char* kAudioSeconds = "audio_seconds";

// A unit is a whole cycle, whose sounds are the same each time.
MetricRow audio_rate_row(const Slices& slices) {
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < slices.all.size(); ++i) {
    const SampleWindow& window = slices.windows[i];
    const auto seconds = each_unit(window, cycle_total(*slices.all[i], window, kAudioSeconds));
    if (!window.samples.empty() && !seconds.empty()) keep(estimates, window, estimate_ratio(seconds, window.seconds));
  }
  const std::string_view otherwise = estimates.empty() ? kNotAvailable : kTooFewSamples;
  return replicated_row({"throughput_audio_seconds", "ratio"}, estimates, first_problem(slices.windows, otherwise));
}

// Of training steps, and of results of versions that stored no seconds: all sounds of a case are of one length.
MetricRow rate_of_equal_sounds(const std::vector<SampleWindow>& windows, double seconds) {
  MetricRow row = rate_metric("throughput_audio_seconds", windows, &SampleWindow::examples);
  for (std::optional<double>* part : {&row.value, &row.low, &row.high}) {
    if (*part) **part *= seconds;
  }
  return row;
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

std::vector<MetricRow> missing_duration(std::string_view metric, std::string_view reason) {
  std::vector<MetricRow> rows;
  for (const auto statistic : {"median", "mean", "stddev", "min", "max", "mad"}) {
    rows.push_back(missing_row({metric, statistic}, reason));
  }
  for (const Percentile& percentile : kPercentiles) rows.push_back(missing_row({metric, percentile.name}, reason));
  rows.push_back(missing_row({metric, "total"}, reason));
  return rows;
}

std::vector<MetricRow> duration_metrics(std::string_view metric, const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_duration(metric, first_problem(all, "no samples"));
  if (windows.front().has_cycles()) return pooled_rows(metric, windows, kOverInputs);
  std::vector<MetricRow> rows{median_row(metric, windows), mean_row(metric, windows)};
  const std::vector<MetricRow> pooled = pooled_rows(metric, windows, "");
  rows.insert(rows.end(), pooled.begin(), pooled.end());
  return rows;
}

std::vector<MetricRow> described_durations(std::string_view metric, const std::vector<SampleWindow>& all,
                                           std::string_view why) {
  std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_duration(metric, first_problem(all, "no samples"));
  for (SampleWindow& window : windows) window.problem = why;
  return pooled_rows(metric, windows, why);
}

std::vector<MetricRow> latency_metrics(const std::vector<SampleWindow>& all) {
  std::vector<MetricRow> rows = duration_metrics("latency", all);
  if (all.empty() || !all.front().has_cycles()) return rows;
  rows.push_back(cycle_time_metric(all));
  return rows;
}

MetricRow cycle_time_metric(const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_row({"cycle_time", "mean"}, first_problem(all, "no samples"));
  return mean_row("cycle_time", windows);
}

MetricRow rate_metric(std::string_view metric, const std::vector<SampleWindow>& all,
                      std::vector<double> SampleWindow::*work) {
  return rate_row(metric, all, work);
}

MetricRow median_metric(std::string_view metric, const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_row({metric, "median"}, first_problem(all, "no samples"));
  return median_row(metric, windows);
}

MetricRow low_percentile_metric(std::string_view metric, const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  if (windows.empty()) return missing_row({metric, "p10"}, first_problem(all, "no samples"));
  return percentile_row(metric, {"p10", 0.10}, windows, pooled_samples(windows));
}

std::vector<MetricRow> example_metrics(const std::vector<SampleWindow>& all) {
  MetricRow rate = rate_metric("throughput_samples", all, &SampleWindow::examples);
  MetricRow time = inverse_of(rate, {"time_per_example", "ratio", "derived"});
  return {std::move(rate), std::move(time)};
}

MetricRow batch_rate_metric(const std::vector<SampleWindow>& all) {
  return rate_row("throughput_batches", all, [](const SampleWindow& window) {
    return each_unit(window, static_cast<double>(window.batches_per_cycle));
  });
}

std::vector<MetricRow> throughput_metrics(const std::vector<SampleWindow>& all) {
  const std::vector<SampleWindow> windows = filled(all);
  std::vector<MetricRow> rows = example_metrics(all);
  rows.push_back(rate_metric("throughput_useful_tokens", all, &SampleWindow::useful_tokens));
  rows.push_back(rate_metric("throughput_processed_tokens", all, &SampleWindow::processed_tokens));
  rows.push_back(windows.empty() ? missing_row({"padding_share", "ratio"}, first_problem(all, "no samples"))
                                 : padding_row(windows));
  return rows;
}

std::vector<MetricRow> throughput_metrics(const CaseRecord& the_case, const Slices& slices) {
  std::vector<MetricRow> rows = throughput_metrics(slices.windows);
  const bool counts_seconds = std::any_of(slices.all.begin(), slices.all.end(), [](const ReplicateRecord* slice) {
    return find_series(slice->series, kAudioSeconds) != nullptr;
  });
  if (counts_seconds) {
    rows.push_back(audio_rate_row(slices));
  } else if (const auto seconds = number_of_path(the_case.requested, {"audio_seconds"})) {
    rows.push_back(rate_of_equal_sounds(slices.windows, *seconds));
  } else if (reads_audio(the_case.requested) && is_train(the_case.requested)) {
    rows.push_back(
        missing_row({"throughput_audio_seconds", "ratio"}, "steps on files do not report the seconds of their sounds"));
  }
  return rows;
}

const MetricRow* headline(const std::vector<MetricRow>& metrics) {
  const MetricRow* cycle = find_metric(metrics, "cycle_time", "mean");
  return cycle != nullptr ? cycle : find_metric(metrics, "latency", "median");
}

MetricRow headline_of(const std::vector<SampleWindow>& all) {
  const bool is_of_cycles = !all.empty() && all.front().is_of_cycles();
  return is_of_cycles ? cycle_time_metric(all) : median_metric("latency", all);
}

}  // namespace transformeter
