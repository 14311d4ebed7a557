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

/// The last `width` columns at most, an ellipsis in the first one where something was cut off.
std::string last_columns(std::string_view text, std::size_t width);

/// The text as one_line, as several lines that end at the column `width` or before, broken at blanks; a word that is
/// too wide keeps a line of its own. The first line is to stand behind `column` columns that are there already, the
/// further ones are indented by `indent` blanks. No line break at the end.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0, std::size_t column = 0);

}  // namespace transformeter
