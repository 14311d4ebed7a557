// Encoding with the place of each token in its text, and windows over long texts.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "tokenizers/bert_characters.h"
#include "tokenizers/tokenizer.h"
#include "tokenizers/truncation.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;
using Tokens = std::span<const Token>;

// Fills `characters` from `bytes`.
void count_characters(std::string_view text, std::vector<Token>& tokens) {
  std::vector<std::size_t> before(text.size() + 1);  // code points that start before each byte
  for (std::size_t i = 0; i < text.size(); ++i) before[i + 1] = before[i] + (starts_character(text[i]) ? 1 : 0);
  for (Token& token : tokens) token.characters = {before[token.bytes.begin], before[token.bytes.end]};
}

// A blank, as byte-level tokenizers write it too (U+0120).
bool is_blank(char32_t c) {
  return c == 0x120 || is_bert_space(c);
}

std::size_t leading_blanks(const std::vector<char32_t>& points) {
  return static_cast<std::size_t>(std::find_if_not(points.begin(), points.end(), is_blank) - points.begin());
}

void skip_characters(std::string_view text, std::size_t count, std::size_t& byte) {
  for (; count > 0 && byte < text.size(); --count) byte += character_size(text, byte);
}

// Hugging Face's process_offsets, which counts blanks in a token's text and takes as many characters off its place.
void trim(std::string_view text, Token& token, bool keeps_one) {
  std::vector<char32_t> points;
  for (std::size_t i = 0; i < token.text.size();) points.push_back(next_code_point(token.text, i));
  std::size_t leading = leading_blanks(points);
  std::reverse(points.begin(), points.end());
  const std::size_t trailing = leading_blanks(points);
  if (keeps_one && leading == 1) leading = 0;
  TextSpan& place = token.characters;
  const TextSpan old = place;
  place.begin = std::min(place.begin + leading, place.end);
  if (trailing > 0 && place.end >= trailing) place.end = std::max(place.end - trailing, place.begin);
  std::size_t byte = token.bytes.begin;
  skip_characters(text, place.begin - old.begin, byte);
  token.bytes.begin = byte;
  skip_characters(text, place.end - place.begin, byte);
  token.bytes.end = byte;
}

void trim_all(std::string_view text, std::span<Token> tokens, const OffsetTrim& options) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_first = i == 0 || tokens[i].characters.begin == 0;
    trim(text, tokens[i], is_first && options.add_prefix_space);
  }
}

// The tokens `span` of a text, as they stand in an encoding.
std::vector<Token> part_of(std::string_view text, const std::vector<Token>& tokens, TextSpan span,
                           const TokenizerTraits& traits) {
  const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<Token> part(at(span.begin), at(span.end));
  if (traits.offset_trim) trim_all(text, part, *traits.offset_trim);
  return part;
}

std::vector<Token> arrange(const Tokenizer& tokenizer, const std::vector<ArrangementPart>& parts, Tokens first,
                           Tokens second, bool add_special) {
  std::vector<Token> tokens;
  for (const ArrangementPart& part : parts) {
    if (part.kind == Kind::kSpecial) {
      if (add_special)
        tokens.push_back({part.id, std::string(tokenizer.token(part.id)), true, {}, {}, part.type_id, false});
      continue;
    }
    const bool is_second = part.kind == Kind::kSecondText;
    for (const Token& own : is_second ? second : first) {
      tokens.push_back(own);
      tokens.back().type_id = part.type_id;
      tokens.back().in_second = is_second;
    }
  }
  return tokens;
}

// Where the second text of a pair begins, behind what the arrangement puts before it.
std::size_t second_begin(const std::vector<ArrangementPart>& parts, std::size_t first_size) {
  std::size_t begin = 0;
  for (const ArrangementPart& part : parts) {
    if (part.kind == Kind::kSecondText) break;
    begin += part.kind == Kind::kFirstText ? first_size : 1;
  }
  return begin;
}

PairWindow window_of(const std::vector<Token>& tokens, std::size_t second_begin) {
  PairWindow window;
  std::size_t second_size = 0;
  for (const Token& token : tokens) {
    window.encoding.ids.push_back(token.id);
    window.encoding.type_ids.push_back(token.type_id);
    window.encoding.special_mask.push_back(token.special ? 1 : 0);
    window.characters.push_back(token.characters);
    window.bytes.push_back(token.bytes);
    second_size += token.in_second ? 1 : 0;
  }
  window.second = {second_begin, second_begin + second_size};
  return window;
}

}  // namespace

