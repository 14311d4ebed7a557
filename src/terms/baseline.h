// The baseline of a run: settings with one value each that name the arm to which speed-up and memory saved refer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// "attention=eager,batching=padded" as {"attention": "eager", "batching": "padded"}. Throws as baseline_of.
Json parse_baseline(std::string_view text);

/// The same from names and values as a user wrote them. Throws Error(kBadInput) for none, an unknown setting (the
/// nearest is suggested), one that is no axis, one of the workload (arms do the same work), one given twice, and a
/// value that the setting does not allow.
Json baseline_of(const std::vector<std::pair<std::string, std::string>>& settings);

/// The form parse_baseline reads.
std::string baseline_text(const Json& baseline);

/// Whether a case as requested has all of the baseline's values.
bool fulfils(const Json& requested, const Json& baseline);

/// Throws Error(kBadInput) when none of the cases fulfils the baseline, with the values that they have.
void check_baseline(const Json& baseline, const std::vector<const Json*>& requested);

}  // namespace transformeter
