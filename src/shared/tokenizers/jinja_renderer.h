// Runs the tree of a template.
#pragma once

#include <string>

#include "tokenizers/jinja_parser.h"
#include "tokenizers/jinja_value.h"

namespace transformeter::jinja {

/// Throws Error(kBadInput) "WHERE: line N: …": where the template calls raise_exception, for an operation that the
/// values do not allow, and for a template that does not end within 200,000 steps.
std::string render(const Template& parsed, const Value& variables, const std::string& where);

/// As Python's json.dumps(value, ensure_ascii=False): ", " and ": " between the parts, members in their order.
std::string to_json(const Value& value);

}  // namespace transformeter::jinja
