// How `profile` and `profiles` print what was found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compared_profiles.h"
#include "store/profile_store.h"

namespace transformeter {

struct ProfileTableOptions {
  std::size_t rows = 15;             // of operators, and of merged modules, at most
  std::optional<std::size_t> depth;  // of module names; nothing: one row for each layer
};

/// Sentences, then tables of phases, modules, operators and counters; of a case that failed, why.
std::string profile_text(const ProfileRecord& record, const ProfileTableOptions& options);
/// How the pass and its parts differ: of phases all, of modules and operators those that changed most.
std::string comparison_text(const ProfileSummary& before, const ProfileSummary& after, std::size_t rows);
/// Format "table": profile_text of each. "json": {"id": ..., "cases": [...]}, every row of every table; null what was
/// not recorded. "csv": a line for each row of each table and each counter, with the case and the table's name; empty
/// fields instead of null.
std::string profiles_text(const std::vector<ProfileRecord>& records, const std::string& format,
                          const ProfileTableOptions& options);

}  // namespace transformeter
