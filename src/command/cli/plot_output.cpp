// Checked before a store is read, drawn after the answer.
#include "cli/plot_output.h"

#include <fmt/format.h>

#include "cli/document_output.h"
#include "cli/interrupt.h"
#include "cli/output_path.h"
#include "plots/picture_file.h"
#include "report/report_tool.h"

namespace transformeter {
namespace {

constexpr const char* kOption = "plot";

}  // namespace

OptionDeclaration PlotOutput::option(const std::string& what) {
  return {.names = {"--plot"},
          .target = &file_,
          .placeholder = "FILE.svg",
          .help = fmt::format("also draw {}, into an .svg, .png or .pdf file", what)};
}

void PlotOutput::check(const std::string& store, const std::string& output) const {
  if (file_.empty()) return;
  format_of_plot(kOption, file_);
  check_is_not_store(kOption, file_, store);
  check_is_not_output(kOption, file_, output);
  check_output_place(kOption, file_);
  required_program(kGnuplot, {}, "leave out --plot");
}

void PlotOutput::draw(const std::function<Picture()>& picture, const std::atomic<bool>& interrupt) const {
  if (file_.empty()) return;
  ToolOptions drawing;
  drawing.while_waiting = [&] { check_interrupt(interrupt); };
  write_output(file_, picture_file(picture(), format_of_plot(kOption, file_), drawing));
}

}  // namespace transformeter
