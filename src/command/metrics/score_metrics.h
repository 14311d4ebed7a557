// Why a case's answers have no score.
#pragma once

#include <string>

#include "schema/record.h"

namespace transformeter {

/// Whether its weights are known to be random.
bool has_seeded_weights(const CaseRecord& the_case);

/// Of a case without a score; the general reason where nothing else is known.
std::string why_not_scored(const CaseRecord& the_case);

/// Nothing where model and data have as many classes, or one of them is not known.
std::optional<std::string> other_classes(const CaseRecord& the_case);

}  // namespace transformeter
