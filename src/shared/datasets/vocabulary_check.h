// Checks that a tokenizer fits its model.
#pragma once

#include <filesystem>

#include "spec/model_config.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// Throws Error(kBadInput) naming `path`, where the tokenizer comes from, if it gives token IDs that the model has no
/// embedding for.
void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config, const std::filesystem::path& path);

}  // namespace transformeter
