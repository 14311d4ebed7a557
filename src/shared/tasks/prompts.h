// Causal language models: texts as prompts, and generated tokens as text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/cycle.h"
#include "spec/model_config.h"
#include "tasks/prediction_task.h"

namespace transformeter {

/// Prompts that the scenario generate takes in turn: enough that none is answered from what the one before it left, few
/// enough to be read in a moment.
inline constexpr std::int64_t kMeasuredPrompts = 8;

/// Throws Error(kUnsupportedShape) when `prompt_length` and `new_tokens` together are beyond the model's positions, and
/// when the cache is outgrown between them (see ModelConfig::cache_limit): a step that computes all tokens again is no
/// decode step, and would be measured as one.
void check_generation_room(std::int64_t prompt_length, std::int64_t new_tokens, const ModelConfig& config);

/// The prompts as batches of one row of options.sequence_length tokens each: the text of successive examples, or random
/// tokens where `data` is null. With options.open_end they go on, else they end as an encoder's texts do. Seeded; the
/// batch size of `options` is not looked at.
Cycle measured_prompts(const DataSet* data, const Tokenizer& tokenizer, CycleOptions options);

/// The tokens of a prompt. Throws Error(kBadInput) for a pair, an empty text, and where prompt and new tokens together
/// are more than the model, or max_length, has room for: what was cut off a prompt would be missing from the answer. A
/// decoder of its own counts its tokens apart, and only the text needs room.
Encoding encode_prompt(const PredictionInput& input, const PredictionModel& model, const PredictionOptions& options);

/// One batch, padded on the left with `pad`, so that all prompts end in the last column. At least one prompt.
Batch pad_prompts(std::span<const Encoding> prompts, std::int32_t pad);

/// The text of `ids` alone, as Transformers' text generation pipeline decodes them; special tokens are left out.
GeneratedText decode_generated(std::vector<std::int64_t> ids, const Tokenizer& tokenizer);

}  // namespace transformeter
