// Cases chosen by the values of their settings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/record.h"

namespace transformeter {

/// {setting, value as a user would write it}
using SettingFilter = std::pair<std::string, std::string>;

/// "batch_size=8,precision=fp32"; none for an empty text. Throws Error(kBadInput) that names `what` for anything else.
std::vector<SettingFilter> parse_filters(std::string_view what, std::string_view text);

/// Whether the case was asked for with that value, in short or in full; "none": it has no such setting.
bool has_setting(const CaseRecord& the_case, const SettingFilter& filter);
bool has_settings(const CaseRecord& the_case, const std::vector<SettingFilter>& filters);

}  // namespace transformeter
