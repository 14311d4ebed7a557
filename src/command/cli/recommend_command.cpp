// `transformeter recommend`: the settings that stored results back.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/stored_runs.h"
#include "analysis/training_recommendation.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "report/json_text.h"
#include "report/recommendation_report.h"
#include "report/text_document.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};
const std::vector<std::string> kPurposes{"training"};

constexpr UsageExample kExamples[] = {
    {"transformeter recommend --for training",
     "from every run in transformeter.db: hardware, precision, batch size, gradient accumulation, optimizer and "
     "learning rates to train with, each with the cases and figures behind it"},
    {"transformeter recommend --for training nightly 20261121 --store results.db",
     "from these runs only; if both measured a case, the first one counts"},
    {"transformeter recommend --for training --format json"},
};
constexpr const char* kNotes[] = {
    "Only cases that differ in one setting are compared. Where the figures do not tell two settings apart, or no run "
    "compares them, it says so. docs/training-diagnosis.md explains how each answer is found.",
    "Exit codes: 0 done, 3 bad input, such as a store without training cases.",
};

class RecommendCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "recommend",
            .task = CommandTask::kResults,
            .summary = "recommend settings backed by stored results",
            .options = {{.names = {"run"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: every run in the store"},
                        {.names = {"--for"},
                         .target = &purpose_,
                         .placeholder = "PURPOSE",
                         .help = "what to recommend settings for",
                         .words = kPurposes,
                         .has_only_words = true,
                         .is_required = true},
                        store_option(store_),
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    const bool is_known = std::find(kPurposes.begin(), kPurposes.end(), purpose_) != kPurposes.end();
    if (!is_known) throw unknown_value("for", purpose_, kPurposes);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const std::vector<RunRecord> records = load(*store, interrupt);
    std::vector<AnalyzedRun> runs;
    for (const RunRecord& record : records) runs.push_back(analyze_run(record));
    const std::vector<WorkloadRecommendation> workloads = recommend_training(runs);
    if (workloads.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("no training cases (scenario train) in {} of {}",
                              runs_.empty() ? "any run" : fmt::format("{}", fmt::join(runs_, ", ")), store_));
    }
    write_standard_output(format_ == "json" ? json_text(recommendation_json(workloads))
                                            : text_document(recommendation_document(workloads), {}));
    return kExitOk;
  }

 private:
  std::vector<RunRecord> load(Store& store, const std::atomic<bool>& interrupt) const {
    std::vector<std::string> selectors = runs_;
    if (selectors.empty()) {
      for (const RunRecord& run : store.list_runs()) selectors.push_back(run.id);
    }
    std::vector<RunRecord> records;
    for (const std::string& selector : selectors) {
      check_interrupt(interrupt);
      RunRecord record = load_analyzed_run(store, selector);
      const bool is_there =
          std::any_of(records.begin(), records.end(), [&](const RunRecord& other) { return other.id == record.id; });
      if (!is_there) records.push_back(std::move(record));
    }
    return records;
  }

  std::vector<std::string> runs_;
  std::string purpose_;
  std::string store_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_recommend_command() {
  return std::make_unique<RecommendCommand>();
}

}  // namespace transformeter
