// Text safe to stand in Markdown (CommonMark with GitHub's tables).
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// One line of text that shows as written: no markup, no HTML, no table separator, no control characters.
std::string escape_markdown(std::string_view text);

/// A fenced block, with a fence longer than any in `code`; control characters but line breaks become U+FFFD.
std::string fenced(std::string_view code);

}  // namespace transformeter
