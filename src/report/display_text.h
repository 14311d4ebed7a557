// User text made fit for a terminal or a line of a report, and its width in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transformeter {

/// One line of valid UTF-8: white space other than blanks becomes a blank; control characters, the marks that switch
/// writing direction, and bytes that are no UTF-8 become U+FFFD. Letters of any script stay.
std::string one_line(std::string_view text);

/// The text as one_line, and a line break.
void append_line(std::string& text, std::string_view line);

/// Columns on a terminal: 2 for wide characters, 0 for combining marks.
std::size_t display_width(std::string_view text);

/// At most `width` columns, an ellipsis in the last one where something was cut off.
std::string cut_to_columns(std::string_view text, std::size_t width);

/// One line as several of at most `width` columns, broken at blanks, further ones indented by two; a word that is wider
/// keeps a line of its own.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace transformeter
