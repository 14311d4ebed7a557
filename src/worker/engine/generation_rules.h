// Scores of the next token as generation_config.json changes them: Transformers' logits processors of greedy text.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "spec/generation_settings.h"

namespace transformeter {

/// One row's next token.
struct NextToken {
  const std::vector<std::int64_t>& prompt;  // without padding
  const std::vector<std::int64_t>& text;    // generated so far
  const std::vector<std::int64_t>& ends;    // end tokens
};

/// Changes `scores` [V], fp32 on the host.
void apply_rules(const GenerationSettings& settings, const NextToken& next, at::Tensor& scores);

}  // namespace transformeter
