// Which combinations of components have an encoder of their own.
#pragma once

#include <memory>

#include "tokenizers/fused_encoder.h"
#include "tokenizers/pipeline_tokenizer.h"

namespace transformeter {

/// The encoder for the components of `parts`, which outlive it; null where there is none.
std::unique_ptr<const FusedEncoder> make_fused_encoder(const TokenizerParts& parts);

}  // namespace transformeter
