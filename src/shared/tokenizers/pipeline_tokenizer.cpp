// The order of steps is Hugging Face's.
#include "tokenizers/pipeline_tokenizer.h"

#include <algorithm>
#include <utility>

namespace transformeter {
namespace {

std::string normalized(const Normalizer* normalizer, const std::string& text) {
  return normalizer == nullptr ? text : normalizer->normalize(text);
}

AddedTokenFinder find_raw(const TokenizerParts& parts) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : parts.added_tokens) {
    if (!token.normalized) tokens.push_back(token);
  }
  return AddedTokenFinder(std::move(tokens));
}

AddedTokenFinder find_normalized(const TokenizerParts& parts) {
  std::vector<AddedToken> tokens;
  for (AddedToken token : parts.added_tokens) {
    if (!token.normalized) continue;
    token.content = normalized(parts.normalizer.get(), token.content);
    tokens.push_back(std::move(token));
  }
  return AddedTokenFinder(std::move(tokens));
}

// Where `part`, a stretch of `whole`, stands in it.
TextSpan span_in(std::string_view whole, std::string_view part) {
  const auto begin = static_cast<std::size_t>(part.data() - whole.data());
  return {begin, begin + part.size()};
}

}  // namespace

// Collects ids, and tokens with their places when asked for.
class PipelineTokenizer::Output {
 public:
  explicit Output(std::vector<std::int32_t>& ids) : ids_(ids) {}
  Output(std::vector<std::int32_t>& ids, std::vector<Token>& tokens, const PipelineTokenizer& tokenizer)
      : ids_(ids), tokens_(&tokens), tokenizer_(&tokenizer) {}

  bool traced() const { return tokens_ != nullptr; }
  void add(std::int32_t id, std::string_view text, TextSpan place) {
    ids_.push_back(id);
    if (traced()) tokens_->push_back({id, std::string(text), false, {}, place});
  }
  void add_piece(const TokenModel& model, const AlignedText& piece) {
    if (!traced()) return model.encode_piece(piece.text, ids_, nullptr);
    const std::size_t before = ids_.size();
    spans_.clear();
    model.encode_piece(piece.text, ids_, &spans_);
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const std::int32_t id = ids_[before + i];
      const TextSpan place = origin_of(piece, spans_[i]);
      tokens_->push_back({id, std::string(tokenizer_->token(id)), false, {}, place});
    }
  }

 private:
  std::vector<std::int32_t>& ids_;
  std::vector<Token>* tokens_ = nullptr;
  const PipelineTokenizer* tokenizer_ = nullptr;
  std::vector<TextSpan> spans_;
};

PipelineTokenizer::PipelineTokenizer(TokenizerParts parts)
    : parts_(std::move(parts)), raw_tokens_(find_raw(parts_)), normalized_tokens_(find_normalized(parts_)) {
  TokenizerTraits& traits = parts_.traits;
  traits.special.unk = parts_.model->unknown_id();
  traits.continuing_subword_prefix = parts_.model->continuing_subword_prefix();
  traits.vocabulary_size = parts_.model->vocabulary().size();
  for (const AddedToken& token : parts_.added_tokens) {
    traits.vocabulary_size = std::max<std::int64_t>(traits.vocabulary_size, token.id + std::int64_t{1});
  }
  added_by_id_.resize(static_cast<std::size_t>(traits.vocabulary_size));
  decoded_added_.reserve(parts_.added_tokens.size());
  for (const AddedToken& token : parts_.added_tokens) {
    added_by_id_[static_cast<std::size_t>(token.id)] = &token;
    std::string text = token.normalized ? normalized(parts_.normalizer.get(), token.content) : token.content;
    // Hugging Face looks the decoded text up among the special tokens: one that normalising changes is not skipped.
    const bool skipped = std::any_of(parts_.added_tokens.begin(), parts_.added_tokens.end(),
                                     [&](const AddedToken& other) { return other.special && other.content == text; });
    decoded_added_.push_back({std::move(text), skipped});
  }
}

std::string_view PipelineTokenizer::token(std::int32_t id) const {
  if (id < 0 || id >= parts_.traits.vocabulary_size) return {};
  const AddedToken* added = added_by_id_[static_cast<std::size_t>(id)];
  return added == nullptr ? parts_.model->vocabulary().token(id) : added->content;
}

void PipelineTokenizer::do_encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  if (parts_.fused == nullptr) {
    Output output(ids);
    return append_text(text, output);
  }
  const ScratchPool::Lease scratch = scratches_.take();
  raw_tokens_.for_each_part(text, [&](const TextPart& raw) {
    if (raw.id >= 0) return ids.push_back(raw.id);
    normalized_tokens_.for_each_part(parts_.fused->normalized(raw.text, *scratch), [&](const TextPart& part) {
      if (part.id >= 0) return ids.push_back(part.id);
      parts_.fused->encode(part.text, *scratch, ids);
    });
  });
}

std::vector<Token> PipelineTokenizer::do_tokenize(std::string_view text) const {
  std::vector<std::int32_t> ids;
  std::vector<Token> tokens;
  Output output(ids, tokens, *this);
  append_text(text, output);
  return tokens;
}

void PipelineTokenizer::append_text(std::string_view text, Output& output) const {
  for (const TextPart& part : raw_tokens_.cut(text)) {
    const TextSpan place = span_in(text, part.text);
    if (part.id >= 0) {
      output.add(part.id, part.text, place);
    } else {
      append_normalized(make_aligned(part.text, output.traced(), place.begin), output);
    }
  }
}

void PipelineTokenizer::append_normalized(AlignedText text, Output& output) const {
  if (parts_.normalizer != nullptr) text = parts_.normalizer->normalize_aligned(std::move(text));
  if (normalized_tokens_.empty()) return append_stretch(std::move(text), output);
  for (const TextPart& part : normalized_tokens_.cut(text.text)) {
    const TextSpan span = span_in(text.text, part.text);
    if (part.id >= 0) {
      output.add(part.id, part.text, output.traced() ? origin_of(text, span) : TextSpan{});
    } else {
      append_stretch(slice(text, span), output);
    }
  }
}

void PipelineTokenizer::append_stretch(AlignedText text, Output& output) const {
  if (text.text.empty()) return;
  if (parts_.pre_tokenizer == nullptr) return output.add_piece(*parts_.model, text);
  for (const AlignedText& piece : parts_.pre_tokenizer->pre_tokenize(std::move(text))) {
    output.add_piece(*parts_.model, piece);
  }
}

std::string PipelineTokenizer::do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const std::int32_t id : ids) {
    const AddedToken* added = added_by_id_[static_cast<std::size_t>(id)];
    if (added == nullptr) {
      if (const std::string_view text = parts_.model->vocabulary().token(id); !text.empty()) tokens.emplace_back(text);
    } else {
      const DecodedToken& decoded = decoded_added_[static_cast<std::size_t>(added - parts_.added_tokens.data())];
      if (!decoded.skipped || !skip_special_tokens) tokens.push_back(decoded.text);
    }
  }
  std::string decoded;
  if (parts_.decoder != nullptr) {
    for (const std::string& part : parts_.decoder->decode_chain(std::move(tokens))) decoded += part;
    return decoded;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) decoded.append(i == 0 ? "" : " ").append(tokens[i]);
  return decoded;
}

}  // namespace transformeter
