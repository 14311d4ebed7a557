// The files that `profile` writes beside its tables.
#pragma once

#include <filesystem>
#include <string>

#include "schema/profile.h"

namespace transformeter {

/// Paths as they were given; empty: not asked for.
struct ProfileFiles {
  std::filesystem::path tables = {};       // of all cases together
  std::filesystem::path trace = {};        // Chrome's trace format, which Perfetto reads; the worker writes it
  std::filesystem::path stacks = {};       // collapsed stacks
  std::filesystem::path flame_graph = {};  // SVG

  /// Those of one case of several: "trace.json" becomes "trace-c01.json"; without tables.
  ProfileFiles of_case(const std::string& id) const;
};

/// Throws Error(kBadInput) where two are the same file, one is a folder or part of the store, and Error(kEnvironment)
/// where a folder cannot be written: before anything is measured.
void check_profile_files(const ProfileFiles& files, const std::filesystem::path& store);

/// Stacks and flame graph; each appears whole or not at all. Throws Error(kEnvironment).
void write_profile_files(const ProfileFiles& files, const Profile& profile, const std::string& title);

}  // namespace transformeter
