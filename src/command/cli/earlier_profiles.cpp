// A name without an ending is a stored profile's, unless a file has it.
#include "cli/earlier_profiles.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "schema/status.h"
#include "store/profile_store.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

bool names_file(const std::string& against) {
  std::error_code ignored;
  const fs::file_status status = fs::status(against, ignored);
  return against.ends_with(".json") || (fs::exists(status) && !fs::is_directory(status));
}

std::vector<ProfileSummary> profiles_in_file(const std::string& path) {
  std::vector<ProfileSummary> profiles;
  try {
    const Json file = parse_json(path, read_file(path));
    for (const Json& one : file.at("cases")) {
      if (one.at("status").get<std::string>() == name_of(Status::kOk)) profiles.push_back(profile_summary_from(one));
    }
  } catch (const Json::exception&) {
    throw refused_value("against", path, "it is no profile as -o FILE.json writes it");
  } catch (const Error& error) {
    throw refused_value("against", path, error.what());
  }
  return profiles;
}

std::vector<ProfileSummary> stored_profiles(const std::string& selector, const fs::path& store, const Log& log) {
  std::vector<ProfileSummary> profiles;
  try {
    for (const ProfileRecord& one : open_profile_store(store, StoreMode::kRead, log)->load(selector)) {
      if (one.profile) profiles.push_back(profile_summary(one.label, one.requested, *one.profile));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw bad_value("against", selector, "a stored profile, or a file whose name ends in .json", error.what());
  }
  return profiles;
}

}  // namespace

std::vector<ProfileSummary> earlier_profiles(const std::string& against, const fs::path& store, const Log& log) {
  std::vector<ProfileSummary> earlier =
      names_file(against) ? profiles_in_file(against) : stored_profiles(against, store, log);
  if (earlier.empty()) throw refused_value("against", against, "it holds no profile that is ok");
  return earlier;
}

const ProfileSummary* base_of(const ProfileSummary& now, const std::vector<ProfileSummary>& bases) {
  const ProfileSummary* first = nullptr;
  for (const ProfileSummary& base : bases) {
    if (!is_same_work(base, now)) continue;
    if (base.label == now.label) return &base;
    if (first == nullptr) first = &base;
  }
  return first;
}

}  // namespace transformeter
