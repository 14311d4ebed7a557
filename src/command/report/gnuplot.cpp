// Script and pictures lie in a folder of their own, which is also gnuplot's working folder: no path stands in a script.
#include "report/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "report/plot_script.h"

namespace transformeter {
namespace {

constexpr const char* kScript = "plots.gnuplot";
constexpr const char* kMessages = "messages.txt";

// The last line says what went wrong: "line 12: undefined variable".
std::string last_message(const std::filesystem::path& folder) {
  const std::string messages = read_file_or_empty(folder / kMessages);
  const std::vector<std::string> lines = split(trim(messages), '\n');
  return std::string(trim(lines.back()).substr(0, 200));
}

std::string problem_of(const std::optional<ExitStatus>& status, const std::filesystem::path& folder,
                       std::chrono::duration<double> limit) {
  if (!status) return fmt::format("gnuplot did not finish within {:g} s and was stopped", limit.count());
  if (status->code == 0) return "";
  const std::string message = last_message(folder);
  return fmt::format("gnuplot failed with {}{}{}", status->describe(), message.empty() ? "" : ": ", message);
}

std::optional<ExitStatus> wait_for(Subprocess& process, const GnuplotOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + options.limit;
  std::optional<ExitStatus> status;
  do {
    if (options.while_waiting) options.while_waiting();
    const std::chrono::duration<double> rest = end - Clock::now();
    status = process.wait_for(std::min(rest, std::chrono::duration<double>(0.1)));
  } while (!status && Clock::now() < end);
  return status;
}

DrawnPlots draw(const std::filesystem::path& program, const std::string& script, const std::vector<std::string>& files,
                const GnuplotOptions& options) {
  const TemporaryDirectory folder;
  write_file_atomically(folder.path() / kScript, script);
  SpawnOptions spawn;
  spawn.arguments = {"-d", kScript};  // -d: none of the user's own settings
  spawn.environment = {{"LC_ALL", "C"}};
  spawn.output = folder.path() / kMessages;
  spawn.working_folder = folder.path();
  DrawnPlots drawn;
  Subprocess process(program, spawn);
  drawn.problem = problem_of(wait_for(process, options), folder.path(), options.limit);
  for (std::size_t i = 0; i < files.size() && drawn.problem.empty(); ++i) {
    drawn.files.push_back(read_file_or_empty(folder.path() / files[i]));
    if (!is_complete(options.format, drawn.files.back())) {
      drawn.problem = fmt::format("gnuplot did not finish plot {} of {}", i + 1, files.size());
    }
  }
  if (!drawn.problem.empty()) drawn.files.clear();
  return drawn;
}

}  // namespace

DrawnPlots draw_script(const std::string& script, const std::vector<std::string>& files,
                       const GnuplotOptions& options) {
  const auto program = options.program.empty() ? find_program("gnuplot") : std::optional(options.program);
  if (!program) return {{}, "gnuplot is not installed: install the Debian package gnuplot-nox and try again"};
  try {
    return draw(*program, script, files, options);
  } catch (const Error& error) {  // no temporary folder, no room in it, no process
    if (error.kind() == ErrorKind::kInterrupted) throw;
    return {{}, error.what()};
  }
}

DrawnPlots draw_plots(const std::vector<Plot>& plots, const GnuplotOptions& options) {
  if (plots.empty()) return {};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < plots.size(); ++i) files.push_back(plot_file(i, options.format));
  return draw_script(plot_script(plots, options.format), files, options);
}

}  // namespace transformeter
