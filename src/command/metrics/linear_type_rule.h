// Whether the linear operators of a pass ran in the number formats that were asked for.
#pragma once

#include <optional>
#include <string>

#include "schema/record.h"

namespace transformeter {

/// What ran otherwise, with counts and shares; empty: nothing did, or the worker did not report it. Small products are
/// allowed to stay in the activations' format in int8, and a compiled file may hold quantized products, and what it
/// likes in fp32.
std::string wrong_linear_types(const CaseRecord& the_case);

/// Of the operations of a pass's linear operators, the share of those that did not run in 8 bits; nothing where the
/// worker did not report it.
std::optional<double> share_outside_int8(const CaseRecord& the_case);

}  // namespace transformeter
