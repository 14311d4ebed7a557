// Where the tokens of a padded batch stand in their rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/model.h"

namespace transformeter {

/// [B or 1, T] int64: columns, after `before` tokens that a cache holds, or where `skips_padding` the count of tokens
/// before each that are not padding, and −1 for padding then. What the inputs name themselves goes first.
at::Tensor token_positions(const ModelInputs& inputs, bool skips_padding, std::int64_t before);

}  // namespace transformeter
