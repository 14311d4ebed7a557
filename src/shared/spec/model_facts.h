// What can be said of a model before it runs, in one struct: what `models` and `models --describe` show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "spec/model_config.h"

namespace transformeter {

struct ModelFacts {
  std::string name;
  std::string family;
  std::int64_t parameters = 0;       // without a head; the pooler counts where published figures count it
  std::int64_t bytes = 0;            // of those in fp32
  double flops_per_token = 0;        // of a forward pass without a head over sequence_length tokens, divided by them
  std::int64_t sequence_length = 0;  // asked for, or the longest the model takes when that is less; of images theirs
  std::int64_t asked_length = 0;     // as the user asked, before models shorten it
};

/// `sequence_length` is at least 1.
ModelFacts model_facts(const std::string& name, const ModelConfig& config, std::int64_t sequence_length);

/// {name, family, parameters, bytes, flops_per_token, sequence_length}.
Json to_json(const ModelFacts& facts);

/// Everything else that is known: sizes, tasks with their parameters and FLOPs, bytes by precision, cache.
/// `tokenizer_limit`: tokens that the tokenizer cuts texts to.
Json describe_model(const ModelFacts& facts, const ModelConfig& config, std::optional<std::int64_t> tokenizer_limit);

}  // namespace transformeter
