// Rows of the scenario train: where a step's time and memory go, and how the loss falls.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/slices.h"

namespace transformeter {

/// The parts of a step, as their metrics are named, in the order of tables; the last is what the measured ones leave of
/// the step.
inline constexpr std::array<std::string_view, 5> kStepPhases{"data_wait", "forward_time", "backward_time",
                                                             "optimizer_time", "other_time"};
inline constexpr std::span<const std::string_view, 4> kMeasuredPhases = std::span(kStepPhases).first<4>();

/// `windows` are those of `latency`, one for each of `replicates`: the same steps count for times and rates. The loss
/// is that of all steps, warm-up included: a model learns from the first.
std::vector<MetricRow> train_metrics(const CaseRecord& the_case, const Slices& slices);

/// `loss` and `loss_convergence_rate` over the first `most_steps` steps of each replicate: only figures over as many
/// steps can be compared.
std::vector<MetricRow> loss_metrics(const std::vector<const ReplicateRecord*>& replicates,
                                    std::size_t most_steps = std::numeric_limits<std::size_t>::max());

}  // namespace transformeter
