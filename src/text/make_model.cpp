// From a model of tokenizer.json to ours.
#include "text/make_model.h"

#include <fmt/format.h>

#include <utility>

#include "text/component_json.h"
#include "text/tokenizer_config.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace transformeter {
namespace {

using Made = std::unique_ptr<const TokenModel>;

// The words of the file, which owns their bytes no longer.
StoredVocabulary take_vocabulary(TokenizerJson& file, const ComponentJson& json) {
  StoredVocabulary stored;
  auto bytes = std::make_unique<std::string>(std::move(file.words));
  stored.words = Vocabulary(file.vocabulary.size());
  for (const TokenizerJson::Word& word : file.vocabulary) {
    const std::string_view text = std::string_view(*bytes).substr(word.text.offset, word.text.size);
    if (!stored.words.insert(text, word.id)) throw json.bad(fmt::format("vocab: '{}' stands there twice", text));
  }
  stored.bytes = std::move(bytes);
  return stored;
}

Made make_wordpiece(TokenizerJson& file, const ComponentJson& json) {
  json.allow({"unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  WordPieceOptions options;
  options.continuing_subword_prefix = json.string("continuing_subword_prefix", options.continuing_subword_prefix);
  if (const auto limit = json.optional_id("max_input_chars_per_word")) options.max_input_chars_per_word = *limit;
  StoredVocabulary vocabulary = take_vocabulary(file, json);
  const std::string unk = json.string("unk_token", "[UNK]");
  const auto unknown_id = vocabulary.words.find(unk);
  if (!unknown_id) throw json.bad(fmt::format("vocab lacks the unknown token '{}'", unk));
  return std::make_unique<WordPiece>(std::move(vocabulary), *unknown_id, options);
}

}  // namespace

std::unique_ptr<const TokenModel> make_model(TokenizerJson& file, const std::string& where) {
  const auto found = file.rest.find("model");
  if (found == file.rest.end()) throw Error(ErrorKind::kBadInput, where + ": 'model' is missing");
  const ComponentJson json(*found, where + ": model");
  if (json.type() == "Unigram") return make_unigram(json);
  if (json.type() == "WordPiece") return make_wordpiece(file, json);
  throw json.unknown_type({"Unigram", "WordPiece"});
}

}  // namespace transformeter
