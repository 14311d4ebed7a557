// How long cases will take that were never measured, from others that were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "store/store.h"

namespace transformeter {

/// What the time of a case is scaled by.
struct CaseWork {
  Json settings;       // as requested
  double flops = 0;    // useful, of a batch or a training step
  double batches = 1;  // of a cycle
};

/// A case that was measured on this machine.
struct MeasuredRate {
  Json settings;
  std::string label;
  std::string run_id;
  double flops = 0;                                       // useful, of a batch or a training step
  double flops_per_s = 0;                                 // over all its samples
  std::optional<double> low_per_s = {}, high_per_s = {};  // of its 95 % interval
  bool is_doubtful = false;
};

/// By the FLOPs per second of the nearest measured case. The ends hold the interval of its rate and the largest error
/// of such forecasts among the measured cases, from as far in FLOPs or farther, and from the same model or from another
/// one, as this; nothing where fewer than three such errors are known, or the rate has no lower end above 0.
struct ScaledTime {
  double value_s = 0;  // of a cycle of batches or a training step
  std::optional<double> low_s, high_s;
  std::string label;  // of the nearest case
  std::string run_id;
  bool is_doubtful = false;  // the nearest case is
};

/// Of the latest runs those cases on the machine of that fingerprint that are ok, not invalid, and have FLOPs; each
/// once, by the latest run in which it is valid, else by the latest.
std::vector<MeasuredRate> measured_rates(Store& store, const std::string& fingerprint);

/// From a case with the same settings but those of what is computed and how often, such as the batch size, both of a
/// fixed length or both of natural ones: of these one of the same model, else of another; of these a valid one, else a
/// doubtful one; of these the nearest in FLOPs. Nothing without one.
std::optional<ScaledTime> scaled_time(const CaseWork& asked, const std::vector<MeasuredRate>& measured);

}  // namespace transformeter
