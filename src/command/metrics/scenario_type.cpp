// The table of scenarios as values.
#include "metrics/scenario_type.h"

#include <algorithm>

#include "metrics/latency_metrics.h"
#include "metrics/metric_groups.h"

namespace transformeter {

const std::vector<ScenarioType>& scenario_types() {
  static const std::vector<ScenarioType> kTypes = [] {
    std::vector<ScenarioType> types;
    for (const auto make : kScenarioTypes) types.push_back(make());
    return types;
  }();
  return kTypes;
}

const ScenarioType& scenario_type(Scenario scenario) {
  const std::vector<ScenarioType>& types = scenario_types();
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const ScenarioType& type) { return type.scenario == scenario; });
  return found == types.end() ? types.front() : *found;
}

std::vector<MetricRow> scenario_metrics(const CaseRecord& the_case, const Slices& slices) {
  const ScenarioType& type = scenario_type(scenario_of(the_case.requested));
  std::vector<MetricRow> rows;
  const auto add = [&](const std::vector<MetricRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  if (type.has_latencies) {
    add(latency_metrics(slices.windows));
    add(undisturbed_metrics(the_case, slices));
  }
  add(type.metrics(the_case, slices));
  return rows;
}

}  // namespace transformeter
