// `transformeter show`: the results of a run, in the form asked for.
#include <fmt/format.h>

#include "analysis/results.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/run_report.h"
#include "cli/standard_output.h"
#include "report/csv.h"
#include "report/json_text.h"
#include "report/jsonl.h"
#include "report/markdown.h"
#include "store/store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "jsonl", "csv", "markdown"};

constexpr const char* kExamples = R"(Examples:
  transformeter show
      the latest run in transformeter.db as a table
  transformeter show 20261121 --store results.db --format json
      the run whose id begins so, with every sample
  transformeter show nightly --format json --no-samples
      the latest run of that name, without its samples
  transformeter show --all --format csv > results.csv

docs/results.md describes each format field by field.)";

class ShowCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("show", "print the results of a run");
    app->add_option("run", run_, "id, beginning of an id, or name; default: the latest run")->option_text("RUN");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    add_format_option(*app, format_, kFormats);
    app->add_flag("--no-samples", no_samples_, "json and jsonl without the samples; their metrics stay");
    app->add_flag("--all", all_, "every run of the store, latest first");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    check_format(format_, kFormats);
    if (all_ && !run_.empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("run '{}' and --all do not go together: name one run, or ask for "
                                                    "all of them",
                                                    run_));
    }
    const bool has_samples = format_ == "json" || format_ == "jsonl";
    if (no_samples_ && !has_samples) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--no-samples is for the formats json and jsonl; {} has none", format_));
    }
    write_standard_output(text_of(load(context)));
    return kExitOk;
  }

 private:
  // Metrics are computed from the samples, so those are always read.
  std::vector<RunRecord> load(const Context& context) const {
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    if (!all_) return {store->load_run(run_, true)};
    std::vector<RunRecord> runs = store->list_runs();
    for (RunRecord& run : runs) run = store->load_run(run.id, true);
    return runs;
  }

  std::string text_of(const std::vector<RunRecord>& runs) const {
    const ResultOptions options{!no_samples_};
    if (format_ == "json") return json_text(results_json(runs, options));
    if (format_ == "jsonl") return results_jsonl(runs, options);
    if (format_ == "csv") return results_csv(runs);
    std::string text;
    for (const RunRecord& run : runs) {
      if (!text.empty()) text.append("\n");
      text.append(format_ == "markdown" ? run_markdown(analyze_run(run), store_) : results_table(run, store_));
    }
    return text;
  }

  std::string run_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string format_;
  bool no_samples_ = false;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show_command() {
  return std::make_unique<ShowCommand>();
}

}  // namespace transformeter
