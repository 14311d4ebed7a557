// JSON as text for people and programs alike.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"

namespace transformeter {

/// Objects and lists of objects indented by two; a list of plain values stays on one line, so that a column of samples
/// is one line. Invalid UTF-8 is replaced. Ends with '\n'.
std::string json_text(const Json& value);

/// The same as a part of a larger text, where it stands `depth` levels deep; no line break at its end.
void append_json_text(std::string& text, const Json& value, std::size_t depth);

/// All on one line, which ends with '\n'.
std::string json_line(const Json& value);

}  // namespace transformeter
