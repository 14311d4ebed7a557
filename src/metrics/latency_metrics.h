// Rows of latency, cycle time and throughput from the windows of a case's replicates.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"

namespace transformeter {

/// `all` are the windows of one case, so of one K; empty ones are left out of every figure. Without any sample the rows
/// are there, missing, with the first window's problem.
std::vector<MetricRow> latency_metrics(const std::vector<SampleWindow>& all);
std::vector<MetricRow> throughput_metrics(const std::vector<SampleWindow>& all);

/// The row the verdict judges: median latency for one batch per cycle, mean cycle time for more.
const MetricRow* headline(const std::vector<MetricRow>& metrics);

}  // namespace transformeter
