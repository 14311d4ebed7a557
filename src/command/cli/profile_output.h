// How `profile` prints what it found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compared_profiles.h"
#include "cli/profile_outcome.h"

namespace transformeter {

struct ProfileTableOptions {
  std::size_t rows = 15;             // of operators, and of merged modules, at most
  std::optional<std::size_t> depth;  // of module names; nothing: one row for each layer
  bool shows_memory = false;
};

/// Sentences, then tables of phases, modules, operators and counters.
std::string profile_text(const ProfileOutcome& outcome, const ProfileTableOptions& options);
/// How the pass and its parts differ: of phases all, of modules and operators those that changed most.
std::string comparison_text(const ProfileSummary& before, const ProfileSummary& after, std::size_t rows);
/// {"cases": [...]}, every row of every table; null what `recorded` leaves out.
std::string profile_json(const std::vector<ProfileOutcome>& outcomes, const ProfileOptions& recorded);
/// A line for each row of each table and each counter, with the case and the table's name; empty fields instead of
/// null.
std::string profile_csv(const std::vector<ProfileOutcome>& outcomes, const ProfileOptions& recorded);

}  // namespace transformeter
