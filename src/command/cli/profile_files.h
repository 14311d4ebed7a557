// The files that `profile` writes beside its tables.
#pragma once

#include <filesystem>
#include <string>

#include "report/report_tool.h"
#include "schema/profile.h"

namespace transformeter {

/// Paths as they were given; empty: not asked for.
struct ProfileFiles {
  std::filesystem::path tables = {};       // of all cases together
  std::filesystem::path trace = {};        // Chrome's trace format, which Perfetto reads; the worker writes it
  std::filesystem::path stacks = {};       // collapsed stacks
  std::filesystem::path flame_graph = {};  // SVG
  std::filesystem::path memory_plot = {};  // SVG, PNG or PDF

  /// Those of one case of several: "trace.json" becomes "trace-c01.json"; without tables.
  ProfileFiles of_case(const std::string& id) const;
};

/// Throws Error(kBadInput) where two are the same file, one is a folder or part of the store, or a plot has no known
/// ending, and Error(kEnvironment) where a folder cannot be written or gnuplot is missing: before anything is measured.
void check_profile_files(const ProfileFiles& files, const std::filesystem::path& store);

/// All but tables and trace; each appears whole or not at all. Throws Error(kEnvironment), and what `drawing` throws
/// while it waits.
void write_profile_files(const ProfileFiles& files, const Profile& profile, const std::string& title,
                         const ToolOptions& drawing);

}  // namespace transformeter
