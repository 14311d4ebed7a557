// What `profile` and `profiles` do alike with what was found: options, tables and files.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/declaration.h"
#include "cli/profile_files.h"
#include "cli/profile_output.h"

namespace transformeter {

class ProfileView {
 public:
  /// -o, --flame-graph, --stacks, --memory-plot, --depth and --top, with targets in this object. `memory_plot_help`
  /// says where the memory comes from.
  std::vector<OptionDeclaration> options(const char* memory_plot_help);
  /// Throws Error(kBadInput) for a number out of range, and for a file of tables with another ending.
  void check() const;

  /// The files that were asked for, `trace` among them.
  ProfileFiles files(const std::filesystem::path& trace = {}) const;
  ProfileTableOptions table_options() const;
  bool draws_memory() const { return !memory_plot_.empty(); }
  /// The first of these options, in the order above, that was given; empty: none was.
  std::string first_given() const;
  /// The first of the options that write a file for each case; empty: none was given.
  std::string picture_given() const;

  /// The file of -o, where it was asked for. Throws Error(kEnvironment).
  void write_tables(const std::vector<ProfileRecord>& records) const;
  /// Writes the files of one case to `places`; nothing where it has no profile. Throws as write_profile_files, and
  /// Error(kInterrupted) when `interrupt` becomes true meanwhile.
  static void write_files(const ProfileRecord& record, const ProfileFiles& places, const std::atomic<bool>& interrupt);

 private:
  std::string tables_, flame_graph_, stacks_, memory_plot_;
  std::optional<std::int64_t> depth_, top_;
};

}  // namespace transformeter
