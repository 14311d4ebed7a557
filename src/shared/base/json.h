// JSON helpers: the library is nlohmann::json; this adds the canonical form and errors in our own words.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace transformeter {

using Json = nlohmann::json;

/// Keys sorted, no white space, numbers in their shortest round-trip form, invalid UTF-8 replaced: equal values give
/// equal bytes, so that keys can be hashed from it.
std::string canonical_json(const Json& value);

/// Deeper values are never built from a file or a message: the library's dumping, copying and comparing recurse, and
/// some ten thousand brackets would end the process. What we read ourselves nests less than ten deep.
inline constexpr std::size_t kMaxJsonDepth = 200;

/// How deep the arrays and objects of `text` nest; brackets in strings do not count. For text that is no JSON, a number
/// not below the depth at which a parser gives up.
std::size_t json_depth(std::string_view text);

/// The value as a T, or nothing: not a whole number, or not in T's range. The library's own conversion drops fractions,
/// wraps around, and is undefined for a fraction beyond T.
template <std::integral T>
std::optional<T> whole_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  }
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
}

/// Throws Error(kBadInput) that names `what` and the byte where parsing stopped, its line unless it is the
/// first, and the cause: broken syntax, a NUL byte, or nesting that is too deep.
Json parse_json(std::string_view what, std::string_view text);

/// The same for callers with an answer of their own: a value whose is_discarded() is true for what parse_json()
/// refuses.
Json json_or_discarded(std::string_view text);

/// The library's message about a text that is not JSON, without its tag and position, and with long quotations
/// truncated.
std::string json_fault(const Json::exception& error);

/// What a fault at that byte, counted from 1, of a text of `size` bytes suggests: "; it is empty", "; the text ends
/// there: is it cut off?", or nothing.
std::string json_end_hint(std::size_t byte, std::size_t size);

}  // namespace transformeter
