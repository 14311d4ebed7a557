// Arms are prepared like runs of their own, so that each resolves what it leaves open by its own worker.
#include "run/live_arms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/error.h"
#include "run/identity.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr const char* kChoices = "engine_choices";

// Of an arm's cases, and what engine `auto` chose for them, by the ids they had.
void take_cases(PreparedRun& arm, const char* name, bool has_own_worker, PreparedRun& joined,
                std::vector<Json>& choices) {
  const Json known = arm.record.host.value(kChoices, Json::object());
  const Json build = arm.record.host.value("worker", Json::object());
  for (PlannedCase& planned : arm.cases) {
    planned.record.requested[kArm] = name;
    planned.record.plan_key = plan_key(planned.record.requested, planned.workload);
    planned.asked.arm = name;
    if (has_own_worker) planned.worker = WorkerBuild{arm.worker, build};
    choices.push_back(known.value(planned.record.id, Json()));
    joined.cases.push_back(std::move(planned));
  }
}

// As it is typed.
std::string text_of(const ArmSettings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : settings) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

Json baseline_of_arms() {
  return {{kArm, kArmBefore}};
}

Plan plan_of_arm(const Plan& common, const ArmSettings& settings) {
  Plan plan = common;
  for (const auto& [name, text] : settings) {
    const SettingTerm& term = setting_term(name);
    const bool is_of_cases = term.group != SettingGroup::kRun && !is_set_by_live(name);
    if (!is_of_cases && term.name != "worker") {
      throw refused_value(name, text, "it is not a setting of one arm",
                          "Arms differ in settings of cases, or in the worker.");
    }
    plan.apply_flag(name, text);
  }
  return plan;
}

PreparedRun joined_arms(const Plan& common, Arm before, Arm after) {
  const bool has_own_workers = before.run.worker != after.run.worker;
  PreparedRun joined = before.run;
  joined.cases.clear();
  std::vector<Json> choices;
  take_cases(before.run, kArmBefore, has_own_workers, joined, choices);
  take_cases(after.run, kArmAfter, has_own_workers, joined, choices);
  name_cases(joined.cases);
  joined.gives_outputs = joined.gives_outputs && after.run.gives_outputs;
  joined.record.settings = common.to_json();
  const auto set = [&](const char* name, Json values) {
    joined.record.settings[name] = {{"values", std::move(values)}, {"origin", "flag"}};
  };
  set(kArm, {kArmBefore, kArmAfter});
  set("baseline", {baseline_of_arms()});
  set(kLiveArms, {text_of(before.settings), text_of(after.settings)});
  joined.record.host.erase(kChoices);
  joined.record.cases.clear();
  for (std::size_t i = 0; i < joined.cases.size(); ++i) {
    const CaseRecord& record = joined.cases[i].record;
    joined.record.cases.push_back(record);
    if (!choices[i].is_null()) joined.record.host[kChoices][record.id] = choices[i];
  }
  return joined;
}

}  // namespace transformeter
