// Tokenizers from the files a checkpoint comes with.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "text/tokenizer.h"

namespace transformeter {

struct TokenizerOptions {
  std::optional<bool> lowercase;  // for vocab.txt; nothing: what tokenizer_config.json says
};

/// Loads `tokenizer.json` (WordPiece with BertNormalizer and BertPreTokenizer), or `vocab.txt`. A folder with both
/// gives tokenizer.json. A file is taken by its ending: .json, or .txt with one word a line.
///
/// Beside vocab.txt, tokenizer_config.json may give do_lower_case, strip_accents, tokenize_chinese_chars, the special
/// tokens' names and added_tokens_decoder. Where neither it nor `options` says whether to lower-case, the vocabulary
/// does: one with a capital letter outside [brackets] is cased, since a lower-cased text could never use that word.
/// Beside tokenizer.json only the special tokens' names are read from it; truncation and padding are ignored.
///
/// Throws Error(kBadInput) naming the file: for what cannot be read, is not UTF-8 or JSON, repeats a word, lacks one of
/// [PAD], [UNK], [CLS], [SEP], or asks for a component that is not known.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file,
                                          const TokenizerOptions& options = {});

}  // namespace transformeter