std::vector<Token> Tokenizer::tokenize(std::string_view text, const EncodeOptions& options) const {
  check_utf8(text);
  const std::vector<ArrangementPart>& parts = traits().arrangement.single;
  const std::optional<std::size_t> room = room_for_text(parts, options);
  std::vector<Token> own = do_tokenize(text);
  count_characters(text, own);
  const std::size_t keep = room ? std::min(*room, own.size()) : own.size();
  const Side side = options.truncation_side.value_or(traits().truncation_side);
  own = part_of(text, own, kept_span(own.size(), keep, side), traits());
  std::vector<Token> tokens = arrange(*this, parts, own, {}, options.add_special_tokens);
  for (std::size_t left = tokens_to_fill(tokens.size(), traits(), options); left > 0; --left) {
    const std::int32_t pad = traits().special.pad.value();
    tokens.push_back({pad, std::string(token(pad)), true, {}, {}});
  }
  return tokens;
}

std::vector<Token> Tokenizer::tokenize_pair(std::string_view first, std::string_view second,
                                            const EncodeOptions& options) const {
  check_utf8(first);
  check_utf8(second);
  const std::vector<ArrangementPart>& parts = traits().arrangement.pair;
  const std::optional<std::size_t> room = room_for_text(parts, options);
  std::vector<Token> a = do_tokenize(first);
  std::vector<Token> b = do_tokenize(second);
  count_characters(first, a);
  count_characters(second, b);
  const auto kept = longest_first(a.size(), b.size(), room.value_or(a.size() + b.size()));
  const Side side = options.truncation_side.value_or(traits().truncation_side);
  a = part_of(first, a, kept_span(a.size(), kept.first, side), traits());
  b = part_of(second, b, kept_span(b.size(), kept.second, side), traits());
  return arrange(*this, parts, a, b, options.add_special_tokens);
}

std::vector<std::vector<Token>> Tokenizer::tokenize_pair_windows(std::string_view first, std::string_view second,
                                                                 const WindowOptions& options) const {
  check_utf8(first);
  check_utf8(second);
  if (options.stride < 0) throw bad_value("stride", std::to_string(options.stride), "at least 0");
  const std::vector<ArrangementPart>& parts = traits().arrangement.pair;
  std::vector<Token> a = do_tokenize(first);
  count_characters(first, a);
  const auto taken = static_cast<std::int64_t>(a.size()) + count_special(parts);
  if (options.max_length - taken <= options.stride) {
    throw bad_value(
        "max_length", std::to_string(options.max_length),
        fmt::format(
            "a length above {}: in each window, the first text and special tokens take {} tokens, and the overlap {}",
            taken + options.stride, taken, options.stride),
        "A smaller stride leaves more room; in training, max_length is sequence_length.");
  }
  const auto room = static_cast<std::size_t>(options.max_length - taken);
  a = part_of(first, a, {0, a.size()}, traits());
  std::vector<Token> b = do_tokenize(second);
  count_characters(second, b);
  std::vector<std::vector<Token>> windows;
  for (const TextSpan span : window_spans(b.size(), room, static_cast<std::size_t>(options.stride))) {
    windows.push_back(arrange(*this, parts, a, part_of(second, b, span, traits()), true));
  }
  return windows;
}

std::vector<PairWindow> Tokenizer::encode_pair_windows(std::string_view first, std::string_view second,
                                                       const WindowOptions& options) const {
  std::vector<PairWindow> windows;
  for (const std::vector<Token>& tokens : tokenize_pair_windows(first, second, options)) {
    const auto first_size =
        std::count_if(tokens.begin(), tokens.end(), [](const Token& t) { return !t.special && !t.in_second; });
    windows.push_back(window_of(tokens, second_begin(traits().arrangement.pair, static_cast<std::size_t>(first_size))));
  }
  const auto second_size = [](const PairWindow& window) {
    return static_cast<std::int64_t>(window.second.end - window.second.begin);
  };
  std::int64_t whole = -options.stride * (static_cast<std::int64_t>(windows.size()) - 1);
  for (const PairWindow& window : windows) whole += second_size(window);
  for (PairWindow& window : windows) window.encoding.truncated_tokens = whole - second_size(window);
  return windows;
}

}  // namespace transformeter
