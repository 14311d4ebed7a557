// Checked before a store is read, drawn after the answer.
#include "cli/plot_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
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
  const auto whole = [](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
  };
  if (!output.empty() && whole(output) == whole(file_)) {
    throw refused_value(kOption, file_, "it is the file of -o too", "Choose another one.");
  }
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
