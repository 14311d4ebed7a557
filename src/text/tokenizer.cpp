// Checks, truncation and the arrangement of special tokens, the same for every tokenizer.
#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;
using Ids = std::vector<std::int32_t>;

void check_utf8(std::string_view text) {
  if (const auto offset = first_invalid_utf8(text)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("text is not valid UTF-8 at byte {} (0x{:02x}); convert it to UTF-8 first", *offset,
                            static_cast<unsigned char>(text[*offset])));
  }
}

// The tokens left for the texts; `parts` includes their places.
std::optional<std::int64_t> room_for_text(const std::vector<ArrangementPart>& parts, const EncodeOptions& options) {
  if (!options.max_length) return std::nullopt;
  const auto is_special = [](const ArrangementPart& part) { return part.kind == Kind::kSpecial; };
  const std::int64_t special =
      options.add_special_tokens ? std::count_if(parts.begin(), parts.end(), is_special) : std::int64_t{0};
  if (*options.max_length < std::max<std::int64_t>(special, 0)) {
    throw bad_value("max_length", std::to_string(*options.max_length),
                    fmt::format("at least {}, the number of special tokens", special));
  }
  return *options.max_length - special;
}

void append_text(Encoding& encoding, const Ids& ids, std::int32_t type_id) {
  encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
  encoding.type_ids.insert(encoding.type_ids.end(), ids.size(), type_id);
  encoding.special_mask.insert(encoding.special_mask.end(), ids.size(), 0);
}

Encoding arrange(const std::vector<ArrangementPart>& parts, const Ids& first, const Ids& second, bool add_special) {
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

// Lengths of both texts under Hugging Face's "longest_first": the shorter one is kept whole while it fits in half.
std::pair<std::size_t, std::size_t> longest_first(std::size_t first, std::size_t second, std::size_t room) {
  if (first + second <= room) return {first, second};
  std::size_t shorter = std::min(first, second);
  std::size_t longer = shorter > room ? shorter : std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = shorter + room % 2;
  }
  return first > second ? std::pair{longer, shorter} : std::pair{shorter, longer};
}

// Fills `characters` from `bytes`.
void count_characters(std::string_view text, std::vector<Token>& tokens) {
  std::vector<std::size_t> before(text.size() + 1);  // code points that start before each byte
  for (std::size_t i = 0; i < text.size(); ++i) {
    before[i + 1] = before[i] + ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 ? 1 : 0);
  }
  for (Token& token : tokens) token.characters = {before[token.bytes.begin], before[token.bytes.end]};
}

}  // namespace

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  check_utf8(text);
  const std::vector<ArrangementPart>& parts = do_arrangement().single;
  const std::optional<std::int64_t> room = room_for_text(parts, options);
  Ids ids = do_encode(text);
  const std::size_t whole = ids.size();
  if (room && whole > static_cast<std::size_t>(*room)) ids.resize(static_cast<std::size_t>(*room));
  Encoding encoding = arrange(parts, ids, {}, options.add_special_tokens);
  encoding.truncated_tokens = static_cast<std::int64_t>(whole - ids.size());
  return encoding;
}

Encoding Tokenizer::encode_pair(std::string_view first, std::string_view second, const EncodeOptions& options) const {
  check_utf8(first);
  check_utf8(second);
  const std::vector<ArrangementPart>& parts = do_arrangement().pair;
  const std::optional<std::int64_t> room = room_for_text(parts, options);
  Ids first_ids = do_encode(first);
  Ids second_ids = do_encode(second);
  const std::size_t whole = first_ids.size() + second_ids.size();
  if (room) {
    const auto kept = longest_first(first_ids.size(), second_ids.size(), static_cast<std::size_t>(*room));
    first_ids.resize(kept.first);
    second_ids.resize(kept.second);
  }
  Encoding encoding = arrange(parts, first_ids, second_ids, options.add_special_tokens);
  encoding.truncated_tokens = static_cast<std::int64_t>(whole - first_ids.size() - second_ids.size());
  return encoding;
}

std::vector<Token> Tokenizer::tokenize(std::string_view text, const EncodeOptions& options) const {
  check_utf8(text);
  const std::vector<ArrangementPart>& parts = do_arrangement().single;
  const std::optional<std::int64_t> room = room_for_text(parts, options);
  std::vector<Token> own = do_tokenize(text);
  if (room && own.size() > static_cast<std::size_t>(*room)) own.resize(static_cast<std::size_t>(*room));
  count_characters(text, own);
  if (!options.add_special_tokens) return own;
  std::vector<Token> tokens;
  for (const ArrangementPart& part : parts) {
    if (part.kind == Kind::kSpecial) {
      tokens.push_back({part.id, std::string(token(part.id)), true, {}, {}});
    } else {
      tokens.insert(tokens.end(), own.begin(), own.end());
    }
  }
  return tokens;
}

}  // namespace transformeter
