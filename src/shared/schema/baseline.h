// The baseline of a run: settings, each with one value, that select the cases speed-up and memory saved refer to.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// "attention=eager,batching=padded" as {"attention": "eager", "batching": "padded"}. Throws as baseline_of.
Json parse_baseline(std::string_view text);

/// The same from names and values as a user wrote them. Throws Error(kBadInput) for an empty list, an unknown setting
/// (suggesting the nearest), a setting that is not an axis or belongs to the workload, a duplicate, and a value that
/// the setting does not allow.
Json baseline_of(const std::vector<std::pair<std::string, std::string>>& settings);

/// The form parse_baseline reads.
std::string baseline_text(const Json& baseline);

/// Whether a case as requested has all of the baseline's values.
bool fulfils(const Json& requested, const Json& baseline);

/// Throws Error(kBadInput) when no case matches the baseline, naming the values that the cases have.
void check_baseline(const Json& baseline, const std::vector<const Json*>& requested);

}  // namespace transformeter
