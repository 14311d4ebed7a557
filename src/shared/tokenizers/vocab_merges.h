// Byte-level BPE from vocab.json (or encoder.json) and merges.txt, as GPT-2, RoBERTa, OPT and Qwen2 are published.
#pragma once

#include <filesystem>

#include "tokenizers/pipeline_tokenizer.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {

/// What load_tokenizer says of vocab.json; `vocab` is its path, and merges.txt is in the same folder.
TokenizerParts parts_from_vocab_merges(const std::filesystem::path& vocab, const TokenizerConfig& config);

}  // namespace transformeter
