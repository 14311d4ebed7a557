// Values are compared as texts, as they are typed and shown.
#include "analysis/setting_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_label.h"
#include "base/error.h"
#include "base/text.h"
#include "schema/settings.h"

namespace transformeter {

std::vector<SettingFilter> parse_filters(std::string_view what, std::string_view text) {
  std::vector<SettingFilter> filters;
  if (trim(text).empty()) return filters;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw bad_value(what, part, "SETTING=VALUE",
                      "For example batch_size=8,precision=fp32; a comma begins the next setting.");
    }
    SettingFilter filter{trim(part.substr(0, equals)), trim(part.substr(equals + 1))};
    setting_term(filter.first);  // throws for an unknown name
    for (const SettingFilter& known : filters) {
      if (known.first == filter.first) throw refused_value(what, text, fmt::format("it has {} twice", known.first));
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

bool has_setting(const CaseRecord& the_case, const SettingFilter& filter) {
  const Json value = the_case.requested.is_object() ? the_case.requested.value(filter.first, Json()) : Json();
  if (value.is_null()) return filter.second == "none";
  const std::string full = value.is_structured() ? canonical_json(value) : setting_text(value);
  return filter.second == full || filter.second == setting_value_text(the_case, filter.first);
}

bool has_settings(const CaseRecord& the_case, const std::vector<SettingFilter>& filters) {
  return std::all_of(filters.begin(), filters.end(),
                     [&](const SettingFilter& filter) { return has_setting(the_case, filter); });
}

}  // namespace transformeter
