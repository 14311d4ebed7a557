// Writes a run of a store as a bundle.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/clock.h"
#include "bundle/bundle.h"
#include "store/store.h"

namespace transformeter {

struct WriteBundleOptions {
  std::string selector;                 // of the run, see RunQuery
  bool replaces = false;                // an older bundle of that name
  std::function<void()> check = [] {};  // called now and then; may throw to stop
};

/// The folder appears whole or not at all, with missing folders above it. Throws Error(kBadInput) where it exists and
/// is not to be replaced, or is no bundle or holds other files, for a run that cannot be replayed, and as
/// Store::load_run; Error(kEnvironment) where it cannot be written.
BundleManifest write_bundle(Store& store, const Clock& clock, const std::filesystem::path& bundle,
                            const WriteBundleOptions& options);

}  // namespace transformeter
