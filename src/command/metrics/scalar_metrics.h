// Rows that come from one number per replicate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"

namespace transformeter {

/// The first value of the series of that name; nothing when it is missing, empty or not finite.
std::optional<double> scalar_of(const ReplicateRecord& replicate, std::string_view series);

/// Whether a scalar can be a number of things: whole, not negative, and exact as a double.
bool is_count(double value);

/// One scalar of that name, as measured; the metric is called like its series. Statistic "value" for one of
/// `replicates`, "mean" for more, with a t interval over them from 3 on.
MetricRow scalar_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name);

/// Of effective.memory_forecast.
std::string why_no_memory_forecast(const CaseRecord& the_case);

/// One scalar of that name that was not measured but computed from the case alone; `why_none`: where there is none.
MetricRow forecast_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name,
                          std::string_view why_none);

}  // namespace transformeter
