// Everything is put in place by a rename, so that programs beside this one see it whole.
#include "hub/hub_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "hub/download.h"

namespace transformeter {

namespace fs = std::filesystem;

void make_folders(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("cannot create the folder '{}': {}; HF_HOME or HF_HUB_CACHE set the cache's location",
                            folder.string(), code.message()));
  }
}

namespace {

std::string folder_name(const Repository& repository) {
  return fmt::format("{}s--{}", name_of(repository.type), fmt::join(split(repository.name, '/'), "--"));
}

}  // namespace

fs::path HubCache::folder(const Repository& repository) const {
  return root_ / folder_name(repository);
}

fs::path HubCache::blob(const Repository& repository, const std::string& hash) const {
  return folder(repository) / "blobs" / hash;
}

fs::path HubCache::lock(const Repository& repository, const std::string& hash) const {
  return root_ / ".locks" / folder_name(repository) / (hash + ".lock");
}

fs::path HubCache::snapshot(const Repository& repository, const std::string& commit) const {
  return folder(repository) / "snapshots" / commit;
}

std::optional<std::string> HubCache::commit_of(const Repository& repository, const std::string& revision) const {
  if (is_commit(revision)) return revision;
  check_revision(revision);
  const std::string commit(trim(read_file_or_empty(folder(repository) / "refs" / revision)));
  if (!is_commit(commit)) return std::nullopt;
  return commit;
}

void HubCache::store_ref(const Repository& repository, const std::string& revision, const std::string& commit) const {
  if (is_commit(revision) || commit_of(repository, revision) == commit) return;
  const fs::path file = folder(repository) / "refs" / revision;
  make_folders(file.parent_path());
  write_file_atomically(file, commit);
}

fs::path HubCache::listing_file(const Repository& repository, const std::string& commit) const {
  return folder(repository) / "listings" / (commit + ".json");
}

std::optional<std::vector<RepositoryFile>> HubCache::listing(const Repository& repository,
                                                             const std::string& commit) const {
  const fs::path file = listing_file(repository, commit);
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return std::nullopt;
  return parse_tree_page(file.string(), read_file(file));
}

// In the form in which the hub answers.
void HubCache::store_listing(const Repository& repository, const std::string& commit,
                             const std::vector<RepositoryFile>& files) const {
  Json listing = Json::array();
  for (const RepositoryFile& file : files) {
    Json entry = {{"type", "file"}, {"path", file.path}, {"size", file.size}};
    if (file.hash.size() == kSha256Digits) {
      entry["lfs"] = {{"oid", file.hash}, {"size", file.size}};
    } else {
      entry["oid"] = file.hash;
    }
    listing.push_back(std::move(entry));
  }
  const fs::path file = listing_file(repository, commit);
  make_folders(file.parent_path());
  write_file_atomically(file, listing.dump());
}

void HubCache::link(const Repository& repository, const std::string& commit, const std::string& path,
                    const std::string& hash) const {
  const fs::path place = snapshot(repository, commit) / path;
  fs::path target = fs::path("../..") / "blobs" / hash;
  for (const char c : path) {
    if (c == '/') target = ".." / target;
  }
  std::error_code code;
  if (fs::read_symlink(place, code) == target && !code) return;
  make_folders(place.parent_path());
  const fs::path temporary = place.parent_path() / fmt::format(".link-{}", ::getpid());
  fs::remove(temporary, code);
  fs::create_symlink(target, temporary, code);
  if (!code) fs::rename(temporary, place, code);
  if (code) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot link '{}': {}", place.string(), code.message()));
  }
}

}  // namespace transformeter
