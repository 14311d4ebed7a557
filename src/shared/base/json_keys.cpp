// A second pass over the text, because the library's parser with callbacks calls one for every number, too.
#include "base/json_keys.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "base/json.h"

namespace transformeter {
namespace {

// Behind the closing quote of the string that begins at `begin`.
std::size_t string_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

}  // namespace

std::optional<std::string> repeated_key(std::string_view text) {
  struct Level {
    bool is_object;
    std::set<std::string> keys;
  };
  std::vector<Level> levels;
  bool at_key = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') {
      at_key = c == '{';
      levels.push_back({at_key, {}});
    } else if (c == '}' || c == ']') {
      levels.pop_back();
    } else if (c == ',') {
      at_key = levels.back().is_object;
    } else if (c == '"') {
      const std::size_t end = string_end(text, i);
      if (std::exchange(at_key, false)) {
        const auto [key, is_new] = levels.back().keys.insert(Json::parse(text.substr(i, end - i)).get<std::string>());
        if (!is_new) return *key;
      }
      i = end - 1;
    }
  }
  return std::nullopt;
}

}  // namespace transformeter
