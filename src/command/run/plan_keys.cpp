// Plurals are formed, not listed: a new axis has one.
#include "run/plan_keys.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace transformeter {
namespace {

// In addition to the topics of settings.
constexpr std::string_view kFurtherSections[] = {"data", "hardware", "inference", "measurement", "sweep"};

// "batch_sizes": nothing for "threadss".
const SettingTerm* axis_of_plural(std::string_view key) {
  if (!key.ends_with('s') || key.ends_with("ss")) return nullptr;
  const SettingTerm* term = find_setting(key.substr(0, key.size() - 1));
  return term != nullptr && term->is_axis ? term : nullptr;
}

}  // namespace

bool is_pipeline_key(std::string_view key) {
  return std::find(kPipelineKeys.begin(), kPipelineKeys.end(), key) != kPipelineKeys.end();
}

std::vector<std::string> plan_sections() {
  std::vector<std::string> sections = setting_topics();
  sections.insert(sections.end(), std::begin(kFurtherSections), std::end(kFurtherSections));
  return sections;
}

bool is_plan_section(std::string_view key) {
  const std::vector<std::string> sections = plan_sections();
  return std::find(sections.begin(), sections.end(), key) != sections.end();
}

const SettingTerm& term_of_plan_key(std::string_view key, bool may_be_section) {
  if (const SettingTerm* term = find_setting(key)) return *term;
  if (const SettingTerm* term = axis_of_plural(key)) return *term;
  if (key == kModelFamiliesKey) return setting_term("model");
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) names.emplace_back(term.name);
  names.emplace_back(kModelFamiliesKey);
  if (may_be_section) {
    const std::vector<std::string> sections = plan_sections();
    std::copy_if(sections.begin(), sections.end(), std::back_inserter(names),
                 [](const std::string& section) { return find_setting(section) == nullptr; });
  }
  throw unknown_value(may_be_section ? "setting or section" : "setting", key, names);
}

}  // namespace transformeter
