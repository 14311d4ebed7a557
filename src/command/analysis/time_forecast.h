// How long cases will take that were never measured, from others that were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "store/store.h"

namespace transformeter {

/// A case that was measured on this machine.
struct MeasuredRate {
  Json requested;  // its settings
  std::string label;
  std::string run_id;
  double flops = 0;   // useful, of a cycle of batches or a training step
  double time_s = 0;  // of the same
};

/// A time by the FLOPs of the nearest measured case.
struct ScaledTime {
  double value_s = 0;
  std::optional<double> low_s;  // by the largest error of such a forecast among the measured cases; nothing: fewer than
  std::optional<double> high_s;  // kFewestErrors of them
  std::string label;             // of the nearest case
  std::string run_id;
};

inline constexpr std::size_t kFewestErrors = 3;

/// Of the latest runs on the machine of that fingerprint: cases that are ok and not invalid, and have times and FLOPs.
std::vector<MeasuredRate> measured_rates(Store& store, const std::string& fingerprint);

/// Of a case of so many FLOPs. The nearest has the same scenario, device, engine, precision and threads, and of these
/// the same model before another, and the FLOPs that differ by the smallest factor. Nothing without one.
std::optional<ScaledTime> scaled_time(const Json& requested, double flops, const std::vector<MeasuredRate>& measured);

}  // namespace transformeter
