// The patterns that a diagnosis looks for, one function each. docs/training-diagnosis.md defines them and the
// thresholds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/training_series.h"

namespace transformeter {

/// An overhead below this share of the smallest batch's step is negligible.
inline constexpr double kOverheadShare = 0.1;
/// If a step deviates more from the fitted line, step times are not considered linear.
inline constexpr double kWorstLineMiss = 0.1;
/// Assumed minimum relative error of a time, however narrow its interval.
inline constexpr double kMinRelativeError = 0.001;
/// Throughput within this share of the best counts as the best.
inline constexpr double kSaturationShare = 0.05;
/// A cause must explain at least this share of a slowdown.
inline constexpr double kCauseShare = 0.5;
/// Page faults count as a cause from this number per step, if they grow by this factor per example.
inline constexpr double kManyPageFaults = 1000;
inline constexpr double kPageFaultGrowth = 1.5;
/// A pattern is present above these shares of a step or of processed tokens.
inline constexpr double kDataWaitShare = 0.1;
inline constexpr double kOptimizerShare = 0.15;
inline constexpr double kPaddingShare = 0.2;
/// A share without an interval must be beyond its threshold by this factor.
inline constexpr double kMarginWithoutInterval = 2;
/// The factor of gradient accumulation for which the gain is predicted.
inline constexpr double kPredictedAccumulation = 4;
/// A peak above this share of the limit is close to it.
inline constexpr double kMemoryShare = 0.9;

/// "fixed_overhead": the part of a step's time that does not grow with the step.
TrainingFinding overhead_finding(const TrainingSeries& series);
/// "saturation": the smallest batch whose throughput is within kSaturationShare of the best.
TrainingFinding saturation_finding(const TrainingSeries& series);
/// "decline": throughput that falls beyond the best batch, with the causes for which there is evidence.
TrainingFinding decline_finding(const TrainingSeries& series);
/// "data_bound", "optimizer_bound", "padding_bound".
TrainingFinding data_finding(const TrainingSeries& series);
TrainingFinding optimizer_finding(const TrainingSeries& series);
TrainingFinding padding_finding(const TrainingSeries& series);
/// Used and available memory of a case: the worker's anonymous memory and its limit, or on other devices the process's
/// device memory and the device's total.
struct MemoryUse {
  EvidenceFigure peak;
  std::string limit_name;       // "memory_limit", "device_memory"
  double limit = 0;             // bytes
  bool is_upper_bound = false;  // peak_rss where peak_anonymous is missing: mapped files count against no limit
  double share() const { return peak.value / limit; }
};
/// Nothing if the measurement or the limit is missing.
std::optional<MemoryUse> memory_use(const TrainingPoint& point);
/// "peak_anonymous is 9.50 GB, 95.0 % of the memory limit of 10 GB".
std::string memory_use_text(const MemoryUse& use);
/// "memory_bound": a batch that did not fit, or a peak close to the limit.
TrainingFinding memory_finding(const TrainingSeries& series);
/// "device_crossover": which of two devices is faster at which batch sizes. Series of one key_without_device.
TrainingFinding device_finding(const TrainingSeries& first, const TrainingSeries& second);

/// The point of the highest throughput. The series has points.
const TrainingPoint& fastest_point(const TrainingSeries& series);

/// The wait, a phase or another metric ÷ the step's time; nothing where the case has no such figure.
std::optional<EvidenceFigure> share_of_step(const TrainingPoint& point, std::string_view phase);

}  // namespace transformeter
