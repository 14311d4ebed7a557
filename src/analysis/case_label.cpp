// Batch and length get the letters of the shape comments; a precision or a kernel speaks for itself; all else is named.
#include "analysis/case_label.h"

#include <fmt/format.h>

#include <set>

#include "terms/settings.h"

namespace transformeter {
namespace {

bool is_path(std::string_view setting) {
  return setting == "model" || setting == "data";
}

std::string label_part(const CaseRecord& the_case, const std::string& setting) {
  std::string text = setting_value_text(the_case, setting);
  if (setting == "batch_size") return "b" + text;
  if (setting == "sequence_length") return text == "natural" ? text : "t" + text;
  if (is_path(setting) || setting == "task" || setting == "precision" || setting == "attention" ||
      setting == "device") {
    return text;
  }
  return fmt::format("{}={}", setting, text);
}

}  // namespace

std::vector<std::string> varying_settings(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) {
    if (term.group == SettingGroup::kRun) continue;
    std::set<std::string> values;
    for (const CaseRecord& one : cases) {
      const auto found = one.requested.find(std::string(term.name));
      values.insert(found == one.requested.end() ? "" : canonical_json(*found));
    }
    if (values.size() > 1) names.emplace_back(term.name);
  }
  return names;
}

std::string setting_value_text(const CaseRecord& the_case, std::string_view setting) {
  const auto found = the_case.requested.find(std::string(setting));
  if (found == the_case.requested.end() || found->is_null()) return "";
  std::string text = found->is_structured() ? canonical_json(*found) : setting_text(*found);
  if (!is_path(setting)) return text;
  const std::size_t end = text.find_last_not_of('/');
  if (end == std::string::npos) return text;
  const std::size_t slash = text.find_last_of('/', end);
  return text.substr(slash == std::string::npos ? 0 : slash + 1, slash == std::string::npos ? end + 1 : end - slash);
}

std::string short_label(const CaseRecord& the_case, const std::vector<std::string>& axes) {
  std::string label;
  for (const std::string& axis : axes) {
    if (!label.empty()) label.push_back(' ');
    label.append(label_part(the_case, axis));
  }
  return label.empty() ? the_case.id : label;
}

}  // namespace transformeter
