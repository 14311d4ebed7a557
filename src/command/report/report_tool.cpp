// A folder of its own is the tool's working folder, so that no path needs quoting.
#include "report/report_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr const char* kMessages = "messages.txt";

// The last line says what went wrong: "line 12: undefined variable".
std::string last_message(const std::filesystem::path& folder) {
  const std::string messages = read_file_or_empty(folder / kMessages);
  const std::vector<std::string> lines = split(trim(messages), '\n');
  return excerpt(one_line(trim(lines.back())), 200);
}

std::optional<ExitStatus> wait_for(Subprocess& process, const ToolOptions& options) {
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

}  // namespace

std::string run_tool(const ReportTool& tool, const std::filesystem::path& program,
                     const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const ToolOptions& options) {
  SpawnOptions spawn;
  spawn.arguments = arguments;
  spawn.environment = {{"LC_ALL", "C"}, {"PYTHONPATH", folder.string()}};
  spawn.output = folder / kMessages;
  spawn.working_folder = folder;
  Subprocess process(program, spawn);
  const std::optional<ExitStatus> status = wait_for(process, options);
  if (!status) return fmt::format("{} did not finish within {:g} s and was stopped", tool.name, options.limit.count());
  if (status->code == 0) return "";
  const std::string message = last_message(folder);
  return fmt::format("{} failed with {}{}{}", tool.name, status->describe(), message.empty() ? "" : ": ", message);
}

std::filesystem::path required_program(const ReportTool& tool, const ToolOptions& options, std::string_view otherwise) {
  if (!options.program.empty()) return options.program;
  if (auto program = find_program(tool.program)) return *program;
  throw Error(ErrorKind::kEnvironment, fmt::format("{} is not installed. Install the Debian package {}, or {}.",
                                                   tool.name, tool.package, otherwise));
}

std::string file_written_by(const ReportTool& tool, const std::vector<std::string>& arguments,
                            const std::filesystem::path& folder, const char* output,
                            bool (*is_complete)(std::string_view content), const ToolOptions& options) {
  std::string problem =
      run_tool(tool, required_program(tool, options, kReportsWithoutTools), arguments, folder, options);
  std::string content = problem.empty() ? read_file_or_empty(folder / output) : "";
  if (problem.empty() && !is_complete(content)) problem = fmt::format("{} wrote no complete file", tool.name);
  if (problem.empty()) return content;
  throw Error(ErrorKind::kEnvironment,
              problem + ". The report was not written; .html and .md do not need this program.");
}

}  // namespace transformeter
