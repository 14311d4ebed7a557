// Steps over well-formed UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace transformeter {

/// Bytes of the character whose first byte stands at `position`.
inline std::size_t character_size(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// False for the bytes of a character that follow its first.
inline bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

inline std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

/// The code point that starts at byte `position`, and `position` moved past it.
inline char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto byte = [&] { return static_cast<unsigned char>(text[position++]); };
  const unsigned char lead = byte();
  if (lead < 0x80) return lead;
  int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = lead & (0x3F >> more);
  for (; more > 0; --more) c = (c << 6) | (byte() & 0x3F);
  return c;
}

inline void append_utf8(char32_t c, std::string& text) {
  const auto continuation = [&](int shift) { text += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    continuation(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

/// True when all bytes are below 0x80.
inline bool is_ascii(std::string_view text) {
  unsigned char seen = 0;
  for (const char c : text) seen |= static_cast<unsigned char>(c);
  return seen < 0x80;
}

}  // namespace transformeter
