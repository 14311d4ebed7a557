// Rows of latency, cycle time and throughput, and of other times and rates, from the windows of a case's replicates.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/slices.h"

namespace transformeter {

/// `all` are the windows of one case, so of one K; empty ones are left out of every figure. Without any sample the rows
/// are there, missing, with the first window's problem.
std::vector<MetricRow> latency_metrics(const std::vector<SampleWindow>& all);
std::vector<MetricRow> throughput_metrics(const std::vector<SampleWindow>& all);
/// The same, and of sounds their seconds per second.
std::vector<MetricRow> throughput_metrics(const CaseRecord& the_case, const Slices& slices);

/// A metric of times with all its statistics. The windows' samples are its values. The mean is estimated per window and
/// combined; the rest is of the pooled samples, so that min ≤ median ≤ p90 ≤ ... ≤ max. The median's interval is
/// that of the windows' medians, widened where it would not hold the pooled one.
std::vector<MetricRow> duration_metrics(std::string_view metric, const std::vector<SampleWindow>& all);
/// The same without any interval, of values that are no repetitions of one thing; `why` says so.
std::vector<MetricRow> described_durations(std::string_view metric, const std::vector<SampleWindow>& all,
                                           std::string_view why);
/// Each statistic of such a metric, missing.
std::vector<MetricRow> missing_duration(std::string_view metric, std::string_view reason);

/// The mean of windows whose samples, or sums of samples over a cycle, are passes over all batches.
MetricRow cycle_time_metric(const std::vector<SampleWindow>& all);

/// One row of such a metric: the median, or the 10th percentile.
MetricRow median_metric(std::string_view metric, const std::vector<SampleWindow>& all);
MetricRow low_percentile_metric(std::string_view metric, const std::vector<SampleWindow>& all);

/// Examples per second, and its inverse.
std::vector<MetricRow> example_metrics(const std::vector<SampleWindow>& all);

/// Batches per second, of windows whose samples are batches.
MetricRow batch_rate_metric(const std::vector<SampleWindow>& all);

/// Σ work ÷ Σ seconds of the windows' units.
MetricRow rate_metric(std::string_view metric, const std::vector<SampleWindow>& all,
                      std::vector<double> SampleWindow::*work);

/// The row the verdict judges: median latency for one batch per cycle, mean cycle time for more.
const MetricRow* headline(const std::vector<MetricRow>& metrics);

/// The headline of these windows alone; missing where they have no samples.
MetricRow headline_of(const std::vector<SampleWindow>& all);

}  // namespace transformeter
