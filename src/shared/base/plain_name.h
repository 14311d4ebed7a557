// Names that need no quotes in a file name, a shell or YAML.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// Letters, digits, '.', '_' and '-', beginning with a letter or digit.
bool is_plain_name(std::string_view text);
/// With '-' in place of every other character.
std::string plain_name(std::string text);
/// Throws Error(kBadInput) that names `what` for a name with other characters.
void check_plain_name(std::string_view what, const std::string& name);

}  // namespace transformeter
