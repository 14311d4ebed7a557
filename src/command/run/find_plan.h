// Finds a plan: a user's file or a bundled plan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace transformeter {

/// The names of the plans in `data_directory`/plans, sorted: "padding-sweep".
std::vector<std::string> bundled_plans(const std::filesystem::path& data_directory);

/// `plan` itself where there is such a file, or where it cannot be a name because of a dot or a slash; else the bundled
/// plan of that name; else a folder of that name. Throws Error(kBadInput) with the bundled names where it is none.
std::filesystem::path find_plan(const std::filesystem::path& data_directory, const std::string& plan);

}  // namespace transformeter
