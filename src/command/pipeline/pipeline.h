// What a pipeline file asks for: runs, and what is made of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace transformeter {

/// A data set of the runs.
struct PipelineData {
  std::string file;                    // of what is found: "data.txt"
  std::vector<std::string> arguments;  // of `transformeter data`
};

/// A run of the step measure.
struct PipelineRun {
  std::string name;       // of the run in the store, and of its files
  std::string plan_text;  // a plan file: the common settings, with its own in their place
};

/// A picture of the step pictures.
struct PipelinePicture {
  std::vector<std::string> runs;       // names of those it shows
  std::string file;                    // "inference-six-panel.svg"
  std::vector<std::string> arguments;  // of `transformeter plot`, without runs, store and file
  bool is_wanted = true;               // false: left out where the run lacks what it shows
  std::string asked = {};  // what the file says of several runs, of which one must have it; empty: none must
};

struct Pipeline {
  std::string name;
  std::vector<PipelineData> data;
  std::vector<PipelineRun> runs;                    // one at least
  std::string profile_text;                         // a plan file; empty: nothing is profiled
  std::vector<std::string> profile_arguments = {};  // more of `transformeter profile`
  bool profiles_memory = false;
  std::vector<PipelinePicture> pictures;
  std::vector<std::string> reports;  // file names, whose endings choose the formats
};

/// A setting of every run and of the profile, whatever the file says: as typed.
struct PipelineOverride {
  std::string setting;
  std::string value;
};

/// Reads a pipeline file: a plan file that has, beside settings, which hold for every run, the keys `measure`,
/// `profile`, `pictures` and `report`. Without these a plan is a pipeline of one run, a profile with the first value of
/// each setting, every ready picture, report.html and cases.csv. Throws Error(kBadInput) as Plan::apply_file.
Pipeline read_pipeline(const std::filesystem::path& file, const std::vector<PipelineOverride>& overrides = {});

}  // namespace transformeter
