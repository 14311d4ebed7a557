// Whole numbers in the JSON headers of messages, of which nothing is trusted.
#pragma once

#include <fmt/format.h>

#include <concepts>

#include "base/error.h"
#include "base/json.h"

namespace transformeter {

/// Throws Error(kProtocol) naming `key` when `value` is no whole number, or not in T's range.
template <std::integral T>
T whole_field(const Json& value, const char* key) {
  if (const auto number = whole_number<T>(value)) return *number;
  throw Error(ErrorKind::kProtocol, fmt::format("field '{}' is not a whole number in range", key));
}

}  // namespace transformeter
