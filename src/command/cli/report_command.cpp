// `transformeter report`: runs as an HTML or Markdown file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/baseline_option.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "report/run_report.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter report -o report.html", "the latest run with plots, in one self-contained file"},
    {"transformeter report nightly --store results.db -o nightly.md", "the latest run of that name, as Markdown"},
    {"transformeter report nightly --baseline attention=eager -o nightly.html",
     "with speed-up and memory saved against eager attention"},
    {"transformeter report 20261120 20261121 -o week.html", "two runs in one report, with an overview"},
};
constexpr const char* kNotes[] = {
    "HTML plots are drawn by gnuplot (Debian package gnuplot-nox); without it the report has only tables and says so. "
    "An existing file is replaced only once the new one is complete. docs/reports.md describes the report.",
};

enum class Form { kHtml, kMarkdown };

Form form_of(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".html" || extension == ".htm") return Form::kHtml;
  if (extension == ".md") return Form::kMarkdown;
  throw bad_value("output", output, "a file name that ends in .html, .htm or .md", "The ending chooses the format.");
}

class ReportCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "report",
            .task = CommandTask::kResults,
            .summary = "write a report of runs: HTML with plots, or Markdown",
            .options = {{.names = {"run"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: the latest run"},
                        store_option(store_),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "file to write; its ending, .html, .htm or .md, chooses the format",
                         .is_required = true},
                        baseline_option(baseline_text_)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    const Form form = form_of(output_);
    check_is_not_store(output_, store_);
    const std::optional<Json> baseline = asked_baseline(baseline_text_);
    const std::vector<RunRecord> records = load(context, interrupt);
    std::vector<AnalyzedRun> runs;
    for (const RunRecord& record : records) {
      check_interrupt(interrupt);
      check_baseline_of(record, baseline);
      runs.push_back(analyze_run(record, baseline));
    }
    const std::string text = form == Form::kHtml ? html_of(runs, context, interrupt) : markdown_report(runs, store_);
    check_interrupt(interrupt);
    if (is_standard_output(output_)) {
      write_standard_output(text);
      return kExitOk;
    }
    write_file_atomically(output_, text);
    std::vector<std::string> ids;
    for (const RunRecord& record : records) ids.push_back(record.id);
    write_standard_output(
        fmt::format("report of run{} {} in {}\n", ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), output_));
    return kExitOk;
  }

 private:
  // Each run once, in the order given. A report shows every statistic, and a summary holds one of each metric.
  std::vector<RunRecord> load(const Context& context, const std::atomic<bool>& interrupt) const {
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    std::vector<RunRecord> records;
    for (const std::string& selector : runs_.empty() ? std::vector<std::string>{""} : runs_) {
      RunRecord record = load_one(*store, selector, interrupt);
      const bool is_there =
          std::any_of(records.begin(), records.end(), [&](const RunRecord& other) { return other.id == record.id; });
      if (!is_there) records.push_back(std::move(record));
    }
    return records;
  }

  static RunRecord load_one(Store& store, const std::string& selector, const std::atomic<bool>& interrupt) {
    RunRecord loaded;
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) { loaded = std::move(run); };
    visitor.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      one.summary.reset();
      loaded.cases.push_back(std::move(one));
    };
    RunQuery query;
    query.selector = selector;
    query.detail = Detail::kSeries;
    store.visit(query, visitor);
    return loaded;
  }

  std::string html_of(const std::vector<AnalyzedRun>& runs, const Context& context,
                      const std::atomic<bool>& interrupt) const {
    HtmlOptions options;
    options.store = store_;
    options.gnuplot.while_waiting = [&] { check_interrupt(interrupt); };
    HtmlReport report = html_report(runs, options);
    if (!report.plots_problem.empty()) {
      context.log(LogLevel::kWarning, fmt::format("the report has no plots: {}", report.plots_problem));
    }
    return std::move(report.html);
  }

  std::vector<std::string> runs_;
  std::string store_;
  std::string output_;
  std::string baseline_text_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace transformeter
