// The cache on disk, as Python's huggingface_hub lays it out: CACHE/models--org--name/ with
//   blobs/HASH               the bytes of files, each once
//   refs/REVISION            the commit that a branch or tag stood for when it was last asked
//   snapshots/COMMIT/PATH    relative links to blobs, under the names that the repository has
//   listings/COMMIT.json     of a data set, all files that the repository has; ours alone
// and CACHE/.locks/models--org--name/HASH.lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hub/hub_answers.h"
#include "hub/repository.h"

namespace transformeter {

class HubCache {
 public:
  explicit HubCache(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path folder(const Repository& repository) const;
  std::filesystem::path blob(const Repository& repository, const std::string& hash) const;
  std::filesystem::path lock(const Repository& repository, const std::string& hash) const;
  std::filesystem::path snapshot(const Repository& repository, const std::string& commit) const;

  /// A commit as it is; else what refs/ says, or nothing.
  std::optional<std::string> commit_of(const Repository& repository, const std::string& revision) const;
  /// Nothing for a commit, which needs no name. Throws Error(kEnvironment).
  void store_ref(const Repository& repository, const std::string& revision, const std::string& commit) const;
  /// All files of a commit, as store_listing kept them; nothing where it did not. Throws Error(kBadInput) for a file
  /// that is no listing.
  std::optional<std::vector<RepositoryFile>> listing(const Repository& repository, const std::string& commit) const;
  /// Throws Error(kEnvironment).
  void store_listing(const Repository& repository, const std::string& commit,
                     const std::vector<RepositoryFile>& files) const;
  /// Lets snapshots/COMMIT/PATH be the blob, whatever stood there. `path` was checked by check_repository_path. Throws
  /// Error(kEnvironment).
  void link(const Repository& repository, const std::string& commit, const std::string& path,
            const std::string& hash) const;

 private:
  std::filesystem::path listing_file(const Repository& repository, const std::string& commit) const;

  std::filesystem::path root_;
};

/// Throws Error(kEnvironment).
void make_folders(const std::filesystem::path& folder);

}  // namespace transformeter
