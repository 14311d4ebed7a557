// Which workload settings apply to which data and shape. A point of the plan keeps only those, so that an axis does not
// produce duplicate cases.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "datasets/dataset.h"
#include "run/plan.h"

namespace transformeter {

/// 1 for a case of single requests.
std::int64_t batch_size_of(const Json& point);
/// Tokens in a row; nothing for natural lengths and for requests.
std::optional<std::int64_t> fixed_length_of(const Json& point);

/// Removes from `point` what does not apply to its scenario, data and shape: batches without the scenario batch,
/// columns and classes without a data file, padding with natural lengths, a length distribution without synthetic texts
/// of natural lengths, which get a default one.
void settle_workload(Json& point);

/// Throws Error(kBadInput) for a setting that the plan sets explicitly and that applies to none of its points, whose
/// task is known.
void check_workload_use(const Plan& plan, std::span<const Json> points);

/// Throws Error(kBadInput) for a setting among those `given` that does nothing in a fine-tuning with these settings,
/// as check_workload_use for a training.
void check_finetune_use(const Json& settings, const std::vector<std::string>& given);

/// Why the rows of a point cannot be batched as it says; nothing where they can.
std::optional<std::string> why_not_batched(const Json& point);

/// The columns and classes of a point.
DataOptions data_options(const Json& point);

/// Whether the setting is one of the scenario train alone.
bool is_of_training(std::string_view setting);

}  // namespace transformeter
