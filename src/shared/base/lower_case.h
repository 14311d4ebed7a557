// ASCII text in small letters, for names that are compared whatever their capitals.
#pragma once

#include <algorithm>
#include <string>

namespace transformeter {

/// ASCII letters alone, whatever the locale.
inline std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace transformeter
