// A run of two arms whose plans differ: what each resolves, chooses and lacks is its own.
#include "cli/live_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>
#include <vector>

#include "analysis/case_pairs.h"
#include "base/error.h"
#include "cli/hub_connection.h"
#include "cli/run_session.h"
#include "cli/search_report.h"
#include "run/prepare_run.h"
#include "run/run_peaks.h"
#include "schema/settings.h"
#include "stats/paired.h"
#include "store/store.h"
#include "tuning/choose_engines.h"

namespace transformeter {
namespace {

constexpr Seconds kSlice{0.25};
// Eight processes carry an interval that may be looked at again; each has two pairs A B B A of slices.
constexpr const char* kFewestProcesses = "8";
constexpr const char* kSlices = "5";  // the first, before the other arm has started, is in no pair
constexpr Seconds kUsualBudget{180};  // of each pair
constexpr const char* kUsualBudgetText = "3m for each pair";

std::string values_text(const Plan& plan, std::string_view setting) {
  if (!plan.has(setting)) return "none";
  std::vector<std::string> texts;
  for (const Json& value : plan.at(setting).values) texts.push_back(setting_text(value));
  return fmt::format("{}", fmt::join(texts, ","));
}

void check_is_one_question(const Plan& before, const Plan& after) {
  std::vector<std::string> crossed;
  for (const SettingTerm& term : setting_terms()) {
    const std::string from = values_text(before, term.name);
    const std::string to = values_text(after, term.name);
    if (is_crossing(term) && from != to) crossed.push_back(fmt::format("{} {} → {}", term.name, from, to));
  }
  if (crossed.empty()) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("the arms are not alike: {}; --across measures both all the same", fmt::join(crossed, ", ")));
}

void check_common(const Plan& common) {
  for (const SettingTerm& term : setting_terms()) {
    if (!is_set_by_live(term.name) || !common.has(term.name) || common.at(term.name).origin == "default") continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("a live comparison decides on {} itself; leave it out of the plan", term.name));
  }
  const PlanEntry& replicates = common.at("replicates");
  if (replicates.origin != "default" && replicates.values.front().get<int>() < static_cast<int>(kFewestPairs)) {
    throw bad_value(
        "replicates", setting_text(replicates.values.front()),
        fmt::format("{} or more of a live comparison, whose interval needs so many processes", kFewestPairs));
  }
}

// Two models do not live side by side on a GPU yet, and one after the other they are no live comparison.
void check_devices(const PreparedRun& arm) {
  for (const PlannedCase& planned : arm.cases) {
    if (planned.record.status || planned.asked.device == "cpu") continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("a live comparison needs --device cpu, not {}; for that device use `transformeter run "
                            "--baseline` with three replicates or more",
                            planned.asked.device));
  }
}

// Each arm chooses for itself what engine `auto` leaves open.
void choose_engine(const Context& context, Store& store, const Plan& plan, const RunnerOptions& options,
                   PreparedRun& arm) {
  if (!has_engine_to_choose(arm)) return;
  SearchReport report(stderr);
  choose_engines(context, store, plan, options, arm, report.events());
}

}  // namespace

std::vector<SettingDefault> live_defaults() {
  return {{"replicates", kFewestProcesses}, {"time_budget", kUsualBudgetText}};
}

RunOutcome measure_live(const Context& context, const std::atomic<bool>& interrupt, const LiveComparison& comparison) {
  Plan common = comparison.common;
  check_common(common);
  const bool has_own_budget = common.at("time_budget").origin != "default";
  if (common.at("replicates").origin == "default") common.apply_flag("replicates", kFewestProcesses);
  common.apply_flag("slices", kSlices);
  const auto pinned = [&](Plan plan) {
    plan.settle();
    pin_hub_names(context, interrupt, plan);
    return plan;
  };
  common = pinned(common);  // once, so that both arms get the same revision
  const Plan before = pinned(plan_of_arm(common, comparison.before));
  const Plan after = pinned(plan_of_arm(common, comparison.after));
  if (!comparison.may_cross) check_is_one_question(before, after);
  RunnerOptions options = runner_options(common, context.clock);
  options.interrupt = &interrupt;
  options.slice = kSlice;
  options.baseline = baseline_of_arms();
  options.after_slices = AfterSlices::kDecide;
  options.is_decided = comparison.is_decided;
  PreparedRun arm_before = prepare_run(context, before, options);
  PreparedRun arm_after = prepare_run(context, after, options);
  check_devices(arm_before);
  check_devices(arm_after);
  const std::string store_path = common.value("store").get<std::string>();
  const std::unique_ptr<Store> store = open_store(store_path, StoreMode::kWrite, context.log);
  choose_engine(context, *store, before, options, arm_before);
  choose_engine(context, *store, after, options, arm_after);
  PreparedRun run =
      joined_arms(common, {comparison.before, std::move(arm_before)}, {comparison.after, std::move(arm_after)});
  attach_peaks(context, *open_peak_store(store_path, context.log),
               peak_worker_options(context, run.worker, options.worker_timeout, &interrupt), run);
  if (!has_own_budget) options.budget.total = kUsualBudget * (static_cast<double>(run.cases.size()) / 2);
  options.budget.started = context.clock.now();  // trials of engine `auto` have a time of their own
  store->begin_run(run.record);
  return execute_with_progress(context, *store, store_path, run, options);
}

}  // namespace transformeter
