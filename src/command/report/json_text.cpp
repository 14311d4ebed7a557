// nlohmann's own indentation would give every sample a line.
#include "report/json_text.h"

#include <algorithm>

namespace transformeter {
namespace {

std::string compact(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool stays_on_one_line(const Json& value) {
  if (!value.is_structured() || value.empty()) return true;
  return value.is_array() && std::none_of(value.begin(), value.end(), [](const Json& e) { return e.is_structured(); });
}

}  // namespace

void append_json_text(std::string& text, const Json& value, std::size_t depth) {
  if (stays_on_one_line(value)) {
    text.append(compact(value));
    return;
  }
  const std::string indent(2 * (depth + 1), ' ');
  text.append(value.is_object() ? "{" : "[");
  const char* separator = "\n";
  for (auto element = value.begin(); element != value.end(); ++element) {
    text.append(separator).append(indent);
    if (value.is_object()) text.append(compact(element.key())).append(": ");
    append_json_text(text, *element, depth + 1);
    separator = ",\n";
  }
  text.append("\n").append(2 * depth, ' ').append(value.is_object() ? "}" : "]");
}

std::string json_text(const Json& value) {
  std::string text;
  append_json_text(text, value, 0);
  return text + "\n";
}

std::string json_line(const Json& value) {
  return compact(value) + "\n";
}

}  // namespace transformeter
