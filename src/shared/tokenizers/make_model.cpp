// From a model of tokenizer.json to ours.
#include "tokenizers/make_model.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/bpe.h"
#include "tokenizers/component_json.h"
#include "tokenizers/merge_table_builder.h"
#include "tokenizers/token_model.h"
#include "tokenizers/unigram.h"
#include "tokenizers/vocabulary.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {
namespace {

class WordLevel final : public TokenModel {
 public:
  /// `unknown_id` is of the vocabulary; nothing: unknown words are errors.
  WordLevel(StoredVocabulary vocabulary, std::optional<std::int32_t> unknown_id);

  /// Throws Error(kBadInput) for an unknown word where the model has no id for one, as Hugging Face does.
  void encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                    std::vector<TextSpan>* spans) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_.words; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }

 private:
  StoredVocabulary vocabulary_;
  std::optional<std::int32_t> unknown_id_;
};

WordLevel::WordLevel(StoredVocabulary vocabulary, std::optional<std::int32_t> unknown_id)
    : vocabulary_(std::move(vocabulary)), unknown_id_(unknown_id) {}

void WordLevel::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids,
                             std::vector<TextSpan>* spans) const {
  const std::optional<std::int32_t> known = vocabulary_.words.find(piece);
  if (!known && !unknown_id_) {
    throw bad_value("word", excerpt(piece), "a word of the vocabulary, which has no unknown token");
  }
  ids.push_back(known ? *known : *unknown_id_);
  if (spans != nullptr) spans->push_back({0, piece.size()});
}

using Made = std::unique_ptr<const TokenModel>;

Made make_wordpiece(TokenizerJson& file, const ComponentJson& json) {
  json.allow({"unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  WordPieceOptions options;
  options.continuing_subword_prefix = json.string("continuing_subword_prefix", options.continuing_subword_prefix);
  if (const auto limit = json.optional_id("max_input_chars_per_word")) options.max_input_chars_per_word = *limit;
  StoredVocabulary vocabulary = take_vocabulary(file, json.where());
  const std::string unk = json.string("unk_token", "[UNK]");
  const auto unknown_id = vocabulary.words.find(unk);
  if (!unknown_id) throw json.bad(fmt::format("vocab does not contain the unknown token '{}'", unk));
  return std::make_unique<WordPiece>(std::move(vocabulary), *unknown_id, options);
}

Made make_word_level(TokenizerJson& file, const ComponentJson& json) {
  json.allow({"unk_token", "vocab"});
  StoredVocabulary vocabulary = take_vocabulary(file, json.where());
  const auto unknown_id = vocabulary.words.find(json.string("unk_token", "<unk>"));
  return std::make_unique<WordLevel>(std::move(vocabulary), unknown_id);
}

// A member that is absent, or says what we do anyway.
void check_no_dropout(const ComponentJson& json) {
  const Json& dropout = json.optional("dropout");
  if (!dropout.is_null() && dropout != 0) {
    throw bad_value(json.where() + ": dropout", dropout.dump(), "null or 0, since tokens must not be random");
  }
}

Made make_bpe(TokenizerJson& file, const ComponentJson& json) {
  json.allow({"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback",
              "ignore_merges", "vocab", "merges"});
  check_no_dropout(json);
  BpeOptions options;
  options.fuse_unknown = json.boolean("fuse_unk", false);
  options.byte_fallback = json.boolean("byte_fallback", false);
  options.ignore_merges = json.boolean("ignore_merges", false);
  options.continuing_subword_prefix = json.string("continuing_subword_prefix", "");
  options.end_of_word_suffix = json.string("end_of_word_suffix", "");
  const std::vector<TokenizerJson::Merge> merges = std::move(file.merges);
  StoredVocabulary vocabulary = take_vocabulary(file, json.where());
  if (const auto unk = json.optional_string("unk_token")) {
    options.unknown_id = vocabulary.words.find(*unk);
    if (!options.unknown_id) throw json.bad(fmt::format("vocab does not contain the unknown token '{}'", *unk));
  }
  MergeTableBuilder table(vocabulary.words, options.continuing_subword_prefix, merges.size());
  const std::string_view words = *vocabulary.bytes;
  for (const TokenizerJson::Merge& merge : merges) {
    table.add(words.substr(merge.left.offset, merge.left.size), words.substr(merge.right.offset, merge.right.size),
              [&] { return fmt::format("{}: merges[{}]", json.where(), table.size()); });
  }
  return std::make_unique<Bpe>(std::move(vocabulary), table.take(), std::move(options));
}

}  // namespace

StoredVocabulary take_vocabulary(TokenizerJson& file, const std::string& where) {
  if (file.vocabulary.empty()) throw Error(ErrorKind::kBadInput, where + ": vocab has no tokens");
  StoredVocabulary stored;
  auto bytes = std::make_unique<std::string>(std::move(file.words));
  stored.words = Vocabulary(file.vocabulary.size());
  for (const TokenizerJson::Word& word : file.vocabulary) {
    const std::string_view text = std::string_view(*bytes).substr(word.text.offset, word.text.size);
    if (stored.words.insert(text, word.id)) continue;
    const bool same_text = stored.words.find(text).has_value();
    const std::string reason =
        same_text ? "occurs twice"
                  : fmt::format("has the same id {} as '{}'", word.id, excerpt(stored.words.token(word.id)));
    throw Error(ErrorKind::kBadInput, fmt::format("{}: vocab: '{}' {}", where, excerpt(text), reason));
  }
  stored.bytes = std::move(bytes);
  return stored;
}

std::unique_ptr<const TokenModel> make_model(TokenizerJson& file, const std::string& where) {
  const auto found = file.rest.find("model");
  if (found == file.rest.end()) throw Error(ErrorKind::kBadInput, where + ": 'model' is missing");
  const ComponentJson json(*found, where + ": model");
  if (json.type() == "BPE") return make_bpe(file, json);
  if (json.type() == "Unigram") return make_unigram(json);
  if (json.type() == "WordLevel") return make_word_level(file, json);
  if (json.type() == "WordPiece") return make_wordpiece(file, json);
  throw json.unknown_type({"BPE", "Unigram", "WordLevel", "WordPiece"});
}

}  // namespace transformeter
