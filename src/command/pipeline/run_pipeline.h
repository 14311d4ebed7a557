// Does a pipeline's steps one after the other, those that an earlier start has not done.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "pipeline/pipeline_state.h"
#include "pipeline/pipeline_steps.h"

namespace transformeter {

struct PipelineOptions {
  std::filesystem::path folder;  // made where it is missing
  std::set<StepKind> skipped;
  bool does_all_again = false;
  /// Runs a command line of this program and returns its exit code; throws Error.
  std::function<int(const std::vector<std::string>& arguments)> execute;
};

/// What became of a step.
struct StepOutcome {
  StepRecord record;
  bool is_kept = false;     // an earlier start did it
  bool is_skipped = false;  // and what an earlier start left is not touched
};

struct PipelineOutcome {
  std::vector<StepOutcome> steps;  // up to the one that was stopped
  bool is_interrupted = false;
  std::size_t failed_count() const;
};

/// A step that fails does not keep others from being done. A run that was stopped, or of which a case failed, is
/// resumed. Pictures and reports are made again when a run, or the profile, that they show was measured since. Throws
/// Error(kEnvironment) when the folder cannot be written, and Error(kBadInput) when it holds another pipeline or other
/// files, or another process works in it.
PipelineOutcome run_pipeline(const Context& context, const std::string& name, const std::vector<PipelineStep>& steps,
                             const PipelineOptions& options);

}  // namespace transformeter
