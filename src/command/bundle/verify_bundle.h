// Whether a bundle is as it was written, and whether what it was measured with is here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "bundle/bundle.h"

namespace transformeter {

struct BundleCheck {
  BundleManifest manifest;
  std::string manifest_sha256;      // which no file of the bundle holds: to be kept elsewhere
  std::vector<std::string> faults;  // empty: as it was written
  std::optional<RunRecord> run;  // see bundled_run; nothing: a file is not as the manifest says, or it cannot be read
};

/// Compares every file with the manifest, and the manifest, plan, settings and environment with the results. Throws as
/// read_manifest.
BundleCheck verify_bundle(const std::filesystem::path& bundle);

/// Likewise, of a bundle that is as it was written: its run. Throws Error(kBadInput) for any other.
RunRecord verified_run(const std::filesystem::path& bundle);

enum class InputAnswer { kSame, kDifferent, kNotHere, kUnknown };

/// "same", "different", "not here", "unknown".
std::string_view name_of(InputAnswer answer);

/// A worker, model or data set that the run was measured with.
struct BundleInput {
  std::string kind;  // "worker", "model", "data"
  std::string name;
  InputAnswer answer = InputAnswer::kUnknown;
  std::string reason;  // what differs, or why it is not here; empty when the same
};

/// Looks here for those of a run: the worker as find_worker does by the setting `worker`, models and data where the
/// run's settings say. Hashes files whole; starts no worker and fetches nothing.
std::vector<BundleInput> find_inputs(const Context& context, const RunRecord& run, const std::string& worker);

}  // namespace transformeter
