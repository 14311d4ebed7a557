// Tokenizers from the files a checkpoint comes with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "tokenizers/tokenizer.h"

namespace transformeter {

struct TokenizerOptions {
  std::optional<bool> lowercase;                             // for vocab.txt; nothing: what tokenizer_config.json says
  bool lowercases_first = false;                             // texts, before the tokenizer's own normalizer
  std::optional<std::int64_t> filled_length = std::nullopt;  // see TokenizerTraits
};

/// Loads `tokenizer.json` (any of the components that docs/tokenizers.md lists), or `vocab.json` (`encoder.json`) with
/// `merges.txt` beside it, or `vocab.txt`. Of a folder the first of these counts. A file of another name is taken by
/// its ending: .json as tokenizer.json, .txt as one word a line.
///
/// tokenizer_config.json and its companions beside it count as docs/tokenizers.md says, and config.json where they name
/// no class. Where neither tokenizer_config.json exists nor `options` says whether vocab.txt is lower-cased, the
/// vocabulary does: one with a capital letter outside [brackets] is cased, since a lower-cased text could never use
/// that word. Of truncation in tokenizer.json the direction counts; padding is ignored.
///
/// Throws Error(kBadInput) naming the file: for what cannot be read, is not UTF-8 or JSON, repeats a word or an id,
/// lacks a special token that is needed, padding where texts are filled with it too, merges tokens that are not in the
/// vocabulary, or asks for a component that is not known.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file,
                                          const TokenizerOptions& options = {});

}  // namespace transformeter
