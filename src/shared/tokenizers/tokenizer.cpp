// Checks, truncation and the arrangement of special tokens, the same for every tokenizer.
#include "tokenizers/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "tokenizers/truncation.h"

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;
using Ids = std::span<const std::int32_t>;

constexpr std::size_t kMostIdsKept = 65536;  // by a thread, for the next text

void append_text(Encoding& encoding, Ids ids, std::int32_t type_id) {
  encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
  encoding.type_ids.insert(encoding.type_ids.end(), ids.size(), type_id);
  encoding.special_mask.insert(encoding.special_mask.end(), ids.size(), 0);
}

Encoding arrange(const std::vector<ArrangementPart>& parts, Ids first, Ids second, bool add_special) {
  Encoding encoding;
  const std::size_t size = first.size() + second.size() + parts.size();
  encoding.ids.reserve(size);
  encoding.type_ids.reserve(size);
  encoding.special_mask.reserve(size);
  for (const ArrangementPart& part : parts) {
    if (part.kind == Kind::kFirstText) {
      append_text(encoding, first, part.type_id);
    } else if (part.kind == Kind::kSecondText) {
      append_text(encoding, second, part.type_id);
    } else if (add_special) {
      encoding.ids.push_back(part.id);
      encoding.type_ids.push_back(part.type_id);
      encoding.special_mask.push_back(1);
    }
  }
  return encoding;
}

void fill(Encoding& encoding, const TokenizerTraits& traits, const EncodeOptions& options) {
  const std::size_t count = tokens_to_fill(encoding.ids.size(), traits, options);
  if (count == 0) return;
  encoding.ids.insert(encoding.ids.end(), count, traits.special.pad.value());
  encoding.type_ids.insert(encoding.type_ids.end(), count, 0);
  encoding.special_mask.insert(encoding.special_mask.end(), count, 1);
}

Ids kept_of(const std::vector<std::int32_t>& ids, std::size_t keep, Side side) {
  const TextSpan span = kept_span(ids.size(), keep, side);
  return Ids(ids).subspan(span.begin, span.end - span.begin);
}

}  // namespace

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  check_utf8(text);
  const TokenizerTraits& traits = this->traits();
  const std::optional<std::size_t> room = room_for_text(traits.arrangement.single, options);
  thread_local std::vector<std::int32_t> ids;  // keeps its memory: a text is encoded in a microsecond
  ids.clear();
  ids.reserve(text.size() / 3 + 4);
  do_encode(text, ids);
  const std::size_t keep = room ? std::min(*room, ids.size()) : ids.size();
  const Side side = options.truncation_side.value_or(traits.truncation_side);
  Encoding encoding = arrange(traits.arrangement.single, kept_of(ids, keep, side), {}, options.add_special_tokens);
  encoding.truncated_tokens = static_cast<std::int64_t>(ids.size() - keep);
  fill(encoding, traits, options);
  if (ids.capacity() > kMostIdsKept) std::vector<std::int32_t>().swap(ids);
  return encoding;
}

Encoding Tokenizer::encode_pair(std::string_view first, std::string_view second, const EncodeOptions& options) const {
  check_utf8(first);
  check_utf8(second);
  const TokenizerTraits& traits = this->traits();
  const std::optional<std::size_t> room = room_for_text(traits.arrangement.pair, options);
  std::vector<std::int32_t> first_ids;
  std::vector<std::int32_t> second_ids;
  do_encode(first, first_ids);
  do_encode(second, second_ids);
  const std::size_t whole = first_ids.size() + second_ids.size();
  const auto kept = longest_first(first_ids.size(), second_ids.size(), room.value_or(whole));
  const Side side = options.truncation_side.value_or(traits.truncation_side);
  Encoding encoding = arrange(traits.arrangement.pair, kept_of(first_ids, kept.first, side),
                              kept_of(second_ids, kept.second, side), options.add_special_tokens);
  encoding.truncated_tokens = static_cast<std::int64_t>(whole - kept.first - kept.second);
  return encoding;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  for (const std::int32_t id : ids) {
    if (id >= 0 && id < vocabulary_size()) continue;
    throw bad_value("token id", std::to_string(id),
                    fmt::format("a number from 0 to {}, the last one in the vocabulary", vocabulary_size() - 1));
  }
  return do_decode(ids, skip_special_tokens);
}

}  // namespace transformeter
