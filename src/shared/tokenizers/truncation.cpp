// Lengths and limits; nothing here looks at a token.
#include "tokenizers/truncation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

void check_utf8(std::string_view text) {
  if (const auto offset = first_invalid_utf8(text)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("text is not valid UTF-8 at byte {} (0x{:02x}); convert it to UTF-8 first", *offset,
                            static_cast<unsigned char>(text[*offset])));
  }
}

std::optional<std::size_t> room_for_text(const std::vector<ArrangementPart>& parts, const EncodeOptions& options) {
  if (!options.max_length) return std::nullopt;
  const std::int64_t special = options.add_special_tokens ? count_special(parts) : 0;
  if (*options.max_length < special) {
    throw bad_value("max_length", std::to_string(*options.max_length),
                    fmt::format("at least {}, the number of special tokens", special));
  }
  return static_cast<std::size_t>(*options.max_length - special);
}

std::size_t tokens_to_fill(std::size_t size, const TokenizerTraits& traits, const EncodeOptions& options) {
  if (!traits.filled_length || !options.add_special_tokens) return 0;
  const std::int64_t length = std::min(*traits.filled_length, options.max_length.value_or(*traits.filled_length));
  const auto wanted = static_cast<std::size_t>(length);
  return wanted > size ? wanted - size : 0;
}

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

std::vector<TextSpan> window_spans(std::size_t size, std::size_t room, std::size_t stride) {
  std::vector<TextSpan> spans;
  for (std::size_t begin = 0; spans.empty() || spans.back().end < size; begin += room - stride) {
    spans.push_back({begin, std::min(begin + room, size)});
  }
  return spans;
}

}  // namespace transformeter
