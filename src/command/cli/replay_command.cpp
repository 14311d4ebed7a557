// `transformeter replay`: the cases of a bundle measured again here, and compared.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analysis/run_comparison.h"
#include "analysis/stored_runs.h"
#include "base/text.h"
#include "bundle/verify_bundle.h"
#include "cli/command.h"
#include "cli/comparison_output.h"
#include "cli/joining.h"
#include "cli/output_path.h"
#include "cli/plan_options.h"
#include "cli/run_report.h"
#include "cli/run_session.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/import_jsonl.h"
#include "store/store.h"

namespace transformeter {
namespace {

// Settings that change neither the cases nor what they are compared by.
constexpr const char* kOwnSettings[] = {"store",      "name",        "worker",         "replicates",
                                        "time_limit", "time_budget", "worker_timeout", "strict"};

constexpr UsageExample kExamples[] = {
    {"transformeter replay bundle", "results of both into transformeter.db, then the comparison"},
    {"transformeter replay bundle --replicates 3 \\\n    --worker build/bin/transformeter-worker",
     "another build of the worker"},
    {"transformeter replay bundle --fail-if 'latency.median > +10%' -o replay.md",
     "for CI: exit code 0, 1 or 2; the comparison in the file"},
    {"transformeter diff bundle replay-nightly", "what differs between there and here"},
};
constexpr const char* kNotes[] = {
    "The bundle is verified first; one that was changed is refused, and nothing is measured. Its results are imported "
    "into the store, with those that are measured now as a run of their own.",
    "The side before is the bundle's run, the side after is this one. Hosts, workers and library versions that differ "
    "are named, and both sides are shown all the same; where models or texts differ there is no answer.",
    "Models and data are looked for where the run had them: paths are relative to the current folder, models of the "
    "hub are fetched at their commit. Comparing needs --replicates 3 on both sides.",
    "Exit codes: 0 done; with --fail-if 1 a condition is fulfilled or a case that was ok has failed, 2 undecided; "
    "1 also if no case is ok or one failed; 3 bad input; 130 interrupted.",
};

class ReplayCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration declared{.name = "replay",
                                .task = CommandTask::kMeasure,
                                .summary = "measure the cases of a bundle here, and compare with its results",
                                .options = {{.names = {"bundle"},
                                             .target = &bundle_,
                                             .placeholder = "DIR",
                                             .help = "folder that `transformeter manifest` wrote",
                                             .is_required = true},
                                            shown_.fail_if_option(),
                                            shown_.output_option(),
                                            shown_.format_option()},
                                .examples = kExamples,
                                .notes = kNotes};
    for (const char* name : kOwnSettings) {
      declared.options.push_back(settings_.option_of(setting_term(name), defaults_));
      declared.options.back().is_common = true;
    }
    sort_by_topic(declared.options);
    return declared;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    shown_.check();
    const RunRecord recorded = verified_run(bundle_);
    Plan plan = plan_here(recorded);
    const std::string store_path = plan.value("store").get<std::string>();
    check_is_not_store(shown_.file(), store_path);
    import(context, interrupt, store_path);
    const RunOutcome outcome = measure_plan(context, interrupt, plan);
    std::fputs(ending_line(outcome, store_path).c_str(), stderr);
    const std::unique_ptr<Store> store = open_store(store_path, StoreMode::kRead, context.log);
    const RunRecord before = load_analyzed_run(*store, recorded.id);
    const RunRecord after = load_analyzed_run(*store, outcome.run_id);
    const RunComparison comparison =
        compare_runs({&before, bundle_, {}}, {&after, after.name, {}}, shown_.gates(), PairAcross::kSingleValues);
    shown_.show(comparison);
    if (outcome.interrupted) return kExitInterrupted;
    return worst_exit_code(exit_code(outcome.statuses, plan.value("strict").get<bool>()), comparison);
  }

 private:
  // The plan as it was asked for then, with what this machine and this command decide.
  Plan plan_here(const RunRecord& recorded) const {
    Json settings = recorded.settings;
    for (const char* of_there : {"store", "worker", "name"}) settings.erase(of_there);
    Json all = Plan().to_json();  // what a version before some settings did is their default
    all.update(settings);
    Plan plan = Plan::from_json(all);
    plan.apply_flag("name", fmt::format("replay-{}", recorded.name.empty() ? recorded.id : recorded.name));
    settings_.apply_to(plan);
    return plan;
  }

  void import(const Context& context, const std::atomic<bool>& interrupt, const std::string& store_path) const {
    const RunSource source = import_source({std::filesystem::path(bundle_) / kResultsFile});
    const std::unique_ptr<Store> store = open_store(store_path, StoreMode::kWrite, context.log);
    const JoinOutcome outcome = store->join(stoppable(source, interrupt), {});
    keep_summaries_or_warn(*store, context.log);
    context.log(LogLevel::kInfo, std::string(trim(join_text(outcome, store_path))));
  }

  std::string bundle_;
  PlanOptions settings_;
  std::vector<SettingDefault> defaults_ = {
      {"name", "replay-RUN"}, {"replicates", "the run's"}, {"time_limit", "the run's"}, {"time_budget", "the run's"}};
  ComparisonOutput shown_;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace transformeter
