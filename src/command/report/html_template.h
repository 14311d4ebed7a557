// The page around a report: the built-in one, or a file of the user's.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// What takes the place of {{title}}, {{style}}, {{content}} and {{version}}.
struct HtmlParts {
  std::string title;    // escaped
  std::string style;    // CSS
  std::string content;  // all that stands in the body
};

/// The built-in page.
std::string_view default_html_template();

/// Throws Error(kBadInput) for text that is not UTF-8, has no {{content}}, or another {{word}} than these. `name` is
/// for messages.
void check_html_template(const std::string& name, std::string_view text);

/// One pass over the template: what parts hold is never replaced itself.
std::string filled_html_template(std::string_view text, const HtmlParts& parts);

}  // namespace transformeter
