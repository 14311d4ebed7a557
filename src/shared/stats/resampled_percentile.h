// How far a percentile of pooled samples would move, had other processes or slices been measured.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/bootstrap.h"

namespace transformeter {

/// The standard error of the pooled samples' percentile p in (0, 1), in their unit: the standard deviation over
/// resamples, each of as many units, such as processes, drawn with repetition and with all of their samples, times
/// √(n ÷ (n − 1)), since n units spread less around their own mean than around the true one. Deterministic for a seed.
/// Nothing below three units, for an empty one, for samples that are not finite, and without resamples.
std::optional<double> resampled_percentile_error(std::span<const std::vector<double>> units, double p,
                                                 const BootstrapOptions& options = {});

}  // namespace transformeter
