// Everything lies in one folder, in which pandoc works.
#include "report/slide_report.h"

#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "report/pandoc_native.h"
#include "report/run_document.h"
#include "report/slide_pictures.h"

namespace transformeter {
namespace {

// A zip archive: its first entry and the record that ends it.
bool is_whole_pptx(std::string_view content) {
  return content.starts_with("PK\x03\x04") && content.rfind("PK\x05\x06") != std::string_view::npos;
}

}  // namespace

std::vector<ReportSection> slide_sections() {
  std::vector<ReportSection> sections;
  std::copy_if(kReportSections.begin(), kReportSections.end(), std::back_inserter(sections),
               [](const ReportSection& section) { return section.is_on_slides; });
  return sections;
}

std::string pptx_of_native(const std::string& native, const std::vector<std::string>& pictures,
                           const ToolOptions& options, const std::string& reference) {
  constexpr const char* kReference = "reference.pptx";
  constexpr const char* kNative = "slides.native";
  constexpr const char* kPptx = "slides.pptx";
  const TemporaryDirectory folder;
  write_file_atomically(folder.path() / kNative, native);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    write_file_atomically(folder.path() / slide_picture_name(i), pictures[i]);
  std::vector<std::string> arguments{"--from=native", "--to=pptx", "--slide-level=2", "--output", kPptx, kNative};
  if (!reference.empty()) {
    write_file_atomically(folder.path() / kReference, reference);
    arguments.push_back(std::string("--reference-doc=") + kReference);
  }
  return file_written_by(kPandoc, arguments, folder.path(), kPptx, is_whole_pptx, options);
}

SlideReport slide_report(std::span<const AnalyzedRun> runs, const SlideOptions& options) {
  const std::vector<ReportSection> sections = slide_sections();
  Document document = run_document(runs, {options.store, true, sections, options.comparisons, options.profiles});
  std::vector<Figure> figures;
  for (const Slide& slide : slides_of(document).slides) {
    if (slide.figure) figures.push_back(*slide.figure);
  }
  const DrawnPlots drawn = draw_slide_pictures(figures, options.gnuplot);
  if (!drawn.problem.empty()) {
    document.lead.emplace_back(Paragraph{drawn.problem + ".", "This report has no plots", true});
  }
  const std::string native = pandoc_native(slides_of(document), drawn.problem.empty() ? slide_picture_name : nullptr);
  return {pptx_of_native(native, drawn.files, options.pandoc, options.reference), drawn.problem};
}

}  // namespace transformeter
