// A document, and what shows it.
#include "report/run_report.h"

#include "report/draw_figures.h"
#include "report/html_document.h"
#include "report/markdown_document.h"
#include "report/paper_columns.h"
#include "report/terminal_document.h"

namespace transformeter {

HtmlReport html_report(std::span<const AnalyzedRun> runs, const HtmlOptions& options) {
  Document document =
      run_document(runs, {options.store, true, options.sections, options.comparisons, options.profiles});
  HtmlReport report;
  report.plots_problem = draw_figures(document, options.gnuplot);
  if (!report.plots_problem.empty()) {
    document.lead.emplace_back(Paragraph{report.plots_problem + ".", "This report has no plots", true});
  }
  report.html = html_document(document, options.is_for_paper ? paper_for(document) : Medium::kScreen,
                              options.page.empty() ? default_html_template() : options.page);
  return report;
}

std::string markdown_report(std::span<const AnalyzedRun> runs, RunDocumentOptions options) {
  options.is_page = false;
  return markdown_document(run_document(runs, options));
}

std::string terminal_report(const AnalyzedRun& run, const std::string& store, const TextOptions& options,
                            PendingLine pending) {
  return text_document(terminal_document(run, store, pending), options);
}

}  // namespace transformeter
