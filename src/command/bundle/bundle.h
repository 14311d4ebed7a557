// A run as a folder: its plan, effective settings, environment and results, and a manifest of their hashes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "run/plan.h"
#include "schema/record.h"

namespace transformeter {

inline constexpr std::string_view kBundleFormat = "transformeter-bundle";
/// Raised when a field changes or is added; a higher one is refused.
inline constexpr int kBundleSchemaVersion = 1;

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kPlanFile = "plan.yaml";                // as `run --plan` takes it
inline constexpr const char* kSettingsFile = "settings.json";        // of each case, requested and effective
inline constexpr const char* kEnvironmentFile = "environment.json";  // RunRecord::host
inline constexpr const char* kResultsFile = "results.jsonl";         // an export of the run
/// What the manifest lists, which is all but itself.
inline constexpr std::array kBundledFiles{kPlanFile, kSettingsFile, kEnvironmentFile, kResultsFile};

struct BundledFile {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::string sha256;
};

struct BundleManifest {
  std::string created_at;  // ISO 8601, UTC
  Json program;            // {version, git_commit} of the command that wrote it
  Json run;                // see described_run
  std::vector<BundledFile> files;
};

Json to_json(const BundleManifest& manifest);

/// Reads the manifest of a bundle and believes nothing else of it. Throws Error(kBadInput) for what is not a bundle, a
/// manifest that cannot be read, and one of a newer version.
BundleManifest read_manifest(const std::filesystem::path& bundle);

/// Names in the folder that are no bundle's, sorted.
std::vector<std::string> foreign_entries(const std::filesystem::path& bundle);

/// The run of the bundle's results, without its series. Throws Error(kBadInput), with the line, for results that cannot
/// be read, and for none or several runs.
RunRecord bundled_run(const std::filesystem::path& bundle);

/// What a manifest says of a run, which follows from its record: {id, name, started_at, replicates_planned, seeds,
/// cases: [{id, status, key, workload_key}], inputs}. Inputs are {worker: {sha256, ...} as it described itself, models:
/// [{model, identity}], data: [{data, identity}]}, identities as the run stored them, with SHA-256.
Json described_run(const RunRecord& run);

/// [{case, requested, effective, launch}].
Json settings_of_cases(const RunRecord& run);

/// The plan of a run whose cases can be measured again. Throws Error(kBadInput) for trials and live comparisons.
Plan replayed_plan(const RunRecord& run);

/// Its settings that are no defaults, as a plan file in YAML: all but the store and the worker, which are of a machine.
std::string bundled_plan_text(const Plan& plan);

/// The name of a setting whose values in the plan file are not those of `plan`; empty where all agree. Throws
/// Error(kBadInput) as Plan::apply_file.
std::string differing_setting(const std::filesystem::path& plan_file, const Plan& plan);

}  // namespace transformeter
