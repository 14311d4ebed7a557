// Names to scenarios.
#include "schema/scenario.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

std::optional<Scenario> find_scenario(std::string_view name) {
  const auto found = std::find(kScenarioNames.begin(), kScenarioNames.end(), name);
  if (found == kScenarioNames.end()) return std::nullopt;
  return static_cast<Scenario>(found - kScenarioNames.begin());
}

}  // namespace

Scenario scenario_of(const Json& requested) {
  const auto scenario = requested.is_object() ? requested.find("scenario") : requested.end();
  if (scenario == requested.end() || !scenario->is_string()) return Scenario::kBatch;
  return find_scenario(scenario->get_ref<const std::string&>()).value_or(Scenario::kBatch);
}

void to_json(Json& json, Scenario scenario) {
  json = name_of(scenario);
}

void from_json(const Json& json, Scenario& scenario) {
  const auto name = json.get<std::string>();
  const auto found = find_scenario(name);
  if (!found) throw unknown_value("scenario", name, {kScenarioNames.begin(), kScenarioNames.end()});
  scenario = *found;
}

}  // namespace transformeter
