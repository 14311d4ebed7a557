// vocab.txt: BERT's vocabulary, one word a line.
#pragma once

#include <filesystem>

#include "text/pipeline_tokenizer.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_loader.h"

namespace transformeter {

/// What load_tokenizer says of vocab.txt.
TokenizerParts parts_from_vocab_txt(const std::filesystem::path& path, const TokenizerConfig& config,
                                    const TokenizerOptions& options);

}  // namespace transformeter
