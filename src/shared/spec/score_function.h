// How logits become scores: those of a cross-encoder of sentence-transformers, and of named classes.
#pragma once

#include <optional>

namespace transformeter {

struct ModelConfig;

enum class ScoreFunction { kIdentity, kSigmoid, kTanh, kSoftmax };

/// Of config_sentence_transformers.json, else of config.json, which older versions write it to. Where neither names a
/// class of torch: of a folder that says that it is a cross-encoder the usual one, else nothing. Throws
/// Error(kUnsupported) for a class that is not computed here, and for a default prompt.
std::optional<ScoreFunction> score_function_of(const ModelConfig& config);

}  // namespace transformeter
