// `transformeter diagnose`: where a training's time goes, by batch size, from stored results.
#include <fmt/format.h>

#include "analysis/stored_runs.h"
#include "analysis/training_diagnosis.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "report/diagnosis_report.h"
#include "report/json_text.h"
#include "store/store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "markdown"};
constexpr std::size_t kWidthOfFiles = 160;

constexpr const char* kExamples = R"(Examples:
  transformeter diagnose
      the latest run in transformeter.db: for each series of training cases that
      differ in their batch size alone, where a step's time goes, and what it
      says: fixed overhead, saturation, decline, waiting for data, optimizer,
      padding, memory, and which device is faster from which batch size on
  transformeter diagnose nightly --store results.db --format json
      the same with every figure behind each statement
  transformeter diagnose nightly --format markdown > nightly.md

A pattern that the figures cannot show is not determined, with the reason.
docs/training-diagnosis.md has definitions, formulas and thresholds.
Exit codes: 0 done, 3 bad input, as a run without training cases.)";

class DiagnoseCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("diagnose", "say where a training's time goes, from stored results");
    app->add_option("run", run_, "id, beginning of an id, or name; default: the latest run")->option_text("RUN");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    check_format(format_, kFormats);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const RunRecord record = load_analyzed_run(*store, run_);
    const AnalyzedRun analyzed = analyze_run(record);
    const TrainingDiagnosis diagnosis = diagnose_training(analyzed);
    if (diagnosis.series.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("run {} has no training cases to diagnose (scenario train); name a run that has, or "
                              "see all with: transformeter runs --store {}",
                              record.id, store_));
    }
    write_standard_output(text_of(diagnosis));
    return kExitOk;
  }

 private:
  std::string text_of(const TrainingDiagnosis& diagnosis) const {
    if (format_ == "json") return json_text(diagnosis_json(diagnosis));
    if (format_ == "markdown") return diagnosis_markdown(diagnosis);
    const Terminal terminal = terminal_at(stdout);
    return diagnosis_text(diagnosis, terminal.is_terminal ? terminal.width : kWidthOfFiles);
  }

  std::string run_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace transformeter
