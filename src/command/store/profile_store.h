// Profiles that `profile` made, kept in a store's file beside the runs. They are this file's own, no part of an export
// or a merge.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/log.h"
#include "schema/profile.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {

/// One case of a `profile` command, with all that its tables are computed from.
struct ProfileRecord {
  std::string id;              // of the command's start, which its cases share: "20261121-015354-3fa9c1"
  std::string name;            // may be empty
  std::string started_at;      // of the command; ISO 8601, UTC
  Json host = Json::object();  // environment, as that of a run
  std::string case_id;         // unique beside the id: "c01"
  std::string label;           // its settings in short
  Json requested = Json::object();
  Json effective = Json::object();  // with `peaks`, as that of a run's case; empty where it failed
  Json workload = Json::object();   // described by content; with `requested` it makes a plan_key
  ProfileOptions recorded = {};     // without a trace's file
  Status status = Status::kOk;
  std::string reason = {};              // why it has no profile
  std::optional<Profile> profile = {};  // of one that is ok

  bool is_ok() const { return status == Status::kOk; }
};

/// What a user calls the latest profile.
inline constexpr std::string_view kLatestProfile = "latest";

/// Errors and threads as Store.
class ProfileStore {
 public:
  virtual ~ProfileStore() = default;

  /// In one transaction. Throws Error(kBadInput) when there is one of that id and case.
  virtual void keep(const ProfileRecord& record) = 0;

  /// Whether a command of that name has kept one; of damaged ones, too.
  virtual bool has_name(std::string_view name) = 0;

  /// All of them, the latest command first and its cases in order, without `profile`.
  virtual std::vector<ProfileRecord> list() = 0;

  /// The profile that `list` left out; nothing for a record that is not ok, or is not there.
  virtual std::optional<Profile> profile_of(const ProfileRecord& record) = 0;

  /// The cases of one command, whole: `selector` is an id, a name (the latest of that name), or the beginning of one
  /// id; empty, or kLatestProfile: the latest command with a case that is ok, else the latest. Throws Error(kBadInput)
  /// as Store::visit, and for a damaged profile, which is named.
  virtual std::vector<ProfileRecord> load(std::string_view selector) = 0;
};

/// Errors and `log` as open_store's.
std::unique_ptr<ProfileStore> open_profile_store(const std::filesystem::path& path, StoreMode mode,
                                                 const Log& log = {});

}  // namespace transformeter
