// What characters do at the borders of graphemes, as the generated table says it.
#pragma once

#include <cstdint>

namespace transformeter::grapheme {

using Flags = std::uint16_t;

inline constexpr Flags kControl = 1;          // stands alone
inline constexpr Flags kJoins = 2;            // belongs to what stands before it: marks, the zero-width joiner
inline constexpr Flags kPrepend = 4;          // belongs to what follows it
inline constexpr Flags kPictographic = 8;     // emoji, which the zero-width joiner ties together
inline constexpr Flags kConsonant = 16;       // Indic letters, which linkers tie together
inline constexpr Flags kLinker = 32;          // with kJoins: a virama
inline constexpr Flags kConjunctExtend = 64;  // with kJoins: may stand between consonant and linker
inline constexpr Flags kExtend = 128;         // with kJoins: may stand between emoji and joiner
inline constexpr Flags kHangulL = 256;        // leading, vowel and trailing parts of Korean syllables
inline constexpr Flags kHangulV = 512;
inline constexpr Flags kHangulT = 1024;

struct Range {
  char32_t first;
  char32_t last;  // inclusive
  Flags flags;
};

}  // namespace transformeter::grapheme
