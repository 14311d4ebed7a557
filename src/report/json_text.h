// JSON as text for people and programs alike.
#pragma once

#include <string>

#include "base/json.h"

namespace transformeter {

/// Objects and lists of objects indented by two; a list of plain values stays on one line, so that a column of samples
/// is one line. Invalid UTF-8 is replaced. Ends with '\n'.
std::string json_text(const Json& value);

/// All on one line, which ends with '\n'.
std::string json_line(const Json& value);

}  // namespace transformeter
