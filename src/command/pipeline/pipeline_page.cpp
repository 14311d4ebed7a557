// GitHub, editors and `pandoc` show it; paths are relative to the folder.
#include "pipeline/pipeline_page.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "base/units.h"
#include "report/markdown_text.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::string relative_name(const fs::path& file, const fs::path& folder) {
  return file.lexically_relative(folder).generic_string();
}

bool is_there(const fs::path& file) {
  std::error_code code;
  return fs::exists(file, code);
}

std::string links(const std::vector<PipelineStep>& steps, StepKind kind, const fs::path& folder) {
  std::string text;
  for (const PipelineStep& step : steps) {
    if (step.kind != kind) continue;
    for (const fs::path& output : step.outputs) {
      const std::string name = relative_name(output, folder);
      if (is_there(output)) text += fmt::format("- [{0}]({0})\n", name);
    }
  }
  return text;
}

// Of several cases each has a trace and a flame graph.
std::string profile_links(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("profile")) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) text += fmt::format("- [{0}]({0})\n", name);
  return text;
}

std::string pictures(const std::vector<PipelineStep>& steps, const fs::path& folder) {
  std::string text;
  for (const PipelineStep& step : steps) {
    if (step.kind != StepKind::kPictures || !is_there(step.outputs.front())) continue;
    const std::string name = relative_name(step.outputs.front(), folder);
    const bool is_shown = fs::path(name).extension() != ".pdf";
    text += fmt::format("{0}[{1}]({1})\n\n", is_shown ? "!" : "", name);
  }
  return text;
}

std::string part(const char* title, const std::string& content) {
  return content.empty() ? "" : fmt::format("## {}\n{}\n", title, content);
}

std::string step_lines(const PipelineOutcome& outcome) {
  std::string text;
  for (const StepOutcome& step : outcome.steps) {
    std::string state = step.is_skipped ? "skipped" : std::string(name_of(step.record.state));
    if (!step.is_skipped && step.record.state == StepState::kDone) {
      state += " in " + format_duration(step.record.seconds);
    } else if (!step.record.reason.empty()) {
      state += ": " + escape_markdown(step.record.reason);
    }
    text += fmt::format("{}: {}\n\n{}\n", escape_markdown(step.record.name), state, fenced(step.record.command));
  }
  return text;
}

}  // namespace

std::string pipeline_page(const Pipeline& pipeline, const std::vector<PipelineStep>& steps,
                          const PipelineOutcome& outcome, const fs::path& folder) {
  return fmt::format("# {}\n\n", escape_markdown(pipeline.name)) +
         part("Reports", links(steps, StepKind::kReport, folder)) +
         part("Data", links(steps, StepKind::kData, folder)) +
         part("Profile", pipeline.profile_text.empty() ? "" : profile_links(folder)) +
         part("Pictures", pictures(steps, folder)) + part("Steps", step_lines(outcome));
}

}  // namespace transformeter
