// JSON's scalars and lists, which are YAML's too: nothing needs an escape of its own.
#include "pipeline/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace transformeter {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-' || c == '/';
}

// Numbers and words as they are typed, other text in quotes.
std::string value_text(const Json& value) {
  if (value.is_object()) return value.dump();
  const std::string text = setting_text(value);
  const bool is_word = !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain);
  return is_word && text != "null" ? text : Json(text).dump();
}

}  // namespace

std::string plan_text(const Plan& plan, const std::function<bool(const SettingTerm&)>& is_wanted) {
  std::string text;
  for (const SettingTerm& term : setting_terms()) {
    if (!plan.has(term.name) || plan.at(term.name).origin == "default" || !is_wanted(term)) continue;
    std::vector<std::string> values;
    for (const Json& value : plan.at(term.name).values) values.push_back(value_text(value));
    text += term.is_axis ? fmt::format("{}: [{}]\n", term.name, fmt::join(values, ", "))
                         : fmt::format("{}: {}\n", term.name, values.front());
  }
  return text;
}

}  // namespace transformeter
