// What engine `auto` chose, in words.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "base/json.h"

namespace transformeter {

/// "engine fast with attention=math,streams=1; 1.08 (1.05 to 1.12) times as fast as engine fast, 14 other choices
/// tried", of a choice as a run's host has it ("engine_choices"). Empty for another form.
std::string engine_choice_text(const Json& choice);

/// "LABEL: settings chosen by trials: ..." of each case that has a choice.
std::vector<std::string> engine_choice_lines(const AnalyzedRun& run);

}  // namespace transformeter
