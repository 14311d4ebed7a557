// `transformeter show`: prints the results of a run.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "analysis/setting_summary.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/baseline_option.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
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
#include "report/wide_csv.h"
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
    {"transformeter show monday tuesday -o week.json", "two runs in one file"},
    {"transformeter show --all --format csv --wide -o cases.csv",
     "one row for each case and a column for each metric, for a data frame"},
    {"transformeter show nightly --summary-by batch_size,precision",
     "minimum, mean, maximum and deviation of each metric per batch size, then per precision"},
};
constexpr const char* kNotes[] = {
    "The ending of -o FILE chooses the format unless --format does: .txt, .json, .jsonl, .csv or .md. An existing file "
    "is replaced only once the new one is complete. docs/results.md describes each format field by field.",
};

constexpr FileEnding kEndings[] = {
    {".txt", "table"}, {".json", "json"}, {".jsonl", "jsonl"}, {".csv", "csv"}, {".md", "markdown"}};

class ShowCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "show",
            .task = CommandTask::kResults,
            .summary = "print the results of a run: table, JSON, CSV or Markdown",
            .options = {{.names = {"run"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: the latest run"},
                        store_option(store_),
                        asked_format_option(asked_format_, kFormats),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "file to write in place of standard output; its ending chooses the format"},
                        {.names = {"--wide"},
                         .target = &wide_,
                         .help = "csv: one row for each case and a column for each metric, with its interval"},
                        {.names = {"--no-samples"},
                         .target = &no_samples_,
                         .help = "leave the samples out of json and jsonl; metrics stay"},
                        baseline_option(baseline_text_),
                        {.names = {"--all"}, .target = &all_, .help = "show every run in the store, latest first"},
                        {.names = {"--summary-by"},
                         .target = &summary_by_,
                         .placeholder = "SETTING,...",
                         .help = "show metrics per value of these settings, or of `family`, instead of per case",
                         .is_list = true}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    format_ = chosen_format(asked_format_, output_, kFormats, kEndings);
    if (!output_.empty()) check_is_not_store(output_, store_);
    if (wide_ && format_ != "csv") {
      throw Error(ErrorKind::kBadInput, fmt::format("--wide applies to format csv, not to {}", format_));
    }
    if (all_ && !runs_.empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("cannot combine run '{}' with --all", runs_.front()));
    }
    const bool has_samples = format_ == "json" || format_ == "jsonl";
    if (no_samples_ && !has_samples) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--no-samples applies to formats json and jsonl, not to {}", format_));
    }
    check_baseline_option();
    check_summary_option();
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    for (const std::string& run : baseline_ ? selectors(*store) : std::vector<std::string>()) {
      check_baseline_of(load_analyzed_run(*store, run), baseline_);
    }
    if (output_.empty() || is_standard_output(output_)) {
      print(*store, {write_standard_output, terminal_at(stdout)}, interrupt);
      return kExitOk;
    }
    AtomicFile file(output_);
    print(*store, {[&](std::string_view text) { file.write(text); }, Terminal{}}, interrupt);
    file.commit();
    return kExitOk;
  }

 private:
  // Where it is printed.
  struct Output {
    Sink write;
    Terminal terminal;  // none for a file
  };

  void print(Store& store, const Output& output, const std::atomic<bool>& interrupt) const {
    if (!summary_by_.empty()) {
      print_summaries(store, output);
    } else if (format_ == "json") {
      print_cases(store, JsonResults(output.write, {!no_samples_, baseline_}), interrupt);
    } else if (format_ == "jsonl") {
      print_jsonl(store, output, interrupt);
    } else if (format_ == "csv" && wide_) {
      print_cases(store, WideCsv(output.write, baseline_), interrupt);
    } else if (format_ == "csv") {
      print_cases(store, CsvResults(output.write, baseline_), interrupt);
    } else {
      print_for_people(store, output);
    }
  }

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
    if (runs_.size() > 1) throw Error(ErrorKind::kBadInput, "--summary-by takes a single run");
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

  void print_summaries(Store& store, const Output& output) const {
    const RunRecord record = load_analyzed_run(store, selectors(store).front());
    const AnalyzedRun run = analyze_run(record);
    std::vector<std::string> settings;
    for (const std::string& name : split(summary_by_, ',')) settings.emplace_back(trim(name));
    const SettingSummaries summaries = summaries_by(run, settings);
    if (format_ == "json") {
      output.write(json_text(summary_json(run, summaries)));
    } else if (format_ == "markdown") {
      output.write(markdown_document(summary_document(run, summaries)));
    } else {
      output.write(text_document(summary_document(run, summaries), {.width = width_limit(output.terminal)}));
    }
  }

  // With --all a single one, which stands for every run.
  std::vector<std::string> selectors(Store& store) const {
    return all_ ? std::vector<std::string>{""} : selected_runs(store, runs_);
  }

  RunQuery query(const std::string& selector) const {
    RunQuery query = query_for_analysis();
    query.selector = selector;
    query.all = all_;
    query.with_trials = false;
    if ((format_ == "json" || format_ == "jsonl") && !no_samples_) query.detail = Detail::kSeries;
    return query;
  }

  // JSON and CSV are written case by case.
  template <typename Results>
  void print_cases(Store& store, Results results, const std::atomic<bool>& interrupt) const {
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { results.begin_run(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      results.add_case(one);
    };
    for (const std::string& selector : selectors(store)) store.visit(query(selector), visitor);
    results.finish();
  }

  void print_jsonl(Store& store, const Output& output, const std::atomic<bool>& interrupt) const {
    RunRecord now;
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { now = std::move(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      output.write(jsonl_line(now, one, {!no_samples_}));
    };
    for (const std::string& selector : selectors(store)) store.visit(query(selector), visitor);
  }

  void print_for_people(Store& store, const Output& output) const {
    std::vector<std::string> ids = selectors(store);
    if (all_) {
      ids.clear();
      for (const RunRecord& run : store.list_runs()) {
        if (run.role == RunRole::kResult) ids.push_back(run.id);
      }
    }
    for (const std::string& id : ids) {
      const RunRecord run = load_analyzed_run(store, id);
      if (&id != &ids.front()) output.write("\n");
      output.write(format_ == "markdown" ? markdown_report(std::vector{analyze_run(run, baseline_)}, {.store = store_})
                                         : results_table(run, store_, output.terminal, PendingLine::kShown, baseline_));
    }
  }

  std::vector<std::string> runs_;
  std::string store_;
  std::optional<std::string> asked_format_;
  std::string format_;
  std::string output_;
  bool wide_ = false;
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
