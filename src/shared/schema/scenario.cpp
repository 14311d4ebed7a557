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
  const auto found = std::find_if(kScenarioNames.begin(), kScenarioNames.end(),
                                  [&](const ScenarioName& known) { return known.name == name; });
  return found == kScenarioNames.end() ? std::nullopt : std::optional(found->scenario);
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const ScenarioName& known : kScenarioNames) names.emplace_back(known.name);
  return names;
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
  if (!found) throw unknown_value("scenario", name, scenario_names());
  scenario = *found;
}

}  // namespace transformeter
