// Values of templates: JSON in the order it was written, and the undefined value.
#pragma once

#include <nlohmann/json.hpp>

namespace transformeter::jinja {

using Value = nlohmann::ordered_json;

/// What a missing name or member has: neither true nor equal to anything, and written as nothing.
inline Value undefined() {
  return Value(Value::value_t::discarded);
}
inline bool is_undefined(const Value& value) {
  return value.is_discarded();
}

}  // namespace transformeter::jinja
