// JSON's scalars and lists, which are YAML's too: nothing needs an escape of its own.
#include "run/plan_text.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json.h"
#include "base/plain_name.h"

namespace transformeter {
namespace {

constexpr std::string_view kNeverLeftOut = "model";  // a plan file has one setting at least

// Numbers and words as they are typed, other text in quotes.
std::string value_text(const Json& value) {
  if (value.is_object()) return value.dump();
  const std::string text = setting_text(value);
  return is_plain_name(text) && text != "null" ? text : Json(text).dump();
}

}  // namespace

std::string plan_text(const Plan& plan, const std::function<bool(const SettingTerm&)>& is_wanted) {
  std::string text;
  for (const SettingTerm& term : setting_terms()) {
    if (!plan.has(term.name) || !is_wanted(term)) continue;
    if (plan.at(term.name).origin == "default" && term.name != kNeverLeftOut) continue;
    std::vector<std::string> values;
    for (const Json& value : plan.at(term.name).values) values.push_back(value_text(value));
    text += term.is_axis ? fmt::format("{}: [{}]\n", term.name, fmt::join(values, ", "))
                         : fmt::format("{}: {}\n", term.name, values.front());
  }
  return text;
}

}  // namespace transformeter
