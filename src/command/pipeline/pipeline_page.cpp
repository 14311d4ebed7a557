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

// Files of steps that are done, whoever did them: what a failed step left of an earlier start is outdated.
std::vector<std::string> files_of(StepKind kind, const std::vector<PipelineStep>& steps, const PipelineOutcome& outcome,
                                  const fs::path& folder) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
    if (steps[i].kind != kind || outcome.steps[i].record.state != StepState::kDone) continue;
    for (const fs::path& output : steps[i].outputs) names.push_back(relative_name(output, folder));
  }
  return names;
}

std::string links(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("- [{0}]({0})\n", name);
  return text;
}

// Of several cases each has a trace and a flame graph beside the tables.
std::vector<std::string> profile_files(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("profile")) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string pictures(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
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
      state += " in " + format_duration(*step.record.duration_s);
    }
    if (!step.is_skipped && !step.record.reason.empty()) state += ": " + escape_markdown(step.record.reason);
    text += fmt::format("{}: {}\n\n{}\n", escape_markdown(step.record.name), state, fenced(step.record.command));
  }
  return text;
}

}  // namespace

std::string pipeline_page(const Pipeline& pipeline, const std::vector<PipelineStep>& steps,
                          const PipelineOutcome& outcome, const fs::path& folder) {
  const auto files = [&](StepKind kind) { return files_of(kind, steps, outcome, folder); };
  return fmt::format("# {}\n\n", escape_markdown(pipeline.name)) + part("Reports", links(files(StepKind::kReport))) +
         part("Data", links(files(StepKind::kData))) +
         part("Profile", files(StepKind::kProfile).empty() ? "" : links(profile_files(folder))) +
         part("Pictures", pictures(files(StepKind::kPictures))) + part("Steps", step_lines(outcome));
}

}  // namespace transformeter
