// `transformeter pipeline`: measures, profiles, draws and reports as one file says.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/standard_output.h"
#include "cli/subcommand.h"
#include "cli/text_table.h"
#include "pipeline/pipeline.h"
#include "pipeline/pipeline_page.h"
#include "pipeline/run_pipeline.h"
#include "report/command_line.h"
#include "run/find_plan.h"
#include "schema/status.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter pipeline padding-sweep", "a bundled plan: measured, profiled, drawn and reported in one folder"},
    {"transformeter pipeline my.yaml -o out", "again after Ctrl-C or a fault: goes on where it was"},
    {"transformeter pipeline distilbert-sst2 --set data=sst2/dev.tsv \\\n    --set device=cuda --set batch_size=8,32",
     "a bundled pipeline on other data and another device"},
    {"transformeter pipeline my.yaml --skip profile,report"},
    {"transformeter pipeline my.yaml --dry-run", "print the commands of all steps"},
};
constexpr const char* kNotes[] = {
    "Steps: data, measure, profile, pictures, report. A pipeline file is a plan file with keys for the steps:\n"
    "  model: distilbert-base\n"
    "  batch_sizes: [1, 8, 32]\n"
    "  measure:\n"
    "    inference:\n"
    "    training: {scenario: train, batch_sizes: [4, 8]}\n"
    "  profile: {batch_size: 8}\n"
    "  pictures: [six-panel, {y: throughput_samples, run: inference}]\n"
    "  report: [html, pdf, cases.csv]\n"
    "Each step is a command of this program and writes into the folder; pipeline.json there says what is done. "
    "docs/pipelines.md explains every key.",
    "Exit codes: 0 every step is done, 1 a step failed, 3 bad input, 130 interrupted.",
};

class PipelineCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {
        .name = "pipeline",
        .task = CommandTask::kMeasure,
        .summary = "measure, profile, draw and report as one file says, in one folder",
        .options = {{.names = {"plan"},
                     .target = &plan_,
                     .placeholder = "PLAN.yaml|NAME",
                     .help = "pipeline or plan file, YAML or JSON, or a bundled one such as padding-sweep",
                     .is_required = true},
                    {.names = {"-o", "--output"},
                     .target = &output_,
                     .placeholder = "FOLDER",
                     .help = "folder for results, pictures and reports; default: the pipeline's name",
                     .is_path = true},
                    {.names = {"--set"},
                     .target = &settings_,
                     .placeholder = "SETTING=VALUE",
                     .help =
                         "setting of every run and the profile, whatever the file says; may be given several times"},
                    {.names = {"--skip"},
                     .target = &skip_,
                     .placeholder = "STEP,...",
                     .help = "steps to leave as they are",
                     .words = step_names(),
                     .has_only_words = true,
                     .is_list = true},
                    {.names = {"--again"}, .target = &again_, .help = "do also what is done already"},
                    {.names = {"--dry-run"}, .target = &dry_run_, .help = "print the commands of all steps and exit"}},
        .examples = kExamples,
        .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    PipelineOptions options;
    if (!skip_.empty()) {
      for (const std::string& name : split(skip_, ',')) options.skipped.insert(step_kind(trim(name)));
    }
    const Pipeline pipeline = read_pipeline(find_plan(context.data_directory, plan_), overrides());
    options.folder = std::filesystem::path(output_.empty() ? pipeline.name : output_).lexically_normal();
    options.does_all_again = again_;
    options.execute = [&](const std::vector<std::string>& arguments) {
      return run_subcommand(context, arguments, interrupt);
    };
    const std::vector<PipelineStep> steps = steps_of(pipeline, options.folder);
    if (dry_run_) {
      write_standard_output(commands_of(steps, options.skipped));
      return kExitOk;
    }
    const PipelineOutcome outcome = run_pipeline(context, pipeline.name, steps, options);
    write_file_atomically(options.folder / "README.md", pipeline_page(pipeline, steps, outcome, options.folder));
    write_standard_output(fmt::format("\n{}{}", summary(outcome, steps), ending(outcome, options.folder)));
    if (outcome.is_interrupted) return kExitInterrupted;
    return outcome.failed_count() == 0 ? kExitOk : kExitFault;
  }

 private:
  std::vector<PipelineOverride> overrides() const {
    std::vector<PipelineOverride> all;
    for (const std::string& text : settings_) {
      const auto equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw bad_value("set", text, "SETTING=VALUE, e.g. batch_size=1,8");
      }
      all.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
    return all;
  }

  static std::string commands_of(const std::vector<PipelineStep>& steps, const std::set<StepKind>& skipped) {
    std::string text;
    for (const PipelineStep& step : steps) {
      if (skipped.count(step.kind) == 0) text += command_of(step) + "\n";
    }
    return text;
  }

  static std::string state_text(const StepOutcome& step) {
    if (step.is_skipped) return "skipped";
    return std::string(name_of(step.record.state)) + (step.is_kept ? " before" : "");
  }

  // Pictures that the runs have nothing for are counted, not listed.
  static std::string summary(const PipelineOutcome& outcome, const std::vector<PipelineStep>& steps) {
    std::vector<std::vector<std::string>> rows;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
      const StepOutcome& step = outcome.steps[i];
      if (!step.is_skipped && step.record.state == StepState::kLeftOut) {
        ++left_out;
        continue;
      }
      std::vector<std::string> files;
      for (const std::filesystem::path& output : steps[i].outputs) files.push_back(output.string());
      const bool has_time = !step.is_skipped && !step.is_kept;
      const bool is_done = step.record.state == StepState::kDone;
      std::string result = is_done ? fmt::format("{}", fmt::join(files, " ")) : step.record.reason;
      if (is_done && !step.record.reason.empty()) result += fmt::format(" ({})", step.record.reason);
      rows.push_back({step.record.name, state_text(step), has_time ? format_duration(*step.record.duration_s) : "",
                      std::move(result)});
    }
    std::string text = text_table({{"step"}, {"state"}, {"time", true}, {"files"}}, rows);
    if (left_out > 0) {
      text += fmt::format("{} left out: the runs lack what they show; README.md says what\n",
                          counted(left_out, "ready picture"));
    }
    return text;
  }

  // The command line that goes on, with what decides the settings.
  std::string command_to_go_on() const {
    std::string command = "transformeter pipeline " + shell_word(plan_);
    if (!output_.empty()) command.append(" -o ").append(shell_word(output_));
    for (const std::string& setting : settings_) command.append(" --set ").append(shell_word(setting));
    if (!skip_.empty()) command.append(" --skip ").append(shell_word(skip_));
    return command;
  }

  std::string ending(const PipelineOutcome& outcome, const std::filesystem::path& folder) const {
    if (outcome.is_interrupted) return fmt::format("interrupted; go on with: {}\n", command_to_go_on());
    const std::size_t failed = outcome.failed_count();
    const std::string what = failed == 0 ? "" : fmt::format("{} failed; ", counted(failed, "step"));
    return fmt::format("{}all files are in {}\n", what, folder.string());
  }

  std::string plan_;
  std::string output_;
  std::vector<std::string> settings_;
  std::string skip_;
  bool again_ = false;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_pipeline_command() {
  return std::make_unique<PipelineCommand>();
}

}  // namespace transformeter
