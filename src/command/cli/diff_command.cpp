// `transformeter diff`: what differs between two runs, and how results changed.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/run_difference.h"
#include "analysis/stored_runs.h"
#include "base/temporary_directory.h"
#include "bundle/verify_bundle.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/interrupt.h"
#include "cli/joining.h"
#include "cli/run_part.h"
#include "report/run_difference_report.h"
#include "schema/status.h"
#include "store/import_jsonl.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter diff monday tuesday", "settings, worker, libraries and machine that differ, and results"},
    {"transformeter diff bundle/ replay-nightly", "a bundle and a run"},
    {"transformeter diff sweep:engine=pytorch sweep:engine=fast", "cases of one run"},
    {"transformeter diff bundle-a bundle-b --format json", "no store is needed"},
};
constexpr const char* kNotes[] = {
    "Differences are ordered by their likely effect: settings, workload, kernels that ran, worker, libraries, GPU, "
    "processor, cores, frequency, memory, kernel, load, measuring, program. Which of them changed a result is not "
    "known: `compare --live` tells two settings or workers apart.",
    "A folder that holds a bundle comes before a run of that name. Results are compared as `compare --across` does, "
    "and across each setting of which both sides have one value.",
};

// One run, from a store or from a bundle.
struct DiffSide {
  RunRecord run;
  std::vector<SettingFilter> filters;
};

class DiffCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "diff",
            .task = CommandTask::kResults,
            .summary = "show what differs between two runs or bundles, and how results changed",
            .options = {{.names = {"before"},
                         .target = &before_,
                         .placeholder = "BEFORE",
                         .help = "run, RUN:SETTING=VALUE,... for some of its cases, or the folder of a bundle",
                         .is_required = true},
                        {.names = {"after"},
                         .target = &after_,
                         .placeholder = "AFTER",
                         .help = "run or bundle that is set against it, likewise",
                         .is_required = true},
                        store_option(store_),
                        output_.output_option(),
                        output_.format_option()},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    output_.check(store_);
    const DiffSide before = side_of(context, interrupt, before_);
    const DiffSide after = side_of(context, interrupt, after_);
    const RunDifference difference =
        difference_of({&before.run, before_, before.filters}, {&after.run, after_, after.filters});
    output_.write([&] { return run_difference_document(difference); }, [&] { return run_difference_json(difference); });
    return kExitOk;
  }

 private:
  DiffSide side_of(const Context& context, const std::atomic<bool>& interrupt, const std::string& text) const {
    if (is_bundle(text)) return {bundled(context, interrupt, text), {}};
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kRead, context.log);
    const RunPart part = part_named(*store, *baselines, text);
    return {load_analyzed_run(*store, part.run), part.filters};
  }

  static bool is_bundle(const std::string& text) {
    std::error_code code;
    return text.ends_with('/') || std::filesystem::exists(std::filesystem::path(text) / kManifestFile, code);
  }

  // By a store of its own, which is gone afterwards.
  static RunRecord bundled(const Context& context, const std::atomic<bool>& interrupt, const std::string& bundle) {
    verified_run(bundle);
    const TemporaryDirectory folder;
    const std::unique_ptr<Store> store = open_store(folder.path() / "bundle.db", StoreMode::kWrite, context.log);
    store->join(stoppable(import_source({std::filesystem::path(bundle) / kResultsFile}), interrupt), {});
    keep_missing_summaries(*store);
    return load_analyzed_run(*store, "");
  }

  std::string before_, after_;
  std::string store_;
  DocumentOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_diff_command() {
  return std::make_unique<DiffCommand>();
}

}  // namespace transformeter
