// Hugging Face's tokenizer.json: the file, and the tokenizer it describes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tokenizers/pipeline_tokenizer.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {

/// The file with `model.vocab` and `model.merges`, most of its bytes, kept apart from the tree: a tree of 30,522
/// members takes several times as long to build as the vocabulary itself.
struct TokenizerJson {
  struct Text {
    std::size_t offset = 0;  // of its first byte in `words`
    std::size_t size = 0;
  };
  struct Word {
    Text text;
    std::int32_t id = 0;
  };
  struct Merge {
    Text left;
    Text right;
  };
  Json rest;                     // everything but model.vocab, where that is an object, and model.merges
  std::string words;             // the texts, one after the other
  std::vector<Word> vocabulary;  // in the order of the file
  std::vector<Merge> merges;     // by rank

  Text append(std::string_view text);
  /// A merge written as "a b"; false, and nothing changed, when it is not that.
  bool add_merge(std::string_view text);
  std::string_view view(Text text) const { return std::string_view(words).substr(text.offset, text.size); }
};

/// The quick way, for text whose vocabulary and merges are written plainly: escapes other than \" and \\ and ids of
/// eight digits are not, and the merges stand behind the vocabulary. Nothing for any other text, valid or not. Four
/// times as fast as the general way.
std::optional<TokenizerJson> read_plain_tokenizer_json(std::string_view text);

/// The quick way, else the general one. Throws Error(kBadInput) naming `what` and the byte.
TokenizerJson parse_tokenizer_json(const std::string& what, std::string_view text);
/// The same of a file.
TokenizerJson read_tokenizer_json(const std::filesystem::path& path);

/// An object of tokens and ids alone, as vocab.json is; everything else of the result is empty. Errors as above.
TokenizerJson parse_vocabulary_json(const std::string& what, std::string_view text);
/// The quick way of it, nothing for any other text.
std::optional<TokenizerJson> read_plain_vocabulary(std::string_view text);

/// What load_tokenizer says of tokenizer.json. `config` gives the names of the special tokens, and the sides.
TokenizerParts parts_from_json(const std::filesystem::path& path, const TokenizerConfig& config);

}  // namespace transformeter
