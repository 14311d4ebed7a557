// Components are recognized by their types: those of tokenizer.json and of the other loaders are the same.
#include "tokenizers/make_fused_encoder.h"

#include <utility>

#include "tokenizers/bert_encoder.h"
#include "tokenizers/bert_normalizer.h"
#include "tokenizers/bert_pre_tokenizer.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/byte_level_encoder.h"
#include "tokenizers/sequence_pre_tokenizer.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {

namespace {

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
