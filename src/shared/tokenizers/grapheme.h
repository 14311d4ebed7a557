// Extended grapheme clusters (Unicode annex 29): what a reader takes for one character, as a letter with its accents.
#pragma once

#include <cstddef>
#include <string_view>

namespace transformeter {

/// The byte behind the grapheme that starts at byte `begin` of `text` (well-formed UTF-8, begin < text.size()).
std::size_t grapheme_end(std::string_view text, std::size_t begin);

}  // namespace transformeter
