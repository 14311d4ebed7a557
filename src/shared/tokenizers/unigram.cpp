// Viterbi over byte positions; scores are added in the order Hugging Face adds them, so that ties fall alike.
#include "tokenizers/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

constexpr double kUnknownPenalty = 10.0;  // sentencepiece's kUnkPenalty

}  // namespace

Unigram::Unigram(StoredVocabulary vocabulary, std::vector<double> scores, const UnigramOptions& options)
    : vocabulary_(std::move(vocabulary)),
      scores_(std::move(scores)),
      options_(options),
      trie_(vocabulary_.words),
      unknown_score_(scores_.empty() ? 0 : *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty) {
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = vocabulary_.words.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
}

std::vector<Unigram::Best> Unigram::best_ways(std::string_view piece) const {
  std::vector<Best> best(piece.size() + 1);
  const auto offer = [&](std::size_t end, double score, std::int32_t id, std::size_t length) {
    Best& target = best[end];
    if (target.id < 0 || score > target.score) target = {score, id, static_cast<std::uint32_t>(length)};
  };
  for (std::size_t begin = 0; begin < piece.size();) {
    const double so_far = best[begin].score;
    const std::size_t character = character_size(piece, begin);
    bool known = false;
    trie_.for_each_prefix(piece.substr(begin), [&](std::int32_t id, std::size_t length) {
      offer(begin + length, scores_[static_cast<std::size_t>(id)] + so_far, id, length);
      known = known || length == character;
    });
    if (!known) {
      if (!options_.unknown_id) {
        throw Error(
            ErrorKind::kBadInput,
            fmt::format("the Unigram model has no token for '{}' and no unk_id; add an unknown token to the model",
                        piece.substr(begin, character)));
      }
      offer(begin + character, unknown_score_ + so_far, *options_.unknown_id, character);
    }
    begin += character;
  }
  return best;
}

void Unigram::encode_piece(std::string_view piece, std::vector<std::int32_t>& ids, std::vector<TextSpan>* spans) const {
  const std::vector<Best> best = best_ways(piece);
  std::vector<std::size_t> ends;  // of the tokens, the last one first
  for (std::size_t end = piece.size(); end > 0; end -= best[end].length) ends.push_back(end);
  for (std::size_t i = ends.size(); i-- > 0;) {
    TextSpan span{ends[i] - best[ends[i]].length, ends[i]};
    const std::int32_t id = best[ends[i]].id;
    if (options_.unknown_id != id) {
      ids.push_back(id);
      if (spans != nullptr) spans->push_back(span);
      continue;
    }
    while (i > 0 && best[ends[i - 1]].id == id) span.end = ends[--i];
    append_unknown(piece, span, ids, spans);
  }
}

void Unigram::append_unknown(std::string_view piece, TextSpan span, std::vector<std::int32_t>& ids,
                             std::vector<TextSpan>* spans) const {
  const std::string_view text = piece.substr(span.begin, span.end - span.begin);
  const std::size_t before = ids.size();
  if (const auto whole = vocabulary_.words.find(text)) {
    ids.push_back(*whole);
  } else if (options_.byte_fallback && std::all_of(text.begin(), text.end(), [&](char byte) {
               return byte_ids_[static_cast<unsigned char>(byte)] >= 0;
             })) {
    for (const char byte : text) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  } else {
    ids.push_back(*options_.unknown_id);
  }
  if (spans != nullptr) spans->insert(spans->end(), ids.size() - before, span);
}

}  // namespace transformeter
