// `transformeter find-max`: the largest batch, or the longest texts, that run here.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/case_label.h"
#include "base/error.h"
#include "cli/document_output.h"
#include "cli/plan_command.h"
#include "cli/run_session.h"
#include "cli/status_line.h"
#include "report/command_line.h"
#include "report/largest_report.h"
#include "run/find_largest_case.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter find-max --axis batch_size --model bert-base \\\n    --sequence-length 512 --precision bf16",
     "the largest batch of 512 tokens a row"},
    {"transformeter find-max --axis sequence_length --model gpt2 --batch-size 8", "the longest rows"},
    {"transformeter find-max --axis batch_size --scenario train --model bert-base \\\n    --memory-limit 8GiB",
     "the largest batch of a training step within 8 GiB"},
    {"transformeter find-max --axis prompt_length --scenario generate \\\n    --model smollm2-135m -o prompt.json"},
};
constexpr const char* kNotes[] = {
    "Starts at the largest value that the memory forecast (run --dry-run) allows, tries each value in a fresh worker "
    "and bisects; the last that runs and the first that does not are tried twice. Nothing is stored.",
    "A plan with several cases is refused.",
    "Exit codes: 0 the largest is found, 1 not even the smallest runs, 2 indeterminate: a trial failed for another "
    "reason, or came out differently the second time; 3 bad input; 130 interrupted, with what is known.",
};

constexpr SettingDefault kDefaults[] = {{"batch_size", "1"}, {"sequence_length", "128"}, {"precision", "fp32"}};
const std::vector<std::string> kAxes{"batch_size", "sequence_length", "prompt_length"};

// Those of a profile, but for what only timing, peaks and stored results have a use for.
bool is_of_trials(const SettingTerm& term) {
  constexpr std::string_view kOthers[] = {"warmup", "peaks", "store", "name"};
  return term.commands.profile && std::find(std::begin(kOthers), std::end(kOthers), term.name) == std::end(kOthers);
}

class FindMaxCommand final : public PlanCommand {
 public:
  FindMaxCommand()
      : PlanCommand({.name = "find-max",
                     .task = CommandTask::kMeasure,
                     .summary = "find the largest batch, or the longest texts, that fit into memory here",
                     .examples = kExamples,
                     .notes = kNotes,
                     .has = is_of_trials,
                     .defaults = kDefaults}) {}

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    output_.check(std::nullopt);
    if (std::find(kAxes.begin(), kAxes.end(), axis_) == kAxes.end()) throw unknown_value("axis", axis_, kAxes);
    Plan plan = make_plan(context);
    const std::string& origin = plan.at(axis_).origin;
    if (origin != "default" && origin != "scenario") {
      throw Error(
          ErrorKind::kBadInput,
          fmt::format("{} is what --axis searches for; leave its value out, or limit the search with --largest N",
                      axis_));
    }
    if (axis_ == "sequence_length" && plan.has("length_distribution")) {
      throw refused_value("length_distribution", setting_text(plan.at("length_distribution").values.front()),
                          "--axis sequence_length searches for the longest rows, all of them full", "Leave it out.");
    }
    const PlannedRun planned = plan_run(context, interrupt, plan);
    if (planned.run.cases.size() != 1) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the plan has {} cases; find-max looks at one: give each setting one value",
                              planned.run.cases.size()));
    }
    const LargestReport report = report_of(planned.run.record, search(context, planned));
    output_.write([&] { return largest_document(report); }, [&] { return largest_json(report); });
    if (interrupt.load()) return kExitInterrupted;
    if (!report.answer.found.is_resolved) return kExitUndecided;
    return report.answer.found.fits ? kExitOk : kExitFault;
  }

 protected:
  void declare_more(std::vector<OptionDeclaration>& options) override {
    const auto add = [&](OptionDeclaration option) {
      option.group = "search";
      options.push_back(std::move(option));
    };
    add({.names = {"--axis"},
         .target = &axis_,
         .placeholder = "SETTING",
         .help = "setting to maximize",
         .initial = axis_,
         .words = kAxes,
         .has_only_words = true});
    add({.names = {"--largest"},
         .target = &largest_,
         .placeholder = "N",
         .help = "largest value to try; default: 65536 for batches, else what the model's positions hold"});
    add(output_.output_option());
    add(output_.format_option());
  }

  void apply_more(Plan& plan) override { apply_defaults(plan, kDefaults); }

 private:
  LargestCase search(const Context& context, const PlannedRun& planned) const {
    StatusLine line(stderr);
    LargestCaseOptions asked{axis_, largest_, {}};
    asked.on_trial = [&](const TriedValue& tried) {
      line.print(fmt::format("{} {}: {}", axis_, tried.value, name_of(tried.fit)));
    };
    return find_largest_case(context, planned.run, planned.options, asked);
  }

  LargestReport report_of(RunRecord record, LargestCase found) const {
    LargestReport report;
    record.cases.front().requested.erase(axis_);
    report.label = long_label(record.cases.front(), {});
    // Of these `run` has other defaults.
    std::vector<std::string> told{axis_};
    for (const SettingDefault& own : kDefaults) told.emplace_back(own.name);
    for (const std::string& name : told) {
      if (!found.requested.contains(name)) continue;
      record.settings[name] = {{"values", {found.requested.at(name)}}, {"origin", "flag"}};
    }
    report.command = reproduce_command(record);
    report.host = std::move(record.host);
    report.answer = std::move(found);
    return report;
  }

  std::string axis_ = "batch_size";
  std::optional<std::int64_t> largest_;
  DocumentOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_find_max_command() {
  return std::make_unique<FindMaxCommand>();
}

}  // namespace transformeter
