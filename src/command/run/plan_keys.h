// The keys of a plan file: settings, their plurals, sets of models, and the sections that settings may stand in.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "schema/settings.h"

namespace transformeter {

/// The key whose value is families of models, which sets `model`.
inline constexpr std::string_view kModelFamiliesKey = "model_families";

/// What a pipeline file has beside settings, in the order of its steps (pipeline/pipeline.h).
inline constexpr std::array kPipelineKeys{"measure", "profile", "pictures", "report"};
bool is_pipeline_key(std::string_view key);

/// Headings under which a plan may group settings: the topics of help, and what else people write. They are for the
/// reader: a setting means the same in each of them.
std::vector<std::string> plan_sections();
bool is_plan_section(std::string_view key);

/// The setting that `key` sets: its name; of an axis also name and "s", unless the name ends in s already or that is a
/// setting of its own; for model_families `model`. Throws Error(kBadInput) with the nearest name for another one;
/// sections are among the names where `may_be_section`.
const SettingTerm& term_of_plan_key(std::string_view key, bool may_be_section);

}  // namespace transformeter
