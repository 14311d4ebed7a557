// Keys that stand twice in a JSON object: the library keeps the last value and says nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transformeter {

/// A key that some object of `text`, which is valid JSON, has twice, escapes read; nothing when there is none.
std::optional<std::string> repeated_key(std::string_view text);

}  // namespace transformeter
