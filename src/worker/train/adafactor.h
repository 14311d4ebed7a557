// Adafactor (Shazeer and Stern 2018, arXiv:1804.04235): second moments kept as a row and a column for each matrix.
#pragma once

#include <memory>
#include <vector>

#include "train/optimizer.h"

namespace transformeter {

/// As transformers.optimization.Adafactor with scale_parameter, relative_step and warmup_init off, clip_threshold 1 and
/// decay_rate -0.8: the rate is that of the schedule. State is fp32 whatever the weights are.
std::unique_ptr<Optimizer> make_adafactor(const OptimizerOptions& options, std::vector<TrainedWeight> weights);

}  // namespace transformeter
