// Every step is what a user could type: the pipeline adds no way of its own to measure or to draw.
#include "pipeline/pipeline_steps.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "report/command_line.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// Stands among the names of runs, where no run may have it: reports depend on the profile as on a run.
constexpr const char* kProfile = "profile";

constexpr std::array kStepNames{"data", "measure", "profile", "pictures", "report"};

PipelineStep data_step(const PipelineData& data, const fs::path& folder) {
  PipelineStep step;
  step.kind = StepKind::kData;
  step.name = "data " + data.file;
  step.outputs = {folder / data.file};
  step.arguments = {"data"};
  step.arguments.insert(step.arguments.end(), data.arguments.begin(), data.arguments.end());
  step.arguments.insert(step.arguments.end(), {"--output", step.outputs.front().string()});
  return step;
}

PipelineStep measure_step(const PipelineRun& run, const fs::path& folder) {
  PipelineStep step;
  step.kind = StepKind::kMeasure;
  step.name = "measure " + run.name;
  step.runs = {run.name};
  step.outputs = {pipeline_store(folder)};
  step.input = folder / "plans" / (run.name + ".yaml");
  step.input_text = run.plan_text;
  step.arguments = {"run", step.input.string(), "--store", pipeline_store(folder).string(), "--name", run.name};
  return step;
}

PipelineStep profile_step(const Pipeline& pipeline, const fs::path& folder) {
  PipelineStep step;
  step.kind = StepKind::kProfile;
  step.name = kProfile;
  step.runs = {kProfile};
  step.input = folder / "plans" / "profile.yaml";
  step.input_text = pipeline.profile_text;
  const fs::path tables = folder / "profile.txt";
  const fs::path flame_graph = folder / "profile-flame-graph.svg";
  const fs::path trace = folder / "profile-trace.json";
  step.outputs = {tables};  // of several cases the others have names of their own
  step.arguments = {"profile",       step.input.string(),  "--store",  pipeline_store(folder).string(),
                    "--name",        pipeline.name,        "--output", tables.string(),
                    "--flame-graph", flame_graph.string(), "--trace",  trace.string()};
  step.arguments.insert(step.arguments.end(), pipeline.profile_arguments.begin(), pipeline.profile_arguments.end());
  if (pipeline.profiles_memory) {
    step.arguments.insert(step.arguments.end(), {"--memory-plot", (folder / "profile-memory.svg").string()});
  }
  return step;
}

PipelineStep picture_step(const PipelinePicture& picture, const fs::path& folder) {
  PipelineStep step;
  step.kind = StepKind::kPictures;
  const fs::path file = folder / "pictures" / picture.file;
  step.name = "pictures " + picture.file;
  step.runs = picture.runs;
  step.outputs = {file};
  step.arguments = {"plot"};
  step.arguments.insert(step.arguments.end(), picture.runs.begin(), picture.runs.end());
  step.arguments.insert(step.arguments.end(), {"--store", pipeline_store(folder).string(), "--output", file.string()});
  step.arguments.insert(step.arguments.end(), picture.arguments.begin(), picture.arguments.end());
  step.is_wanted = picture.is_wanted;
  step.asked = picture.asked;
  return step;
}

// `report` writes what is laid out in pages, `show` tables of every run.
PipelineStep report_step(const std::string& name, const Pipeline& pipeline, const fs::path& folder) {
  PipelineStep step;
  step.kind = StepKind::kReport;
  step.name = "report " + name;
  const fs::path file = folder / name;
  step.outputs = {file};
  const std::string ending = file.extension().string();
  const bool is_table = ending == ".csv" || ending == ".json" || ending == ".jsonl" || ending == ".txt";
  step.arguments = {is_table ? "show" : "report"};
  if (ending == ".csv") step.arguments.emplace_back("--wide");
  if (ending == ".json" || ending == ".jsonl") step.arguments.emplace_back("--no-samples");
  for (const PipelineRun& run : pipeline.runs) step.arguments.push_back(run.name);
  for (const PipelineRun& run : pipeline.runs) step.runs.push_back(run.name);
  if (!is_table && !pipeline.profile_text.empty()) step.runs.emplace_back(kProfile);
  step.arguments.insert(step.arguments.end(), {"--store", pipeline_store(folder).string(), "--output", file.string()});
  return step;
}

}  // namespace

std::string_view name_of(StepKind kind) {
  return kStepNames.at(static_cast<std::size_t>(kind));
}

std::vector<std::string> step_names() {
  return {kStepNames.begin(), kStepNames.end()};
}

StepKind step_kind(std::string_view name) {
  const auto found = std::find(kStepNames.begin(), kStepNames.end(), name);
  if (found == kStepNames.end()) throw unknown_value("step", name, step_names());
  return static_cast<StepKind>(found - kStepNames.begin());
}

fs::path pipeline_store(const fs::path& folder) {
  return folder / "results.db";
}

std::vector<PipelineStep> steps_of(const Pipeline& pipeline, const fs::path& folder) {
  std::vector<PipelineStep> steps;
  for (const PipelineData& data : pipeline.data) steps.push_back(data_step(data, folder));
  for (const PipelineRun& run : pipeline.runs) steps.push_back(measure_step(run, folder));
  if (!pipeline.profile_text.empty()) steps.push_back(profile_step(pipeline, folder));
  for (const PipelinePicture& picture : pipeline.pictures) steps.push_back(picture_step(picture, folder));
  for (const std::string& report : pipeline.reports) steps.push_back(report_step(report, pipeline, folder));
  return steps;
}

std::string command_of(const PipelineStep& step) {
  std::string command = "transformeter";
  for (const std::string& argument : step.arguments) command.append(" ").append(shell_word(argument));
  return command;
}

}  // namespace transformeter
