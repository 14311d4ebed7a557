// Script and pictures lie in a folder of their own, which is also gnuplot's working folder: no path stands in a script.
#include "report/gnuplot.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "report/plot_script.h"

namespace transformeter {
namespace {

constexpr const char* kScript = "plots.gnuplot";

DrawnPlots draw(const std::filesystem::path& program, const std::string& script, const std::vector<std::string>& files,
                PlotFormat format, const ToolOptions& options) {
  const TemporaryDirectory folder;
  write_file_atomically(folder.path() / kScript, script);
  DrawnPlots drawn;
  // -d: none of the user's own settings
  drawn.problem = run_tool(kGnuplot, program, {"-d", kScript}, folder.path(), options);
  for (std::size_t i = 0; i < files.size() && drawn.problem.empty(); ++i) {
    drawn.files.push_back(read_file_or_empty(folder.path() / files[i]));
    if (!is_complete(format, drawn.files.back())) {
      drawn.problem = fmt::format("gnuplot did not finish plot {} of {}", i + 1, files.size());
    }
  }
  if (!drawn.problem.empty()) drawn.files.clear();
  return drawn;
}

}  // namespace

DrawnPlots draw_script(const std::string& script, const std::vector<std::string>& files, PlotFormat format,
                       const ToolOptions& options) {
  const auto program = options.program.empty() ? find_program(kGnuplot.program) : std::optional(options.program);
  if (!program) {
    return {{}, fmt::format("gnuplot is not installed: install the Debian package {} and try again", kGnuplot.package)};
  }
  try {
    return draw(*program, script, files, format, options);
  } catch (const Error& error) {  // no temporary folder, no room in it, no process
    if (error.kind() == ErrorKind::kInterrupted) throw;
    return {{}, error.what()};
  }
}

DrawnPlots draw_plots(const std::vector<Plot>& plots, const ToolOptions& options, PlotFormat format) {
  if (plots.empty()) return {};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < plots.size(); ++i) files.push_back(plot_file(i, format));
  return draw_script(plot_script(plots, format), files, format, options);
}

}  // namespace transformeter
