// `transformeter show`: prints the results of a run.
#include <fmt/format.h>

#include <utility>

#include "analysis/setting_summary.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/baseline_option.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/run_report.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "report/csv.h"
#include "report/json_results.h"
#include "report/json_text.h"
#include "report/jsonl.h"
#include "report/markdown_document.h"
#include "report/run_report.h"
#include "report/summary_report.h"
#include "report/text_document.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "jsonl", "csv", "markdown"};

constexpr UsageExample kExamples[] = {
    {"transformeter show", "the latest run in transformeter.db as a table"},
    {"transformeter show 20261121 --store results.db --format json",
     "the run whose id starts with 20261121, with every sample"},
    {"transformeter show nightly --format json --no-samples", "the latest run of that name, without its samples"},
    {"transformeter show nightly --baseline attention=eager,precision=fp32",
     "with a table of speed-up and memory saved against that baseline; a run measured with `run --baseline` has it "
     "anyway"},
    {"transformeter show --all --format csv > results.csv"},
    {"transformeter show nightly --summary-by batch_size,precision",
     "minimum, mean, maximum and deviation of each metric per batch size, then per precision"},
};
constexpr const char* kNotes[] = {"docs/results.md describes each format field by field."};

class ShowCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "show",
            .task = CommandTask::kResults,
            .summary = "print the results of a run: table, JSON, CSV or Markdown",
            .options = {run_option(run_),
                        store_option(store_),
                        format_option(format_, kFormats),
                        {.names = {"--no-samples"},
                         .target = &no_samples_,
                         .help = "leave the samples out of json and jsonl; metrics stay"},
                        baseline_option(baseline_text_),
                        {.names = {"--all"}, .target = &all_, .help = "show every run in the store, latest first"},
                        {.names = {"--summary-by"},
                         .target = &summary_by_,
                         .placeholder = "SETTING,...",
                         .help = "show metrics per value of these settings instead of per case",
                         .is_list = true}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (all_ && !run_.empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("cannot combine run '{}' with --all", run_));
    }
    const bool has_samples = format_ == "json" || format_ == "jsonl";
    if (no_samples_ && !has_samples) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--no-samples applies to formats json and jsonl, not to {}", format_));
    }
    check_baseline_option();
    check_summary_option();
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    if (baseline_) check_baseline_of(load_analyzed_run(*store, run_), baseline_);
    if (!summary_by_.empty()) {
      print_summaries(*store);
    } else if (format_ == "json") {
      print_json(*store, interrupt);
    } else if (format_ == "jsonl") {
      print_jsonl(*store, interrupt);
    } else if (format_ == "csv") {
      print_csv(*store, interrupt);
    } else {
      print_for_people(*store);
    }
    return kExitOk;
  }

 private:
  void check_baseline_option() {
    baseline_ = asked_baseline(baseline_text_);
    if (!baseline_) return;
    if (all_) throw Error(ErrorKind::kBadInput, "--baseline applies to one run, not to --all: name the run");
    if (format_ == "jsonl") {
      throw Error(ErrorKind::kBadInput,
                  "--baseline compares cases, but a line of jsonl is one case: use table, json, csv or markdown");
    }
  }

  void check_summary_option() const {
    if (summary_by_.empty()) return;
    if (all_ || baseline_ || no_samples_) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("cannot combine --summary-by with {}", all_        ? "--all"
                                                                     : baseline_ ? "--baseline"
                                                                                 : "--no-samples"));
    }
    if (format_ == "jsonl" || format_ == "csv") {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--summary-by applies to formats table, json and markdown, not to {}", format_));
    }
  }

  void print_summaries(Store& store) const {
    const RunRecord record = load_analyzed_run(store, run_);
    const AnalyzedRun run = analyze_run(record);
    std::vector<std::string> settings;
    for (const std::string& name : split(summary_by_, ',')) settings.emplace_back(trim(name));
    const SettingSummaries summaries = summaries_by(run, settings);
    if (format_ == "json") {
      write_standard_output(json_text(summary_json(run, summaries)));
    } else if (format_ == "markdown") {
      write_standard_output(markdown_document(summary_document(run, summaries)));
    } else {
      write_standard_output(
          text_document(summary_document(run, summaries), {.width = width_limit(terminal_at(stdout))}));
    }
  }

  RunQuery query() const {
    RunQuery query = query_for_analysis();
    query.selector = run_;
    query.all = all_;
    query.with_trials = false;
    if ((format_ == "json" || format_ == "jsonl") && !no_samples_) query.detail = Detail::kSeries;
    return query;
  }

  void print_json(Store& store, const std::atomic<bool>& interrupt) const {
    JsonResults results(write_standard_output, {!no_samples_, baseline_});
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { results.begin_run(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      results.add_case(one);
    };
    store.visit(query(), visitor);
    results.finish();
  }

  void print_csv(Store& store, const std::atomic<bool>& interrupt) const {
    CsvResults results(write_standard_output, baseline_);
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { results.begin_run(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      results.add_case(one);
    };
    store.visit(query(), visitor);
    results.finish();
  }

  void print_jsonl(Store& store, const std::atomic<bool>& interrupt) const {
    RunRecord now;
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { now = std::move(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      write_standard_output(jsonl_line(now, one, {!no_samples_}));
    };
    store.visit(query(), visitor);
  }

  void print_for_people(Store& store) const {
    std::vector<std::string> ids{run_};
    if (all_) {
      ids.clear();
      for (const RunRecord& run : store.list_runs()) {
        if (run.role == RunRole::kResult) ids.push_back(run.id);
      }
    }
    for (const std::string& id : ids) {
      const RunRecord run = load_analyzed_run(store, id);
      if (id != ids.front()) write_standard_output("\n");
      write_standard_output(format_ == "markdown" ? markdown_report(std::vector{analyze_run(run, baseline_)}, store_)
                                                  : results_table(run, store_, baseline_));
    }
  }

  std::string run_;
  std::string store_;
  std::string format_;
  bool no_samples_ = false;
  bool all_ = false;
  std::string summary_by_;
  std::string baseline_text_;
  std::optional<Json> baseline_;
};

}  // namespace

std::unique_ptr<Command> make_show_command() {
  return std::make_unique<ShowCommand>();
}

}  // namespace transformeter
