// Unknown names are refused, never passed over: a conversation in another form than the model's would go unnoticed.
#include "tokenizers/jinja_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "tokenizers/jinja_renderer.h"
#include "tokenizers/utf8.h"

namespace transformeter::jinja {
namespace {

using Node = Expression::Kind;

OperationError wrong(const std::string& what, const Value& value) {
  return OperationError(fmt::format("{} does not accept {}", what, kind_of(value)));
}

std::int64_t integer(const Value& value, const std::string& what) {
  if (!value.is_number_integer()) throw wrong(what, value);
  return value.get<std::int64_t>();
}
const std::string& text_of(const Value& value, const std::string& what) {
  if (!value.is_string()) throw wrong(what, value);
  return value.get_ref<const std::string&>();
}

std::size_t length_of(const Value& value) {
  if (value.is_array() || value.is_object()) return value.size();
  const std::string& text = text_of(value, "length");
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

Value member(const Value& value, const Value& key) {
  if (is_undefined(value)) throw OperationError("cannot access a member of an undefined value");
  if (value.is_object() && key.is_string()) {
    const auto found = value.find(key.get_ref<const std::string&>());
    return found == value.end() ? undefined() : *found;
  }
  if (value.is_array() && key.is_number_integer()) {
    std::int64_t index = key.get<std::int64_t>();
    if (index < 0) index += static_cast<std::int64_t>(value.size());
    return index < 0 || index >= static_cast<std::int64_t>(value.size()) ? undefined()
                                                                         : value[static_cast<std::size_t>(index)];
  }
  if (value.is_string() && key.is_number()) throw OperationError("indexing a string is not supported");
  return undefined();
}

Value slice(const Value& list, const Value& from, const Value& to) {
  if (!list.is_array()) throw wrong("a slice", list);
  const auto size = static_cast<std::int64_t>(list.size());
  const auto place = [&](const Value& value, std::int64_t missing) {
    std::int64_t at = is_undefined(value) ? missing : integer(value, "a slice");
    if (at < 0) at += size;
    return std::clamp<std::int64_t>(at, 0, size);
  };
  Value part = Value::array();
  for (std::int64_t i = place(from, 0); i < place(to, size); ++i) part.push_back(list[static_cast<std::size_t>(i)]);
  return part;
}

bool equal(const Value& left, const Value& right) {
  if (is_undefined(left) || is_undefined(right)) return is_undefined(left) && is_undefined(right);
  return left == right;
}

bool contains(const Value& whole, const Value& part) {
  if (whole.is_string()) return whole.get_ref<const std::string&>().find(text_of(part, "in")) != std::string::npos;
  if (whole.is_object()) return part.is_string() && whole.contains(part.get_ref<const std::string&>());
  if (whole.is_array())
    return std::any_of(whole.begin(), whole.end(), [&](const Value& item) { return equal(item, part); });
  throw wrong("in", whole);
}

Value add(const Value& left, const Value& right) {
  if (left.is_string() && right.is_string()) {
    return left.get_ref<const std::string&>() + right.get_ref<const std::string&>();
  }
  if (left.is_array() && right.is_array()) {
    Value both = left;
    for (const Value& item : right) both.push_back(item);
    return both;
  }
  if (!left.is_number_integer() || !right.is_number_integer()) {
    throw OperationError(fmt::format("+ cannot join {} and {}", kind_of(left), kind_of(right)));
  }
  return left.get<std::int64_t>() + right.get<std::int64_t>();
}

Value remainder(const Value& left, const Value& right) {
  const std::int64_t a = integer(left, "%");
  const std::int64_t b = integer(right, "%");
  if (b == 0) throw OperationError("% by zero");
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;  // Python's has the sign of the divisor
}

bool less(const Value& left, const Value& right, const std::string& name) {
  if (left.is_string() && right.is_string()) return left < right;
  if (!left.is_number() || !right.is_number()) throw wrong(name, left.is_number() ? right : left);
  return left < right;
}

Value binary(const std::string& name, const Value& left, const Value& right) {
  if (name == "==") return equal(left, right);
  if (name == "!=") return !equal(left, right);
  if (name == "<") return less(left, right, name);
  if (name == ">") return less(right, left, name);
  if (name == "<=") return !less(right, left, name);
  if (name == ">=") return !less(left, right, name);
  if (name == "in") return contains(right, left);
  if (name == "not in") return !contains(right, left);
  if (name == "~") return to_text(left) + to_text(right);
  if (name == "%") return remainder(left, right);
  if (name == "-") return integer(left, name) - integer(right, name);
  return add(left, right);
}

bool test(const std::string& name, const Value& value) {
  if (name == "defined") return !is_undefined(value);
  if (name == "undefined") return is_undefined(value);
  if (name == "none") return value.is_null();
  if (name == "string") return value.is_string();
  if (name == "mapping") return value.is_object();
  if (name == "number") return value.is_number();
  if (name == "true") return value.is_boolean() && value.get<bool>();
  if (name == "false") return value.is_boolean() && !value.get<bool>();
  throw OperationError(fmt::format("the test '{}' is not supported", name));
}

// ASCII white space and what else Python's str.strip takes of one byte or two; further blanks are refused by nobody.
bool is_blank(char32_t c) {
  return c == ' ' || (c >= 0x9 && c <= 0xD) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string stripped(const std::string& text, bool left, bool right) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (left && begin < end) {
    std::size_t after = begin;
    if (!is_blank(next_code_point(text, after))) break;
    begin = after;
  }
  while (right && end > begin) {
    std::size_t last = end - 1;
    while (!starts_character(text[last])) --last;
    std::size_t after = last;
    if (!is_blank(next_code_point(text, after))) break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

// Letters beyond ASCII would need Python's tables.
std::string cased(const std::string& text, bool upper) {
  if (!is_ascii(text)) throw OperationError("upper and lower of text beyond ASCII are not supported");
  std::string made = text;
  for (char& c : made) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

Value filter(const std::string& name, const std::vector<Value>& values) {
  if (values.size() > 1) throw OperationError(fmt::format("arguments of the filter '{}' are not supported", name));
  const Value& value = values[0];
  if (name == "trim") return stripped(to_text(value), true, true);
  if (name == "length" || name == "count") return length_of(value);
  if (name == "upper" || name == "lower") return cased(to_text(value), name == "upper");
  if (name == "string") return to_text(value);
  if (name == "tojson") {
    if (is_undefined(value)) throw wrong(name, value);
    return to_json(value);
  }
  throw OperationError(fmt::format("the filter '{}' is not supported", name));
}

Value method(const std::string& name, const std::vector<Value>& values) {
  const std::string& text = text_of(values[0], "the method '" + name + "'");
  if (values.size() == 1) {
    if (name == "strip" || name == "lstrip" || name == "rstrip")
      return stripped(text, name != "rstrip", name != "lstrip");
    if (name == "upper" || name == "lower") return cased(text, name == "upper");
  }
  if (values.size() == 2) {
    if (name == "startswith") return text.starts_with(text_of(values[1], name));
    if (name == "endswith") return text.ends_with(text_of(values[1], name));
  }
  throw OperationError(fmt::format("the method '{}' with {} arguments is not supported", name, values.size() - 1));
}

}  // namespace

bool is_true(const Value& value) {
  if (is_undefined(value) || value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

std::string kind_of(const Value& value) {
  if (is_undefined(value)) return "an undefined value";
  if (value.is_null()) return "none";
  if (value.is_boolean()) return "a boolean";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a string";
  return value.is_array() ? "a list" : "a mapping";
}

std::string to_text(const Value& value) {
  if (value.is_string()) return value.get<std::string>();
  if (is_undefined(value)) return "";
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_integer()) return value.dump();
  throw wrong("output", value);
}

std::string to_json(const Value& value) {
  if (!value.is_structured()) return value.dump(-1, ' ', false, Value::error_handler_t::replace);
  std::string text = value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    if (!first) text += ", ";
    first = false;
    if (value.is_object()) text += Value(key).dump(-1, ' ', false, Value::error_handler_t::replace) + ": ";
    text += to_json(item);
  }
  return text + (value.is_array() ? "]" : "}");
}

Value operate(Node kind, const std::string& name, const std::vector<Value>& values) {
  switch (kind) {
    case Node::kMember:
      return member(values[0], name);
    case Node::kIndex:
      return member(values[0], values[1]);
    case Node::kSlice:
      return slice(values[0], values[1], values[2]);
    case Node::kMethod:
      return method(name, values);
    case Node::kFilter:
      return filter(name, values);
    case Node::kTest:
      return test(name, values[0]);
    case Node::kUnary:
      if (name == "not") return !is_true(values[0]);
      return -integer(values[0], "-");
    default:
      return binary(name, values[0], values[1]);
  }
}

}  // namespace transformeter::jinja
