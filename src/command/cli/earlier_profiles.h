// What `profile --against` compares with: a file, or profiles of the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/compared_profiles.h"
#include "base/log.h"

namespace transformeter {

/// The profiles that are ok in what `against` names: a file as `profile -o FILE.json` writes it, if there is one of
/// that name or it ends in .json; else one command's profiles in the store, as ProfileStore::load finds them. Throws
/// Error(kBadInput) that names --against, also where none is ok.
std::vector<ProfileSummary> earlier_profiles(const std::string& against, const std::filesystem::path& store,
                                             const Log& log);

/// The one of the same work and label, else the first of the same work; null: none is.
const ProfileSummary* base_of(const ProfileSummary& now, const std::vector<ProfileSummary>& bases);

}  // namespace transformeter
