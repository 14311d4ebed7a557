// `transformeter compare`: what differs between stored results, or between two arms measured live, and a gate on it.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_comparison.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/comparison_output.h"
#include "cli/live_comparison.h"
#include "cli/output_path.h"
#include "cli/plan_options.h"
#include "cli/run_part.h"
#include "run/find_plan.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter compare monday tuesday", "two runs: each case of tuesday with the same one of monday"},
    {"transformeter compare sweep:engine=pytorch sweep:engine=fast",
     "two selections of one run, which differ in engine"},
    {"transformeter compare baseline nightly --fail-if 'latency.median > +3%' \\\n    --fail-if 'peak_rss > +10%' -o "
     "gate.md",
     "for CI: exit code 0, 1 or 2; a summary for GitHub in the file"},
    {"transformeter compare sweep:precision=fp32 sweep:precision=bf16 --across",
     "precisions are not compared unless asked for"},
    {"transformeter compare --live engine=pytorch engine=fast --batch-size 8", "measured now, in turns, until decided"},
    {"transformeter compare --live worker=main/transformeter-worker \\\n    worker=build/bin/transformeter-worker "
     "--fail-if 'latency > +3%'",
     "two builds, until the condition is decided, three minutes for each pair at most"},
    {"transformeter compare --live engine=fast engine=fast", "how large a difference does noise alone show here?"},
};
constexpr const char* kNotes[] = {
    "A run is an id, the start of one, or a name. Settings that are named after it may differ between the sides. "
    "docs/compare.md explains the answers.",
    "With --live, BEFORE and AFTER are settings of the two arms, SETTING=VALUE,..., and further options are those of "
    "`run`, of both arms (see --help-all). Slices of both are measured in turns A B B A, in fresh processes again and "
    "again, and stored as one run.",
    "Times of different runs are compared over replicates, three or more of each case (run --replicates 3); those of "
    "one run by the pairs of slices that --baseline measured side by side.",
    "--fail-if takes METRIC[.STATISTIC] > or < THRESHOLD: +3% or -0.01 is a change, 20ms or 2GiB a value.",
    "Exit codes: 0 done; with --fail-if 1 a condition is fulfilled or a case that was ok has failed, 2 undecided; "
    "3 bad input.",
};

class CompareCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration declared{
        .name = "compare",
        .task = CommandTask::kResults,
        .summary = "compare two stored runs, or two arms measured live; fail if something became worse",
        .options = {{.names = {"before"},
                     .target = &before_,
                     .placeholder = "BEFORE",
                     .help = "run to compare with, or RUN:SETTING=VALUE,... for some of its cases; live: settings",
                     .is_required = true},
                    {.names = {"after"},
                     .target = &after_,
                     .placeholder = "AFTER",
                     .help = "run that is compared with it, likewise",
                     .is_required = true},
                    store_option(store_),
                    shown_.fail_if_option(),
                    {.names = {"--across"},
                     .target = &across_,
                     .help = "show other hosts, precisions and workloads beside each other too"},
                    shown_.output_option(),
                    {.names = {"--live"},
                     .target = &is_live_,
                     .help = "measure both arms now, in turns, until their difference is known"},
                    {.names = {"--plan"},
                     .target = &plan_file_,
                     .placeholder = "PLAN.yaml|NAME",
                     .help = "with --live: YAML or JSON file of the settings of both arms, or a bundled plan",
                     .is_common = false},
                    shown_.format_option()},
        .examples = kExamples,
        .notes = kNotes};
    for (const SettingTerm& term : setting_terms()) {
      if (term.name != "store" && !is_set_by_live(term.name)) add_setting(term, declared.options);
    }
    sort_by_topic(declared.options);
    return declared;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    shown_.check();
    return is_live_ ? compare_live(context, interrupt) : compare_stored(context);
  }

 private:
  void add_setting(const SettingTerm& term, std::vector<OptionDeclaration>& options) {
    options.push_back(settings_.option_of(term, defaults_));
    options.back().is_common = false;
  }

  int compare_stored(const Context& context) {
    const std::optional<std::string> given = plan_file_.empty() ? settings_.first_given() : "--plan";
    if (given) throw Error(ErrorKind::kBadInput, fmt::format("{} measures: it needs --live", *given));
    const std::string path = store_path(store_);
    check_is_not_store(shown_.file(), path);
    const std::unique_ptr<Store> store = open_store(path, StoreMode::kRead, context.log);
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(path, StoreMode::kRead, context.log);
    const RunPart before = part_named(*store, *baselines, before_);
    const RunPart after = part_named(*store, *baselines, after_);
    const RunRecord first = load_analyzed_run(*store, before.run);
    const RunRecord second = load_analyzed_run(*store, after.run);
    const RunComparison comparison =
        compare_runs({&first, before_, before.filters}, {&second, after_, after.filters}, shown_.gates());
    if (!across_) check_is_alike(comparison);
    shown_.show(comparison);
    return exit_code_of(comparison);
  }

  int compare_live(const Context& context, const std::atomic<bool>& interrupt) {
    LiveComparison live{Plan(), parse_filters("before", before_), parse_filters("after", after_), across_,
                        [gates = shown_.gates()](const CaseRecord& record, const Quotient& speed_up) {
                          return is_decided(gates, record, speed_up);
                        }};
    for (const auto& [side, settings] : {std::pair("before", live.before), std::pair("after", live.after)}) {
      if (settings.empty()) throw bad_value(side, "", "SETTING=VALUE,...", "For example engine=fast.");
    }
    if (!plan_file_.empty()) live.common.apply_file(find_plan(context.data_directory, plan_file_));
    settings_.apply_to(live.common);
    if (store_) live.common.apply_flag("store", *store_);
    const std::string store_path = live.common.value("store").get<std::string>();
    check_is_not_store(shown_.file(), store_path);
    const RunOutcome outcome = measure_live(context, interrupt, live);
    std::fputs(ending_of(outcome).c_str(), stderr);
    const std::unique_ptr<Store> store = open_store(store_path, StoreMode::kRead, context.log);
    const RunRecord run = load_analyzed_run(*store, outcome.run_id);
    const RunComparison comparison =
        compare_runs({&run, before_, {{"arm", kArmBefore}}}, {&run, after_, {{"arm", kArmAfter}}}, shown_.gates());
    shown_.show(comparison);
    if (outcome.interrupted) return kExitInterrupted;
    return worst_exit_code(exit_code(outcome.statuses, live.common.value("strict").get<bool>()), comparison);
  }

  static std::string ending_of(const RunOutcome& outcome) {
    if (outcome.interrupted) return fmt::format("interrupted; run {} keeps what was measured\n", outcome.run_id);
    if (!outcome.is_out_of_time) return "";
    return fmt::format("time budget used up: {} of {} were not measured; a longer --time-budget measures more\n",
                       outcome.replicates.pending, counted(outcome.replicates.total, "replicate"));
  }

  std::string before_, after_;
  std::optional<std::string> store_;
  bool across_ = false;
  bool is_live_ = false;
  std::string plan_file_;
  PlanOptions settings_;
  std::vector<SettingDefault> defaults_ = live_defaults();  // options refer to them
  ComparisonOutput shown_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace transformeter
