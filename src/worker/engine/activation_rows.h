// Activations of a row in fp32, for what is computed row by row.
#pragma once

#include <cstdint>

#include "spec/blueprint.h"

namespace transformeter {

/// Values become their activations.
using RowActivation = void (*)(float* values, std::int64_t count);

/// Null for an activation that has none: there are GELU (off by at most 5e-7 · |x|) and ReLU. NaN stays NaN.
RowActivation row_activation(Activation activation);

}  // namespace transformeter
