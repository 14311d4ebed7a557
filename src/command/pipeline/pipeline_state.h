// What a pipeline has done so far, kept in its folder: a pipeline that was stopped goes on where it was.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/pipeline_steps.h"

namespace transformeter {

enum class StepState {
  kBegun,  // what a killed pipeline leaves
  kDone,
  kFailed,
  kStopped,  // by Ctrl-C
  kLeftOut,  // a picture of what the run does not have
};

/// "begun", "done", "failed", "stopped", "left out".
std::string_view name_of(StepState state);

struct StepRecord {
  std::string name;
  std::string command;
  std::string input_sha256;  // of the file it reads; empty: none
  StepState state = StepState::kBegun;
  std::string reason;  // why it failed or was left out; of a run that is done, what it has not measured
  std::vector<std::string> shown_runs;  // as PipelineState::measured had them when it began
  std::string run_id_before;         // measure: the latest run of that name in the store before it began; empty: none
  std::optional<double> duration_s;  // nothing before it has ended
};

class PipelineState {
 public:
  /// Reads `folder`/pipeline.json where it is there. Throws Error(kBadInput) when it is damaged, or holds another
  /// pipeline than `name`.
  PipelineState(const std::filesystem::path& folder, std::string name);

  /// What an earlier start kept of the step; null: nothing, or of another command or input. Valid until keep().
  const StepRecord* earlier(const PipelineStep& step) const;
  /// A run, or the profile, is measured again, or goes on: whatever shows it is outdated. Written by the next keep().
  void count_measuring(const std::string& run) { ++measured_[run]; }
  /// "inference 2": how often each of `runs` was measured.
  std::vector<std::string> measured(const std::vector<std::string>& runs) const;
  /// Takes the place of the step's earlier record, and writes the file. Throws Error(kEnvironment).
  void keep(const StepRecord& record);

 private:
  std::filesystem::path file_;
  std::string name_;
  std::vector<StepRecord> records_;
  std::map<std::string, int> measured_;  // by run
};

/// A record of the step, not begun.
StepRecord record_of(const PipelineStep& step);

}  // namespace transformeter
