// What Python's str does, where a score is defined by a Python program: the official SQuAD scripts compare answers
// after lower(), split() and a regular expression with \b.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transformeter {

using CodePoint = char32_t;

/// Well-formed UTF-8 to code points and back.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

/// str.lower(): full Unicode lower case, with the final sigma and the dotted capital I.
std::u32string python_lower(std::u32string_view text);

/// str.isspace() of one character: where split() splits.
bool is_python_space(CodePoint c);

/// Whether \w matches: letters, numbers and the underscore, but no combining marks.
bool is_python_word(CodePoint c);

/// Whether the character is in string.punctuation: the ASCII punctuation and symbols.
bool is_python_punctuation(CodePoint c);

}  // namespace transformeter
