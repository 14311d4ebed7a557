// Amounts of the batches of a cycle, which are the same each time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "metrics/sample_window.h"
#include "schema/record.h"

namespace transformeter {

/// The sum of a series with a value for each batch of the cycle; nothing where it is missing, of another cycle, or 0.
std::optional<double> cycle_total(const ReplicateRecord& replicate, const SampleWindow& window, std::string_view name);

/// That of each unit of the window; empty for nothing.
std::vector<double> each_unit(const SampleWindow& window, const std::optional<double>& amount);

}  // namespace transformeter
