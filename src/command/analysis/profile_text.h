// What is said of a profile in words, wherever it is shown: what the profiler cost, and what its times are.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "schema/profile.h"

namespace transformeter {

/// "step" of a training, "request" of a generation, else "pass"; `requested`: the case's settings.
const char* profiled_unit(const Json& requested);

/// One fact each, without a full stop: "median 10.0 ms a pass without the profiler, 12.0 ms with it (1.20x)", then the
/// mean with it and how much of that the tables hold, and what else the times need to be read rightly.
std::vector<std::string> profile_facts(const Profile& profile, const Json& requested);

/// "12.3 %"; "-" of nothing.
std::string share_text(double part, double whole);

}  // namespace transformeter
