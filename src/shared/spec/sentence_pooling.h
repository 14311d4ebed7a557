// How a folder of sentence-transformers turns the tokens' vectors into one: modules.json and the pooling's config.json.
#pragma once

#include <filesystem>

#include "spec/model_config.h"

namespace transformeter {

/// Sets pooling and has_normalized_embeddings from `folder`; leaves both where it has no modules.json. Throws
/// Error(kBadInput) for files that are no such, and Error(kUnsupported) for several poolings at once, a pooling other
/// than mean, first and last token, and modules other than Transformer, Pooling and Normalize.
void read_sentence_pooling(const std::filesystem::path& folder, ModelConfig& config);

/// "mean", "cls", "last".
std::string_view pooling_name(Selection pooling);
/// Throws Error(kBadInput) for another name.
Selection pooling_from_name(std::string_view name);

}  // namespace transformeter
