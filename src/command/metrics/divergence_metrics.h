// How far a case's outputs are from its reference's, and how far its precision may take them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"

namespace transformeter {

/// The divergence above which a case of that precision with trained weights is invalid, with seeded ones up to three
/// times as much; docs/numerics.md says where the figures come from.
/// Nothing for a precision that is not in the table.
std::optional<double> divergence_tolerance(std::string_view precision);

/// The figures of a divergence above the tolerance of the precision asked for; empty where it is not.
std::string excessive_divergence(const CaseRecord& the_case, const ReplicateRecord& replicate);

/// Why a divergence within the tolerance proves little: a wrong model would be within it too, or would not diverge four
/// times as far (measurement.md 20). Empty where it proves something, and where the reference has no controls.
std::string untestable_numerics(const CaseRecord& the_case, const ReplicateRecord& replicate);

/// Why the outputs of a case that ran were not compared; nothing where those of a replicate were.
std::optional<std::string> why_not_compared(const CaseRecord& the_case,
                                            const std::vector<const ReplicateRecord*>& replicates);

}  // namespace transformeter
