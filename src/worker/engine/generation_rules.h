// Scores of the next token as generation_config.json changes them: Transformers' logits processors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "model/model.h"
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

/// What the rules see before the new tokens of each row: its own tokens, without padding, or `start`, the first token
/// of a decoder of the model's own, to which the prompt is no part of the text. Empty: there are no rules.
std::vector<std::vector<std::int64_t>> ruled_prompts(const ModelInputs& prompt, std::optional<std::int64_t> start,
                                                     const GenerationSettings& settings);

/// Throws Error(kUnsupported) for NaN and infinities, of which the most likely is always the first word.
void check_finite(const at::Tensor& logits);

}  // namespace transformeter
