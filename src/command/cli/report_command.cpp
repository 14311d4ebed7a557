// `transformeter report`: runs as a file for a browser, for print, as slides or as text.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "analysis/case_profiles.h"
#include "analysis/run_comparison.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/files.h"
#include "cli/baseline_option.h"
#include "cli/command.h"
#include "cli/comparison_output.h"
#include "cli/interrupt.h"
#include "cli/output_path.h"
#include "cli/run_part.h"
#include "cli/standard_output.h"
#include "report/html_template.h"
#include "report/pdf.h"
#include "report/run_report.h"
#include "report/slide_report.h"
#include "schema/status.h"
#include "store/baseline_store.h"
#include "store/profile_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter report -o report.html", "the latest run with plots, in one self-contained file"},
    {"transformeter report nightly --store results.db -o nightly.md", "the latest run of that name, as Markdown"},
    {"transformeter report nightly --baseline attention=eager -o nightly.html",
     "with speed-up and memory saved against eager attention"},
    {"transformeter report nightly -o nightly.pdf", "the same pages for print, as PDF"},
    {"transformeter report nightly -o nightly.pptx", "the answers, tables and plots as slides"},
    {"transformeter report -o report.html --template our-page.html",
     "in a page of your own, with {{content}} where the report is to stand"},
    {"transformeter report 20261120 20261121 -o week.html", "two runs in one report, with an overview"},
    {"transformeter report tuesday --compare-with monday -o change.html", "with what `compare monday tuesday` says"},
};
constexpr const char* kNotes[] = {
    "Plots are drawn by gnuplot (Debian package gnuplot-nox); without it the report has only tables and says so. "
    "PDF needs WeasyPrint (package weasyprint), slides need pandoc (package pandoc). An existing file is replaced only "
    "once the new one is complete. "
    "docs/reports.md describes the report.",
};

enum class Form { kHtml, kMarkdown, kPdf, kPptx };

constexpr std::chrono::minutes kLayoutLimit{10};  // enough for a report of 10,000 cases

Form form_of(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".html" || extension == ".htm") return Form::kHtml;
  if (extension == ".md") return Form::kMarkdown;
  if (extension == ".pdf") return Form::kPdf;
  if (extension == ".pptx") return Form::kPptx;
  throw bad_value("output", output, "a file name that ends in .html, .htm, .md, .pdf or .pptx",
                  "The ending chooses the format.");
}

class ReportCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "report",
            .task = CommandTask::kResults,
            .summary = "write a report of runs: HTML, PDF or slides with plots, or Markdown",
            .options = {{.names = {"run"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: the latest run"},
                        store_option(store_),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "file to write; its ending, .html, .htm, .md, .pdf or .pptx, chooses the format",
                         .is_required = true},
                        baseline_option(baseline_text_),
                        {.names = {"--compare-with"},
                         .target = &other_,
                         .placeholder = "RUN",
                         .help = "compare each run with this one, or with a baseline, as `compare` does"},
                        {.names = {"--template"},
                         .target = &template_,
                         .placeholder = "FILE",
                         .help = "page to fill, HTML with {{content}}; for .pptx the slides whose layouts to take"}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    const Form form = form_of(output_);
    check_is_not_store(output_, store_);
    check_tool(form);
    const std::string page = read_template(form);
    const std::optional<Json> baseline = asked_baseline(baseline_text_);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const std::optional<OtherRun> other = load_other(*store, context);
    const std::vector<RunRecord> records = load(*store, interrupt);
    std::vector<AnalyzedRun> runs;
    for (const RunRecord& record : records) {
      check_interrupt(interrupt);
      check_baseline_of(record, baseline);
      runs.push_back(analyze_run(record, baseline));
    }
    const std::vector<RunComparison> comparisons = comparisons_with(other, runs);
    const std::vector<RunProfiles> profiles = profiles_of(runs, context);
    const std::string content = content_of(form, {runs, comparisons, profiles}, page, context, interrupt);
    check_interrupt(interrupt);
    if (is_standard_output(output_)) {
      write_standard_output(content);
      return kExitOk;
    }
    write_file_atomically(output_, content);
    std::vector<std::string> ids;
    for (const RunRecord& record : records) ids.push_back(record.id);
    write_standard_output(
        fmt::format("report of run{} {} in {}\n", ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), output_));
    return kExitOk;
  }

 private:
  struct OtherRun {
    RunRecord record;
    std::vector<SettingFilter> filters;
  };

  struct Contents {
    const std::vector<AnalyzedRun>& runs;
    const std::vector<RunComparison>& comparisons;  // of each run; empty: none was asked for
    const std::vector<RunProfiles>& profiles;       // of each run
  };

  std::vector<RunProfiles> profiles_of(const std::vector<AnalyzedRun>& runs, const Context& context) const {
    const std::unique_ptr<ProfileStore> store = open_profile_store(store_, StoreMode::kRead);
    const std::vector<ProfileRecord> listed = listed_profiles(*store, context.log);
    std::vector<RunProfiles> profiles;
    for (const AnalyzedRun& run : runs) profiles.push_back(load_run_profiles(*store, listed, run, context.log));
    return profiles;
  }

  std::optional<OtherRun> load_other(Store& store, const Context& context) const {
    if (other_.empty()) return std::nullopt;
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kRead, context.log);
    const RunPart part = part_named(store, *baselines, other_);
    return OtherRun{load_analyzed_run(store, part.run), part.filters};
  }

  std::vector<RunComparison> comparisons_with(const std::optional<OtherRun>& other,
                                              const std::vector<AnalyzedRun>& runs) const {
    std::vector<RunComparison> comparisons;
    if (!other) return comparisons;
    for (const AnalyzedRun& run : runs) {
      comparisons.push_back(compare_runs({&other->record, other_, other->filters}, {run.run, run_title(run), {}}, {}));
      check_is_alike(comparisons.back());
    }
    return comparisons;
  }

  // Each run once, in the order given. A report shows every statistic, and a summary holds one of each metric.
  std::vector<RunRecord> load(Store& store, const std::atomic<bool>& interrupt) const {
    std::vector<RunRecord> records;
    for (const std::string& selector : selected_runs(store, runs_)) {
      records.push_back(load_one(store, selector, interrupt));
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

  // Before anything is read, so that a missing program is named at once.
  void check_tool(Form form) const {
    if (form != Form::kPdf && form != Form::kPptx) return;
    required_program(form == Form::kPdf ? kWeasyPrint : kPandoc, {}, kReportsWithoutTools);
    if (is_standard_output(output_) && ::isatty(STDOUT_FILENO) != 0) {
      throw refused_value("output", output_, "a terminal cannot show a binary file", "Choose another file with -o.");
    }
  }

  // Empty: none was asked for.
  std::string read_template(Form form) const {
    if (template_.empty()) return "";
    if (form == Form::kMarkdown) throw Error(ErrorKind::kBadInput, "--template does not apply to Markdown");
    std::string text = read_file(template_);
    if (form != Form::kPptx) {
      check_html_template(template_, text);
    } else if (!text.starts_with("PK")) {
      throw refused_value("template", template_, "it is no PowerPoint file");
    }
    return text;
  }

  std::string content_of(Form form, const Contents& contents, const std::string& page, const Context& context,
                         const std::atomic<bool>& interrupt) const {
    const std::vector<AnalyzedRun>& runs = contents.runs;
    if (form == Form::kMarkdown) {
      return markdown_report(runs,
                             {.store = store_, .comparisons = contents.comparisons, .profiles = contents.profiles});
    }
    ToolOptions drawing;
    drawing.while_waiting = [&] { check_interrupt(interrupt); };
    ToolOptions layout = drawing;
    layout.limit = kLayoutLimit;
    if (form == Form::kPptx) {
      SlideReport slides = slides_of(runs, {.store = store_,
                                            .gnuplot = drawing,
                                            .pandoc = layout,
                                            .comparisons = contents.comparisons,
                                            .profiles = contents.profiles,
                                            .reference = page});
      warn_of_missing_plots(context, slides.plots_problem);
      return std::move(slides.pptx);
    }
    HtmlOptions options;
    options.store = store_;
    options.gnuplot = drawing;
    options.is_for_paper = form == Form::kPdf;
    options.page = page;
    options.comparisons = contents.comparisons;
    options.profiles = contents.profiles;
    HtmlReport report = html_report(runs, options);
    warn_of_missing_plots(context, report.plots_problem);
    return form == Form::kHtml ? std::move(report.html) : pdf_of_html(report.html, layout);
  }

  // pandoc does not say which file it could not read.
  SlideReport slides_of(const std::vector<AnalyzedRun>& runs, const SlideOptions& options) const {
    try {
      return slide_report(runs, options);
    } catch (const Error& error) {
      if (template_.empty() || error.kind() != ErrorKind::kEnvironment) throw;
      throw Error(error.kind(), fmt::format("with template '{}': {}", template_, error.what()));
    }
  }

  static void warn_of_missing_plots(const Context& context, const std::string& problem) {
    if (!problem.empty()) context.log(LogLevel::kWarning, fmt::format("the report has no plots: {}", problem));
  }

  std::vector<std::string> runs_;
  std::string store_;
  std::string output_;
  std::string baseline_text_;
  std::string other_;
  std::string template_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace transformeter
