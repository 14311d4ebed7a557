// The classes of up to 64 bytes of text at once, as bits: what cuts a text looks at masks instead of at each character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizers/text_characters.h"

namespace transformeter {

/// Bit i is of byte i of a block of at most 64; bits beyond its end are 0. Every byte of a character has its class.
struct ClassBits {
  std::uint64_t letters = 0;
  std::uint64_t numbers = 0;
  std::uint64_t spaces = 0;
  std::uint64_t space_tails = 0;  // the bytes of white space beyond ASCII that follow its first
  std::uint64_t blanks = 0;       // U+0020
  std::uint64_t apostrophes = 0;
  std::uint64_t all = 0;  // of the block's bytes
};

/// How many bytes from `begin`, before the end of well-formed `text`, are a block: 64, or fewer, so that it ends with a
/// character or the text.
std::size_t block_size(std::string_view text, std::size_t begin);

/// Of a block of well-formed UTF-8, not empty and of at most 64 bytes.
ClassBits class_bits(std::string_view block, const CharacterClasses& classes);

}  // namespace transformeter
