// Text safe to stand in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// One line of text that shows as written, in an element or a quoted attribute: no markup, no control characters, none
/// of the marks that switch writing direction.
std::string escape_html(std::string_view text);

/// The same with its line breaks kept, for <pre>.
std::string escape_html_lines(std::string_view text);

/// escape_html in an element of its own, so that text written right to left does not reorder its neighbours.
std::string isolated(std::string_view text);

}  // namespace transformeter
