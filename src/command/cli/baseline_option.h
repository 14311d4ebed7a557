// The --baseline option of the commands that read results.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "cli/declaration.h"
#include "schema/record.h"

namespace transformeter {

OptionDeclaration baseline_option(std::string& text);

/// Nothing for an empty text. Throws Error(kBadInput) as parse_baseline.
std::optional<Json> asked_baseline(const std::string& text);

/// Throws Error(kBadInput) when a baseline was asked for that no case of the run fulfils.
void check_baseline_of(const RunRecord& run, const std::optional<Json>& baseline);

}  // namespace transformeter
