// vocab.txt: BERT's vocabulary, one word a line.
#pragma once

#include <filesystem>

#include "tokenizers/pipeline_tokenizer.h"
#include "tokenizers/tokenizer_config.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {

/// What load_tokenizer says of vocab.txt.
TokenizerParts parts_from_vocab_txt(const std::filesystem::path& path, const TokenizerConfig& config,
                                    const TokenizerOptions& options);

/// Whether it has a capital letter outside [brackets], so that texts are not to be lower-cased unless somebody says so.
bool is_cased_vocabulary(const std::filesystem::path& path);

}  // namespace transformeter
