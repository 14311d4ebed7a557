// Small text helpers that the standard library lacks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// Parts of `text` between separators; "a,,b" gives three parts; an empty text gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// Without leading and trailing ASCII white space.
std::string_view trim(std::string_view text);

bool starts_with_digit(std::string_view text);

/// At most the first `bytes` bytes, whole characters only.
std::string_view whole_characters(std::string_view text, std::size_t bytes);

/// The same with "..." where something was left out: for showing a value of any size in an error.
std::string excerpt(std::string_view text, std::size_t bytes = 80);

/// "1 case", "2 cases", of a thing whose plural ends in s.
std::string counted(std::size_t count, std::string_view thing);

/// The word of `words` nearest to `text` by edit distance, when near enough to be a likely typing slip.
std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& words);

/// Byte offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or nothing.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Whole-string numbers; nothing for anything else, an overflow included.
std::optional<long long> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

}  // namespace transformeter
