// How `profile` prints counted events.
#pragma once

#include <string>

#include "analysis/compared_profiles.h"
#include "base/json.h"
#include "schema/profile.h"

namespace transformeter {

/// A table of the counts with what follows from them, then why others are missing. `unit`: "pass", "step" or "request".
/// Empty for a profile of a worker that does not count.
std::string counter_table(const Profile& profile, const char* unit);
/// Counts that both have, before and after; empty for none.
std::string counter_comparison(const ProfileSummary& before, const ProfileSummary& after);

/// {name: {value, scaled_share, reason}}; null for a profile of a worker that does not count.
Json counters_json(const Profile& profile);
/// {"instructions_per_cycle": 2.31, ...}, null for what cannot be told, or for all.
Json counter_figures_json(const Profile& profile);

}  // namespace transformeter
