// The manifest is made from the results as they were written and read back, not from the store.
#include "bundle/write_bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json_file.h"
#include "base/output.h"
#include "base/version.h"
#include "store/export_jsonl.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

void check_place(const fs::path& bundle, bool replaces) {
  std::error_code code;
  if (!fs::exists(bundle, code)) return;
  if (!fs::is_directory(bundle, code)) throw refused_value("output", bundle.string(), "it exists and is not a folder");
  const std::vector<std::string> foreign = foreign_entries(bundle);
  if (!foreign.empty()) {
    throw refused_value("output", bundle.string(), fmt::format("it holds other files: {}", fmt::join(foreign, ", ")),
                        "Name a new folder.");
  }
  if (!replaces && !entries_of(bundle).empty()) {
    throw refused_value("output", bundle.string(), "it exists", "--force replaces a bundle.");
  }
}

void write_results(Store& store, const std::string& id, const fs::path& file, const std::function<void()>& check) {
  AtomicFile results(file);
  export_jsonl(store, {id}, [&](std::string_view text) {
    check();
    results.write(text);
  });
  results.commit();
}

BundledFile described_file(const fs::path& folder, const char* name) {
  return {name, fs::file_size(folder / name), sha256_file(folder / name)};
}

}  // namespace

BundleManifest write_bundle(Store& store, const Clock& clock, const fs::path& bundle,
                            const WriteBundleOptions& options) {
  check_place(bundle, options.replaces);
  const RunRecord chosen = store.load_run(options.selector, false);
  replayed_plan(chosen);  // said before anything is written
  AtomicFolder folder(bundle);
  write_results(store, chosen.id, folder.path() / kResultsFile, options.check);
  const RunRecord run = bundled_run(folder.path());
  write_file_atomically(folder.path() / kPlanFile, bundled_plan_text(replayed_plan(run)));
  write_json_file(folder.path() / kSettingsFile, settings_of_cases(run));
  write_json_file(folder.path() / kEnvironmentFile, run.host);
  BundleManifest manifest{format_utc(clock.wall_s()),
                          {{"version", program_version()}, {"git_commit", git_commit()}},
                          described_run(run),
                          {}};
  for (const char* name : kBundledFiles) manifest.files.push_back(described_file(folder.path(), name));
  write_json_file(folder.path() / kManifestFile, to_json(manifest));
  options.check();
  folder.commit();
  return manifest;
}

}  // namespace transformeter
