// Programs that draw or write parts of a report: gnuplot, WeasyPrint, pandoc.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct ReportTool {
  const char* name;     // as messages call it
  const char* program;  // looked for in PATH
  const char* package;  // of Debian
};
inline constexpr ReportTool kGnuplot{"gnuplot", "gnuplot", "gnuplot-nox"};
inline constexpr ReportTool kWeasyPrint{"WeasyPrint", "weasyprint", "weasyprint"};
inline constexpr ReportTool kPandoc{"pandoc", "pandoc", "pandoc"};

struct ToolOptions {
  std::filesystem::path program;              // empty: the one that PATH finds
  std::chrono::duration<double> limit{60.0};  // it is stopped after this time
  std::function<void()> while_waiting;        // called many times a second; may throw to stop, which ends the tool
};

/// Runs `program` in `folder`, which receives what it prints, and returns why it failed, with its last line; empty:
/// exit code 0. Throws Error(kEnvironment) when it cannot be started, and what `while_waiting` throws; no process
/// stays.
std::string run_tool(const ReportTool& tool, const std::filesystem::path& program,
                     const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const ToolOptions& options);

/// What users can do where a report's tool is missing.
inline constexpr std::string_view kReportsWithoutTools = "write the report as .html or .md, which do not need it";

/// The tool's program, for what cannot do without it. Throws Error(kEnvironment) that names the package, and what to do
/// otherwise.
std::filesystem::path required_program(const ReportTool& tool, const ToolOptions& options, std::string_view otherwise);

/// Runs the tool on the files of `folder` and reads `output`, which it is to write there and which `is_complete`
/// judges. Throws Error(kEnvironment) with what went wrong, and as run_tool.
std::string file_written_by(const ReportTool& tool, const std::vector<std::string>& arguments,
                            const std::filesystem::path& folder, const char* output,
                            bool (*is_complete)(std::string_view content), const ToolOptions& options);

}  // namespace transformeter
