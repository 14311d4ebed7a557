// What engine `auto` may choose, and the points it tries.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "run/plan.h"
#include "schema/capabilities.h"

namespace transformeter {

/// Settings that decide how a model is computed, and those that decide how its worker is started: tried one group after
/// the other.
struct OpenSettings {
  std::vector<std::string> engine;
  std::vector<std::string> launch;
};

/// Those that `plan` leaves to engine `auto`, of the point `requested`: what the worker's engine `auto` chooses, the
/// precision where `plan` limits the divergence, and the number of threads. Without what makes no difference there.
OpenSettings open_settings(const Plan& plan, const Json& requested, const Capabilities& capabilities);

/// `point` with each other value of each of `group` alone, with what each other named engine chooses for all of them,
/// and with groups of settings that only go together. Another precision or number of threads brings with it what the
/// engine chooses there for its own settings among `open`. What cannot run is among them.
std::vector<Json> neighbours(const Json& point, const std::vector<std::string>& group, const OpenSettings& open,
                             const Capabilities& capabilities);

/// `point` with the changes of several of `better`, each of which differs from it: all of them, then each two. Of two
/// values of one setting the earlier one's counts.
std::vector<Json> combinations(const Json& point, const std::vector<Json>& better);

/// {setting: value} of what `point` has and `start` has not.
Json changes_from(const Json& start, const Json& point);

}  // namespace transformeter
