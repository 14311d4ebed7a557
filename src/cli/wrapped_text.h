// Text broken at blanks.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// Lines of at most `width` columns, a longer word alone on its line; every line but the first is indented by `indent`
/// blanks, which do not count. The text is shown as one_line has it. No line break at the end.
std::string wrapped_text(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace transformeter
