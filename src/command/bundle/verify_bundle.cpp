// Names of files are taken from this program, not from the manifest, which may say anything.
#include "bundle/verify_bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::string fault_of_file(const fs::path& bundle, const BundledFile& file) {
  const fs::path path = bundle / file.name;
  std::error_code code;
  const fs::file_status status = fs::symlink_status(path, code);
  if (!fs::exists(status)) return fmt::format("{} is missing", file.name);
  if (!fs::is_regular_file(status)) return fmt::format("{} is not a regular file", file.name);
  const std::uintmax_t size = fs::file_size(path, code);
  if (size != file.size_bytes) return fmt::format("{} has {} bytes, not {}", file.name, size, file.size_bytes);
  const std::string sha256 = sha256_file(path);
  return sha256 == file.sha256 ? "" : fmt::format("{} has SHA-256 {}, not {}", file.name, sha256, file.sha256);
}

std::vector<std::string> faults_of_files(const fs::path& bundle, const BundleManifest& manifest) {
  std::vector<std::string> faults;
  for (const char* name : kBundledFiles) {
    const auto is_it = [&](const BundledFile& file) { return file.name == name; };
    const auto listed = std::count_if(manifest.files.begin(), manifest.files.end(), is_it);
    if (listed != 1) {
      faults.push_back(fmt::format("{} lists {} {} times, not once", kManifestFile, name, listed));
      continue;
    }
    const std::string fault = fault_of_file(bundle, *std::find_if(manifest.files.begin(), manifest.files.end(), is_it));
    if (!fault.empty()) faults.push_back(fault);
  }
  if (manifest.files.size() > kBundledFiles.size()) {
    faults.push_back(fmt::format("{} lists files that no bundle has", kManifestFile));
  }
  for (const std::string& name : foreign_entries(bundle)) faults.push_back(fmt::format("{} was added", name));
  return faults;
}

Json json_of(const fs::path& bundle, const char* name) {
  return parse_json(name, read_file(bundle / name));
}

// Of files that are as the manifest says: whoever changed one may have changed the manifest, too.
std::vector<std::string> faults_of_contents(const fs::path& bundle, const BundleManifest& manifest,
                                            const RunRecord& run) {
  std::vector<std::string> faults;
  const Json described = described_run(run);
  for (const auto& [key, value] : described.items()) {
    if (manifest.run.value(key, Json()) == value) continue;
    faults.push_back(fmt::format("{} and {} differ in the run's {}", kManifestFile, kResultsFile, key));
  }
  if (json_of(bundle, kEnvironmentFile) != run.host) {
    faults.push_back(fmt::format("{} is not the environment in {}", kEnvironmentFile, kResultsFile));
  }
  if (json_of(bundle, kSettingsFile) != settings_of_cases(run)) {
    faults.push_back(fmt::format("{} are not the settings in {}", kSettingsFile, kResultsFile));
  }
  const std::string setting = differing_setting(bundle / kPlanFile, replayed_plan(run));
  if (!setting.empty()) {
    faults.push_back(fmt::format("{} has another {} than the plan in {}", kPlanFile, setting, kResultsFile));
  }
  return faults;
}

}  // namespace

BundleCheck verify_bundle(const fs::path& bundle) {
  BundleCheck check{read_manifest(bundle), sha256_file(bundle / kManifestFile), {}, std::nullopt};
  check.faults = faults_of_files(bundle, check.manifest);
  if (!check.faults.empty()) return check;
  try {
    check.run = bundled_run(bundle);
    check.faults = faults_of_contents(bundle, check.manifest, *check.run);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    check.faults.emplace_back(error.what());
  }
  return check;
}

RunRecord verified_run(const fs::path& bundle) {
  BundleCheck check = verify_bundle(bundle);
  if (check.faults.empty()) return std::move(*check.run);
  throw refused_value("bundle", bundle.string(),
                      fmt::format("it is not as it was written: {}", fmt::join(check.faults, "; ")),
                      "Get it again from where it was written.");
}

}  // namespace transformeter
