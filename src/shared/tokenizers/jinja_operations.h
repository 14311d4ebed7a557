// What templates do with values: operators, members, filters, tests and methods, with Python's meaning.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tokenizers/jinja_parser.h"
#include "tokenizers/jinja_value.h"

namespace transformeter::jinja {

/// Says what is wrong with an operation; the renderer adds file and line.
class OperationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

bool is_true(const Value& value);
/// "a string", "a list", … for errors.
std::string kind_of(const Value& value);
/// As {{ }} writes it. Throws OperationError for lists and mappings, which Python writes in a form of its own.
std::string to_text(const Value& value);

/// Every kind of expression but literals, names, calls, conditions and the operators and, or; `values` are those of its
/// children. Throws OperationError.
Value operate(Expression::Kind kind, const std::string& name, const std::vector<Value>& values);

}  // namespace transformeter::jinja
