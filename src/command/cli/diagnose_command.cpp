// `transformeter diagnose`: a breakdown of training time by batch size, from stored results.
#include <fmt/format.h>

#include "analysis/stored_runs.h"
#include "analysis/training_diagnosis.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "report/diagnosis_report.h"
#include "report/json_text.h"
#include "report/markdown_document.h"
#include "report/text_document.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "markdown"};

constexpr UsageExample kExamples[] = {
    {"transformeter diagnose",
     "the latest run: for each series of training cases that differ only in batch size, where a step's time goes and "
     "which patterns it shows"},
    {"transformeter diagnose nightly --store results.db --format json", "the figures behind each statement"},
    {"transformeter diagnose nightly --format markdown > nightly.md"},
};
constexpr const char* kNotes[] = {
    "Patterns: fixed overhead at small batches, saturation, decline at large batches, waiting for data, optimizer, "
    "padding, memory, and the batch size from which one device is faster. A pattern that the figures cannot show is "
    "reported as undetermined, with the reason. docs/training-diagnosis.md defines them all.",
    "Exit codes: 0 done, 3 bad input, such as a run without training cases.",
};

class DiagnoseCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "diagnose",
            .task = CommandTask::kResults,
            .summary = "break down training time by batch size and name the bottleneck",
            .options = {run_option(run_), store_option(store_), format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    check_format(format_, kFormats);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log, "train");
    const RunRecord record = load_analyzed_run(*store, run_);
    const AnalyzedRun analyzed = analyze_run(record);
    const TrainingDiagnosis diagnosis = diagnose_training(analyzed);
    if (diagnosis.series.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("run {} has no training cases (scenario train); name another run, or list all with: "
                              "transformeter runs --store {}",
                              record.id, store_));
    }
    write_standard_output(text_of(diagnosis));
    return kExitOk;
  }

 private:
  std::string text_of(const TrainingDiagnosis& diagnosis) const {
    if (format_ == "json") return json_text(diagnosis_json(diagnosis));
    const Document document = diagnosis_document(diagnosis);
    if (format_ == "markdown") return markdown_document(document);
    return text_document(document, {.width = width_limit(terminal_at(stdout))});
  }

  std::string run_;
  std::string store_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace transformeter
