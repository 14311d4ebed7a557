// Canonical dumping and parsing with our own errors.
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

std::string canonical_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t json_depth(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// "[json.exception.parse_error.101] parse error at line 1, column 5: CAUSE": a text may begin in any line of its file.
std::string json_fault(const Json::exception& error) {
  constexpr std::size_t kShown = 300;  // the library's message quotes a broken string whole
  std::string_view message = error.what();
  if (const std::size_t tag = message.find("] "); message.starts_with('[') && tag != message.npos) {
    message.remove_prefix(tag + 2);
  }
  if (const std::size_t place = message.find(": "); message.starts_with("parse error") && place != message.npos) {
    message.remove_prefix(place + 2);
  }
  return excerpt(message, kShown);
}

Json parse_json(std::string_view what, std::string_view text) {
  // The library takes a NUL byte for the end of its input and ignores what follows it.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is not valid JSON (at byte {}): a NUL byte", what, nul + 1));
  }
  if (json_depth(text) > kMaxJsonDepth) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} is nested deeper than {} arrays and objects", what, kMaxJsonDepth));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto stop = static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), text.begin() + stop, '\n');
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} is not valid JSON (at byte {}{}): {}", what, error.byte,
                            line > 1 ? fmt::format(", in line {}", line) : "", json_fault(error)) +
                    json_end_hint(error.byte, text.size()));
  } catch (const Json::exception& error) {  // a number beyond double's range is no parse_error
    throw Error(ErrorKind::kBadInput, fmt::format("{} is not valid JSON: {}", what, json_fault(error)));
  }
}

std::string json_end_hint(std::size_t byte, std::size_t size) {
  if (size == 0) return "; it is empty";
  return byte > size ? "; the text ends there: is it cut off?" : "";
}

Json json_or_discarded(std::string_view text) {
  if (text.find('\0') != text.npos || json_depth(text) > kMaxJsonDepth) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace transformeter
