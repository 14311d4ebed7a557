// GPT-2's alphabet: a printable character for each byte, so that byte-level tokens can be written as text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace transformeter {

/// True for the bytes that stand for the character of the same number: printable ones of Latin-1.
constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// The characters, by byte: the others take those from U+0100 on, in order.
constexpr std::array<char32_t, 256> make_byte_alphabet() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    characters[static_cast<std::size_t>(byte)] = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
  }
  return characters;
}
inline constexpr std::array<char32_t, 256> kByteAlphabet = make_byte_alphabet();

/// The byte a character stands for; nothing for one that is not in the alphabet.
inline std::optional<char> byte_of_character(char32_t c) {
  if (c < 0x100) return stands_for_itself(static_cast<int>(c)) ? std::optional(static_cast<char>(c)) : std::nullopt;
  for (std::size_t byte = 0; byte < kByteAlphabet.size(); ++byte) {
    if (kByteAlphabet[byte] == c) return static_cast<char>(byte);
  }
  return std::nullopt;
}

}  // namespace transformeter
