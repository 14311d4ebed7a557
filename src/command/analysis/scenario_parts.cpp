// Parts in the order of their first cases.
#include "analysis/scenario_parts.h"

#include <algorithm>
#include <set>

namespace transformeter {
namespace {

bool varies(const std::vector<AnalyzedCase>& cases, const std::string& setting) {
  std::set<Json> values;
  for (const AnalyzedCase& one : cases) {
    const Json& requested = one.record->requested;
    values.insert(requested.is_object() ? requested.value(setting, Json()) : Json());
  }
  return values.size() > 1;
}

}  // namespace

std::vector<ScenarioPart> by_scenario(const AnalyzedRun& run) {
  std::vector<ScenarioPart> parts;
  for (const AnalyzedCase& one : run.cases) {
    const Scenario scenario = scenario_of(one.record->requested);
    auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.scenario == scenario; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), {scenario, {run.run, {}, run.following, {}, run.baseline}});
    }
    part->run.cases.push_back(one);
  }
  for (ScenarioPart& part : parts) {
    std::copy_if(run.axes.begin(), run.axes.end(), std::back_inserter(part.run.axes),
                 [&](const std::string& axis) { return varies(part.run.cases, axis); });
  }
  return parts;
}

}  // namespace transformeter
