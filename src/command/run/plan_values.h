// What flags and plan files share: from the texts of one setting to its values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/settings.h"

namespace transformeter {

/// Throws Error(kBadInput) for no value, several values of a setting that is no axis, a value given twice, and what
/// parse_setting refuses.
std::vector<Json> parse_plan_values(const SettingTerm& term, const std::vector<std::string>& texts);

/// The elements of a comma list where the setting takes one, else the text as it is.
std::vector<std::string> split_plan_text(const SettingTerm& term, std::string_view text);

}  // namespace transformeter
