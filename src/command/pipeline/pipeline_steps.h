// A pipeline as command lines of this program, in order.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/pipeline.h"

namespace transformeter {

enum class StepKind { kData, kMeasure, kProfile, kPictures, kReport };

/// "data", "measure", ...: what --skip names.
std::string_view name_of(StepKind kind);
std::vector<std::string> step_names();
/// Throws Error(kBadInput) with the nearest name for an unknown one.
StepKind step_kind(std::string_view name);

struct PipelineStep {
  StepKind kind = StepKind::kMeasure;
  std::string name;                    // "measure inference"; tells steps apart
  std::vector<std::string> runs;       // names of those that it measures or shows; "profile" of the profile
  std::vector<std::string> arguments;  // "run", "out/plans/inference.yaml", ...
  std::filesystem::path input;         // a file that is written before it, with `input_text`; empty: none
  std::string input_text;
  std::vector<std::filesystem::path> outputs;  // of which each must be there afterwards
  bool is_wanted = true;                       // false: left out where the run lacks what it shows
  std::string asked;                           // as PipelinePicture has it
};

/// The store of a pipeline's results.
std::filesystem::path pipeline_store(const std::filesystem::path& folder);

/// Paths begin with `folder`.
std::vector<PipelineStep> steps_of(const Pipeline& pipeline, const std::filesystem::path& folder);

/// "transformeter plot inference --store out/results.db ...", to be copied into a shell.
std::string command_of(const PipelineStep& step);

}  // namespace transformeter
