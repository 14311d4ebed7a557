// Components are recognized by their types: those of tokenizer.json and of the other loaders are the same.
#include "tokenizers/make_fused_encoder.h"

#include <algorithm>
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
#include "tokenizers/metaspace.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/sequence_pre_tokenizer.h"
#include "tokenizers/splitters.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {
namespace {

void append_several(std::span<const std::int32_t> known, std::vector<std::int32_t>& ids) {
  ids.insert(ids.end(), known.begin(), known.end());
}

// Most words are one token, for which an insertion of a range does too much.
inline void append(std::span<const std::int32_t> known, std::vector<std::int32_t>& ids) {
  known.size() == 1 ? ids.push_back(known.front()) : append_several(known, ids);
}

// The words at scratch.pieces, some of which are looked for at once. Keys are made where they stay: one that is copied
// is read in other sizes than it was written in, for which the processor waits.
template <typename Visit>
void for_each_word(std::string_view text, EncodeScratch& scratch, const Visit& visit) {
  std::array<WordKey, 32>& keys = scratch.keys;
  for (std::size_t begin = 0; begin < scratch.pieces.size(); begin += keys.size()) {
    const std::size_t count = std::min(keys.size(), scratch.pieces.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      std::construct_at(&keys[i], text, scratch.pieces[begin + i]);
      scratch.words.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < count; ++i) visit(keys[i]);
  }
}

// Of text that needs none, the text itself.
std::string_view normalized_by(const Normalizer* normalizer, std::string_view text, EncodeScratch& scratch) {
  if (normalizer == nullptr || normalizer->leaves(text)) return text;
  scratch.text = normalizer->normalize(text);
  return scratch.text;
}

class ByteLevelEncoder final : public FusedEncoder {
 public:
  struct Parts {
    const Normalizer* normalizer = nullptr;  // null: none
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
  void append_word(const WordKey& key, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;
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
  return normalized_by(parts_.normalizer, text, scratch);
}

void ByteLevelEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  if (text.empty()) return;
  if (parts_.add_prefix_space && text.front() != ' ') {
    scratch.prefixed.assign(1, ' ').append(text);
    text = scratch.prefixed;
  }
  scratch.pieces.clear();
  parts_.splitter->split(text, scratch.pieces);
  for_each_word(text, scratch, [&](const WordKey& key) { append_word(key, scratch, ids); });
}

void ByteLevelEncoder::append_word(const WordKey& key, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  if (const auto known = scratch.words.find(key); !known.empty()) return append(known, ids);
  const std::size_t before = ids.size();
  append_new_word(key.word, scratch, ids);
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
  void append_word(const WordKey& key, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
};

void BertEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  scratch.pieces.clear();
  split_bert_words(text, scratch.pieces);
  for_each_word(text, scratch, [&](const WordKey& key) { append_word(key, scratch, ids); });
}

void BertEncoder::append_word(const WordKey& key, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  if (const auto known = scratch.words.find(key); !known.empty()) return append(known, ids);
  const std::size_t before = ids.size();
  model_.encode_piece(key.word, ids, nullptr);
  scratch.words.insert(key, std::span(ids).subspan(before));
}

std::unique_ptr<const FusedEncoder> make_bert(const TokenizerParts& parts) {
  const auto* normalizer = dynamic_cast<const BertNormalizer*>(parts.normalizer.get());
  const auto* pre_tokenizer = dynamic_cast<const BertPreTokenizer*>(parts.pre_tokenizer.get());
  const auto* model = dynamic_cast<const WordPiece*>(parts.model.get());
  if (normalizer == nullptr || pre_tokenizer == nullptr || model == nullptr) return nullptr;
  return std::make_unique<BertEncoder>(*normalizer, *model);
}

// What begins at a blank or a mark does not depend on what stands before it: words seen before are not cut again.
class MetaspaceEncoder final : public FusedEncoder {
 public:
  struct Parts {
    const Normalizer* normalizer = nullptr;  // null: none
    const PreTokenizer* pre_tokenizer = nullptr;
    std::string_view mark;
    const TokenModel* model = nullptr;
  };
  /// What `parts` points to outlives the encoder.
  explicit MetaspaceEncoder(const Parts& parts) : parts_(parts) {}

  std::string_view normalized(std::string_view text, EncodeScratch& scratch) const override {
    return normalized_by(parts_.normalizer, text, scratch);
  }
  void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const override;

 private:
  std::size_t end_of_word(std::string_view text, std::size_t begin) const;
  void append_new_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  Parts parts_;
};

std::size_t MetaspaceEncoder::end_of_word(std::string_view text, std::size_t begin) const {
  const std::string_view mark = parts_.mark;
  const auto is_mark = [&](std::size_t i) { return text[i] == mark.front() && text.substr(i).starts_with(mark); };
  std::size_t end = begin + (is_mark(begin) ? mark.size() : 1);
  while (end < text.size() && text[end] != ' ' && !is_mark(end)) ++end;
  return end;
}

void MetaspaceEncoder::encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const {
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = end) {
    end = end_of_word(text, begin);
    const WordKey key(text, {begin, end});
    if (const auto known = scratch.words.find(key); !known.empty()) {
      append(known, ids);
      continue;
    }
    const std::size_t before = ids.size();
    append_new_word(key.word, ids);
    scratch.words.insert(key, std::span(ids).subspan(before));
  }
}

void MetaspaceEncoder::append_new_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  for (const AlignedText& piece : parts_.pre_tokenizer->pre_tokenize(make_aligned(word, false))) {
    parts_.model->encode_piece(piece.text, ids, nullptr);
  }
}

// A Metaspace, or white space removed and then a Metaspace; null for others.
const Metaspace* find_metaspace(const PreTokenizer* pre_tokenizer) {
  if (const auto* alone = dynamic_cast<const Metaspace*>(pre_tokenizer)) return alone;
  const auto* sequence = dynamic_cast<const SequencePreTokenizer*>(pre_tokenizer);
  if (sequence == nullptr || sequence->steps().size() != 2) return nullptr;
  if (dynamic_cast<const WhitespaceRemover*>(sequence->steps()[0].get()) == nullptr) return nullptr;
  return dynamic_cast<const Metaspace*>(sequence->steps()[1].get());
}

// With `first` it matters where the given text begins, which an encoder of parts of it does not know.
std::unique_ptr<const FusedEncoder> make_metaspace(const TokenizerParts& parts) {
  const Metaspace* metaspace = find_metaspace(parts.pre_tokenizer.get());
  if (metaspace == nullptr || !metaspace->options().split) return nullptr;
  if (metaspace->options().prepend == MetaspaceOptions::Prepend::kFirst) return nullptr;
  MetaspaceEncoder::Parts found;
  found.normalizer = parts.normalizer.get();
  found.pre_tokenizer = parts.pre_tokenizer.get();
  found.mark = metaspace->options().mark;
  found.model = parts.model.get();
  return std::make_unique<MetaspaceEncoder>(found);
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
  found.normalizer = parts.normalizer.get();
  found.model = dynamic_cast<const Bpe*>(parts.model.get());
  if (found.model == nullptr || !find_byte_level(parts.pre_tokenizer.get(), found)) return nullptr;
  return ByteLevelEncoder::make(found);
}

}  // namespace

std::unique_ptr<const FusedEncoder> make_fused_encoder(const TokenizerParts& parts) {
  for (const auto make : {make_bert, make_byte_level, make_metaspace}) {
    if (auto encoder = make(parts)) return encoder;
  }
  return nullptr;
}

}  // namespace transformeter
