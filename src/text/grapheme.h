// Extended grapheme clusters (Unicode annex 29): what a reader takes for one character, as a letter with its accents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace transformeter {

/// Flags of the characters that play a part at the borders of graphemes.
enum GraphemeFlag : std::uint16_t {
  kControl = 1,          // stands alone
  kJoins = 2,            // belongs to what stands before it: marks, the zero-width joiner
  kPrepend = 4,          // belongs to what follows it
  kPictographic = 8,     // emoji, which the zero-width joiner ties together
  kConsonant = 16,       // Indic letters, which linkers tie together
  kLinker = 32,          // with kJoins: a virama
  kConjunctExtend = 64,  // with kJoins: may stand between consonant and linker
  kExtend = 128,         // with kJoins: may stand between emoji and joiner
  kHangulL = 256,        // leading, vowel and trailing parts of Korean syllables
  kHangulV = 512,
  kHangulT = 1024,
};

struct GraphemeRange {
  char32_t first;
  char32_t last;  // inclusive
  std::uint16_t flags;
};

/// The byte behind the grapheme that starts at byte `begin` of `text` (well-formed UTF-8, begin < text.size()).
std::size_t grapheme_end(std::string_view text, std::size_t begin);

}  // namespace transformeter
