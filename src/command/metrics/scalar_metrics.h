// Rows that come from one number per replicate, and those derived from such numbers: times, memory, load, accuracy.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"

namespace transformeter {

/// The first value of the series of that name; nothing when it is missing, empty or not finite.
std::optional<double> scalar_of(const ReplicateRecord& replicate, std::string_view series);

/// Whether a scalar can be a number of things: whole, not negative, and exact as a double.
bool is_count(double value);

/// `replicates` are those with status ok. Statistic "value" for one replicate, "mean" for more, with a t interval over
/// them from 3 on.
/// `first_forward` is null where no sample is flagged as the first pass of its process.
std::vector<MetricRow> scalar_metrics(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates,
                                      const std::vector<const ReplicateRecord*>& slices);

/// One scalar of that name, as measured; the metric is called like its series.
MetricRow scalar_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name);

/// One scalar of that name that was not measured but computed from the case alone; `why_none`: where there is none.
MetricRow forecast_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name,
                          std::string_view why_none);

/// peak_reserved and device_process_memory, or why there is none: on a CPU the operating system's figures say it.
std::vector<MetricRow> device_memory_metrics(const CaseRecord& the_case,
                                             const std::vector<const ReplicateRecord*>& replicates);

/// The share of correct answers with Wilson's interval over the examples, or why there is none.
MetricRow accuracy_metric(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates);

/// Macro F1 of the answers of the first replicate that has them, with the bootstrap interval that `score` gives the
/// same answers, or why there is none.
MetricRow macro_f1_metric(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates);

}  // namespace transformeter
