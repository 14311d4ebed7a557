// Short names for cases: only the settings that distinguish the cases of one run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/record.h"

namespace transformeter {

/// The requested value; null also where it is the one that cases have which are older than the setting.
Json told_value(const Json& requested, std::string_view setting);

/// Names of the case settings with more than one value told among `cases`, in the order of schema/settings.h.
std::vector<std::string> differing_settings(const std::vector<CaseRecord>& cases);

/// Those that tell the cases apart: without a setting of which each engine has one value, or one a precision or
/// scenario, and without streams that are as many as the threads.
std::vector<std::string> varying_settings(const std::vector<CaseRecord>& cases);

/// What labels of the cases name: what tells them apart; where nothing does, what a reader asks for first.
std::vector<std::string> label_axes(const std::vector<CaseRecord>& cases);

/// The settings that differ and do not tell the cases apart, since they follow from those of varying_settings.
std::vector<std::string> following_settings(const std::vector<CaseRecord>& cases);

/// What is left of requested settings without those named, and without those that tell no cases apart
/// (schema/settings.h), and those newer ones that have the value which cases without them have: equal for cases that
/// differ in them alone.
std::string key_without(const Json& requested, const std::vector<std::string>& settings);

/// Whether `text` is the value that cases have which are older than the setting: labels and keys leave it out.
bool is_as_before(std::string_view setting, std::string_view text);

/// The requested value as a user would write it; of a path its last part; empty when the case has no such setting.
std::string setting_value_text(const CaseRecord& the_case, std::string_view setting);

/// "b8 t128 bf16" for the settings named by `axes`; the case's id when there are none.
std::string short_label(const CaseRecord& the_case, const std::vector<std::string>& axes);

/// "distilbert-base b8 t128 fp32 sdpa": the settings a reader always asks for, then what else varies.
std::string long_label(const CaseRecord& the_case, const std::vector<std::string>& axes);

}  // namespace transformeter
