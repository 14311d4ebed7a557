// Which cases cannot have enough memory because a smaller one had not.
#pragma once

#include <string>

#include "base/json.h"
#include "schema/record.h"

namespace transformeter {

/// True when both points (requested settings) are equal but for what shapes a batch or a request, and `point` is at
/// least as large as `out_of_memory` in all of it. Natural lengths compare with natural lengths only.
bool needs_more_memory(const Json& point, const Json& out_of_memory);

/// "case c01 (batch size 8, sequence length 128) ran out of memory".
std::string implied_reason(const CaseRecord& out_of_memory);

}  // namespace transformeter
