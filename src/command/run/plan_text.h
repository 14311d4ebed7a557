// A plan as the text of a plan file in YAML.
#pragma once

#include <functional>
#include <string>

#include "run/plan.h"
#include "schema/settings.h"

namespace transformeter {

/// The model, and the settings that are no defaults, of those that `is_wanted` takes, a line each; Plan::apply_file
/// reads them back.
std::string plan_text(const Plan& plan, const std::function<bool(const SettingTerm&)>& is_wanted);

}  // namespace transformeter
