// Components are recognized by their types: those of tokenizer.json and of the other loaders are the same.
#include "tokenizers/make_fused_encoder.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "tokenizers/bert_normalizer.h"
#include "tokenizers/bert_pre_tokenizer.h"
#include "tokenizers/bpe.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/fused_encoder.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/sequence_pre_tokenizer.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {
namespace {

// Most words are one token, for which an insertion of a range does too much.
void append(std::span<const std::int32_t> known, std::vector<std::int32_t>& ids) {
  if (known.size() == 1) return ids.push_back(known.front());
  ids.insert(ids.end(), known.begin(), known.end());
}

class ByteLevelEncoder final : public FusedEncoder {
 public:
  struct Parts {
    const CharacterNormalizer* normalizer = nullptr;  // null: none
    const Splitter* splitter = nullptr;
    bool add_prefix_space = false;
    const Bpe* model = nullptr;
  };
  /// What `parts` points to outlives the encoder. Null when the model is not byte-level: it lacks the token of a byte,
  /// or treats characters by their place in a word.
  static std::unique_ptr<const ByteLevelEncoder> make(const Parts& parts);

  std::string_view normalized(std::string_view text, EncodeScratch& scratch) const override;
  void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const override;

 private:
  explicit ByteLevelEncoder(const Parts& parts) : parts_(parts) {}
  void append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;
  void append_new_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;

  Parts parts_;
  std::array<std::int32_t, 256> byte_ids_{};
};

std::unique_ptr<const ByteLevelEncoder> ByteLevelEncoder::make(const Parts& parts) {
  const BpeOptions& options = parts.model->options();
  if (!options.continuing_subword_prefix.empty() || !options.end_of_word_suffix.empty()) return nullptr;
  std::unique_ptr<ByteLevelEncoder> encoder(new ByteLevelEncoder(parts));
  for (std::size_t byte = 0; byte < encoder->byte_ids_.size(); ++byte) {
    const char one = static_cast<char>(byte);
    const auto id = parts.model->vocabulary().find(to_byte_level({&one, 1}));
    if (!id) return nullptr;
    encoder->byte_ids_[byte] = *id;
  }
  return encoder;
}

std::string_view ByteLevelEncoder::normalized(std::string_view text, EncodeScratch& scratch) const {
  if (parts_.normalizer == nullptr || parts_.normalizer->leaves(text)) return text;
  scratch.text = parts_.normalizer->normalize(text);
  return scratch.text;
}

void ByteLevelEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  if (text.empty()) return;
  if (parts_.add_prefix_space && text.front() != ' ') {
    scratch.prefixed.assign(1, ' ').append(text);
    text = scratch.prefixed;
  }
  scratch.pieces.clear();
  parts_.splitter->split(text, scratch.pieces);
  for (const TextSpan piece : scratch.pieces) {
    append_word(text.substr(piece.begin, piece.end - piece.begin), scratch, ids);
  }
}

void ByteLevelEncoder::append_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::int32_t>& ids) const {
  const WordKey key(word);
  if (const auto known = scratch.words.find(key); !known.empty()) return append(known, ids);
  const std::size_t before = ids.size();
  append_new_word(word, scratch, ids);
  scratch.words.insert(key, std::span(ids).subspan(before));
}

void ByteLevelEncoder::append_new_word(std::string_view word, EncodeScratch& scratch,
                                       std::vector<std::int32_t>& ids) const {
  if (parts_.model->options().ignore_merges) {
    if (const auto whole = parts_.model->vocabulary().find(to_byte_level(word))) return ids.push_back(*whole);
  }
  std::vector<BpeSymbol>& symbols = scratch.symbols;
  symbols.clear();
  for (const char byte : word) symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
  parts_.model->merges().merge_all(symbols);
  for (const BpeSymbol& symbol : symbols) ids.push_back(symbol.id);
}

class BertEncoder final : public FusedEncoder {
 public:
  /// Both outlive this object.
  BertEncoder(const BertNormalizer& normalizer, const WordPiece& model) : normalizer_(normalizer), model_(model) {}

  std::string_view normalized(std::string_view text, EncodeScratch& scratch) const override {
    normalizer_.normalize(text, scratch.text);
    return scratch.text;
  }
  void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const override;

 private:
  void append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
};

void BertEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  scratch.pieces.clear();
  split_bert_words(text, scratch.pieces);
  for (const TextSpan piece : scratch.pieces) {
    append_word(text.substr(piece.begin, piece.end - piece.begin), scratch, ids);
  }
}

void BertEncoder::append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  const WordKey key(word);
  if (const auto known = scratch.words.find(key); !known.empty()) return append(known, ids);
  const std::size_t before = ids.size();
  model_.encode_piece(word, ids, nullptr);
  scratch.words.insert(key, std::span(ids).subspan(before));
}

std::unique_ptr<const FusedEncoder> make_bert(const TokenizerParts& parts) {
  const auto* normalizer = dynamic_cast<const BertNormalizer*>(parts.normalizer.get());
  const auto* pre_tokenizer = dynamic_cast<const BertPreTokenizer*>(parts.pre_tokenizer.get());
  const auto* model = dynamic_cast<const WordPiece*>(parts.model.get());
  if (normalizer == nullptr || pre_tokenizer == nullptr || model == nullptr) return nullptr;
  return std::make_unique<BertEncoder>(*normalizer, *model);
}

// A ByteLevel with a split of its own, or a splitter and then a ByteLevel without.
bool find_byte_level(const PreTokenizer* pre_tokenizer, ByteLevelEncoder::Parts& found) {
  const auto* level = dynamic_cast<const ByteLevelPreTokenizer*>(pre_tokenizer);
  if (level != nullptr) {
    found.splitter = level->splitter();
  } else if (const auto* sequence = dynamic_cast<const SequencePreTokenizer*>(pre_tokenizer)) {
    if (sequence->steps().size() != 2) return false;
    found.splitter = dynamic_cast<const Splitter*>(sequence->steps()[0].get());
    level = dynamic_cast<const ByteLevelPreTokenizer*>(sequence->steps()[1].get());
    // A blank in front of every piece is not one in front of the text.
    if (level == nullptr || level->splitter() != nullptr || level->add_prefix_space()) return false;
  }
  found.add_prefix_space = level != nullptr && level->add_prefix_space();
  return level != nullptr && found.splitter != nullptr;
}

std::unique_ptr<const FusedEncoder> make_byte_level(const TokenizerParts& parts) {
  ByteLevelEncoder::Parts found;
  found.normalizer = dynamic_cast<const CharacterNormalizer*>(parts.normalizer.get());
  found.model = dynamic_cast<const Bpe*>(parts.model.get());
  const bool other_normalizer = parts.normalizer != nullptr && found.normalizer == nullptr;
  if (other_normalizer || found.model == nullptr || !find_byte_level(parts.pre_tokenizer.get(), found)) return nullptr;
  return ByteLevelEncoder::make(found);
}

}  // namespace

std::unique_ptr<const FusedEncoder> make_fused_encoder(const TokenizerParts& parts) {
  auto encoder = make_bert(parts);
  return encoder != nullptr ? std::move(encoder) : make_byte_level(parts);
}

}  // namespace transformeter
