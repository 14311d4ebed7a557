// Measured peaks for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "schema/peak.h"

namespace transformeter {

/// A row for each peak, then what is to be known of them; `records` are of one machine.
std::string peaks_table(const std::vector<PeakRecord>& records, const std::string& store);

/// {"peaks": [...]}, every point with it.
std::string peaks_json(const std::vector<PeakRecord>& records);

}  // namespace transformeter
