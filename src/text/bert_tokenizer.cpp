// The order of steps is Hugging Face's: raw added tokens, normalisation, normalised added tokens, words, pieces.
#include "text/bert_tokenizer.h"

#include <algorithm>
#include <utility>

namespace transformeter {
namespace {

std::vector<AddedToken> raw_tokens(const BertParts& parts) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : parts.added_tokens) {
    if (!token.normalized) tokens.push_back(token);
  }
  return tokens;
}

std::vector<AddedToken> normalized_tokens(const BertParts& parts, const BertNormalizer& normalizer) {
  std::vector<AddedToken> tokens;
  for (AddedToken token : parts.added_tokens) {
    if (!token.normalized) continue;
    token.content = normalizer.normalize(token.content);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// What `part`, a stretch of `aligned.text`, stands for in a text where `aligned` begins at byte `base`.
TextSpan origin_of(std::string_view part, const AlignedText& aligned, std::size_t base) {
  const auto first = static_cast<std::size_t>(part.data() - aligned.text.data());
  return {base + aligned.origin[first].begin, base + aligned.origin[first + part.size() - 1].end};
}

}  // namespace

BertTokenizer::BertTokenizer(std::unique_ptr<const BertParts> parts)
    : parts_(std::move(parts)),
      normalizer_(parts_->normalizer),
      raw_tokens_(raw_tokens(*parts_)),
      normalized_tokens_(normalized_tokens(*parts_, normalizer_)),
      wordpiece_(parts_->vocabulary, parts_->special.unk.value(), parts_->wordpiece) {}

std::int64_t BertTokenizer::vocabulary_size() const {
  return std::max(parts_->vocabulary.size(), parts_->beyond_model.size());
}

std::string_view BertTokenizer::token(std::int32_t id) const {
  const std::string_view added = parts_->beyond_model.token(id);
  return added.empty() ? parts_->vocabulary.token(id) : added;
}

std::vector<std::int32_t> BertTokenizer::do_encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 4 + 4);
  std::vector<std::string_view> words;
  for (const TextPart& raw : raw_tokens_.cut(text)) {
    if (raw.id >= 0) {
      ids.push_back(raw.id);
      continue;
    }
    const std::string normalized = normalizer_.normalize(raw.text);
    for (const TextPart& part : normalized_tokens_.cut(normalized)) {
      if (part.id >= 0) {
        ids.push_back(part.id);
      } else {
        encode_stretch(part.text, words, ids);
      }
    }
  }
  return ids;
}

void BertTokenizer::encode_stretch(std::string_view text, std::vector<std::string_view>& words,
                                   std::vector<std::int32_t>& ids) const {
  words.clear();
  split_bert_words(text, words);
  for (const std::string_view word : words) wordpiece_.encode_word(word, ids);
}

// do_encode once more, with origins: apart, so that measuring does not pay for them.
std::vector<Token> BertTokenizer::do_tokenize(std::string_view text) const {
  std::vector<Token> tokens;
  for (const TextPart& raw : raw_tokens_.cut(text)) {
    const auto base = static_cast<std::size_t>(raw.text.data() - text.data());
    if (raw.id >= 0) {
      tokens.push_back({raw.id, std::string(raw.text), false, {}, {base, base + raw.text.size()}});
      continue;
    }
    const AlignedText aligned = normalizer_.normalize_aligned(raw.text);
    for (const TextPart& part : normalized_tokens_.cut(aligned.text)) {
      if (part.id >= 0) {
        tokens.push_back({part.id, std::string(part.text), false, {}, origin_of(part.text, aligned, base)});
      } else {
        tokenize_stretch(part.text, aligned, base, tokens);
      }
    }
  }
  return tokens;
}

void BertTokenizer::tokenize_stretch(std::string_view text, const AlignedText& aligned, std::size_t base,
                                     std::vector<Token>& tokens) const {
  std::vector<std::string_view> words;
  split_bert_words(text, words);
  std::vector<std::int32_t> ids;
  std::vector<std::size_t> sizes;
  for (std::string_view word : words) {
    ids.clear();
    sizes.clear();
    wordpiece_.encode_word(word, ids, &sizes);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::string_view piece = word.substr(0, sizes[i]);
      tokens.push_back({ids[i], std::string(token(ids[i])), false, {}, origin_of(piece, aligned, base)});
      word.remove_prefix(sizes[i]);
    }
  }
}

Arrangement bert_arrangement(std::int32_t cls, std::int32_t sep) {
  using Kind = ArrangementPart::Kind;
  return {{{Kind::kSpecial, cls, 0}, {Kind::kFirstText, 0, 0}, {Kind::kSpecial, sep, 0}},
          {{Kind::kSpecial, cls, 0},
           {Kind::kFirstText, 0, 0},
           {Kind::kSpecial, sep, 0},
           {Kind::kSecondText, 0, 1},
           {Kind::kSpecial, sep, 1}}};
}

}  // namespace transformeter
