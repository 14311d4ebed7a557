// A model folder, uploaded as one commit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hub/fetch.h"
#include "hub/hub_api.h"

namespace transformeter {

struct PushOptions {
  std::filesystem::path folder;
  Repository repository;
  std::string revision = "main";  // a branch
  std::string message = "Upload by transformeter";
  bool creates = false;     // makes the repository where there is none
  bool is_private = false;  // as it is made
};

enum class PushState { kUploaded, kWasThere, kInCommit, kIgnored };

/// "uploaded", "unchanged", "in the commit", "ignored".
std::string_view name_of(PushState state);

struct PushedFile {
  std::string path;
  std::uint64_t size = 0;
  PushState state = PushState::kInCommit;
};

struct PushResult {
  CommitAnswer commit;
  std::vector<PushedFile> files;  // by path
};

/// The files that a push of `folder` takes: all, links to files followed, but nothing whose name or folder's name
/// begins with a dot, except .gitattributes. Throws Error(kBadInput) when it is no model folder (no config.json), holds
/// a pickle, or a name that a repository cannot have.
std::vector<PushedFile> files_to_push(const std::filesystem::path& folder);

/// Large files go to the hub's storage first, those that it has already are not sent again, so that an upload that
/// broke off goes on; then one commit names them all. Files of the repository that the folder lacks stay. Throws
/// Error(kBadInput) without a token, offline, for what files_to_push refuses and what the hub refuses;
/// Error(kEnvironment) for a network or hub that fails; Error(kInterrupted).
PushResult push(HubApi& api, const PushOptions& options, const OnFetchProgress& on_progress);

}  // namespace transformeter
