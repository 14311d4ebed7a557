// Peaks and operations of a machine and a model that do not exist: round numbers, so that a test can work them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "fake_worker/cycle.h"
#include "schema/peak.h"
#include "schema/series.h"

namespace transformeter {

/// 100 GFLOP/s ± 1 % for matrix products and 20 GB/s ± 1 % for memory, unless `overrides` has another rate for the
/// quantity, {"rate", "foreign_load"} for a disturbed one, or null for none.
Peak fake_peak(const std::string& quantity, const Json& overrides);

/// useful_flops, processed_flops and padded_flops of the first `batches` of `cycle`, a million for each token, and
/// audio_seconds, 0.02 for each useful one, without those that `overrides` gives or leaves out.
std::vector<Series> fake_work(const std::vector<FakeBatch>& cycle, std::int64_t batches, const Json& overrides);

}  // namespace transformeter
