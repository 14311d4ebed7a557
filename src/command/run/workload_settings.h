// Which workload settings apply to which data and shape. A point of the plan keeps only those, so that an axis does not
// produce duplicate cases.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "run/plan.h"
#include "schema/case.h"

namespace transformeter {

/// Removes from `point`, whose task is known, what does not apply to its scenario, data and shape: batches without the
/// scenario batch, columns and classes without a data file, padding with natural lengths, a length distribution without
/// synthetic texts. Those of natural lengths get a default one.
void settle_workload(Json& point);

/// Whether the case asks for the bundled data but cannot use them: they are sentences, without targets.
bool lacks_bundled_data(const Case& the_case);

/// What the task's data may be, beside random ones, as errors say: "a table of texts and targets".
std::string data_for(Task task);

/// Removes the settings that have no use for the case.
void drop_unused_settings(Json& settings);

/// Throws Error(kBadInput) for a setting that the plan sets explicitly and that applies to none of its points, whose
/// task is known.
void check_workload_use(const Plan& plan, std::span<const Json> points);

/// Throws Error(kBadInput) for a plan that counts both samples and cycles.
void check_counts(const Plan& plan);

/// Throws Error(kBadInput) for a setting among those `given` that does nothing in this fine-tuning.
void check_finetune_use(const Case& the_case, const std::vector<std::string>& given);

/// Why a case cannot draw the lengths of its rows: it asks for a share of padding too, or all lengths exceed the rows.
/// Nothing where it can, or draws none.
std::optional<Error> why_no_row_lengths(const Case& asked);

/// Throws that Error(kBadInput) where it holds for all `points`, which are settled. Where it holds for some, these are
/// unsupported.
void check_row_lengths(std::span<const Json> points);

/// Why the rows of a case cannot be batched as it says; nothing where they can.
std::optional<std::string> why_not_batched(const Case& the_case);

}  // namespace transformeter
