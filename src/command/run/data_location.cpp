// The cache is the only place looked into: fetching is the command's, before anything is planned.
#include "run/data_location.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "hub/hub_options.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

bool is_present(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code);
}

// "org/name" and what follows.
std::pair<std::string_view, std::string_view> parted(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos) return {text, {}};
  return {text.substr(0, second), text.substr(second + 1)};
}

}  // namespace

std::string DataReference::name() const {
  return path.empty() ? repository.name : repository.name + "/" + path;
}

std::optional<DataReference> parse_data_reference(std::string_view text) {
  constexpr std::string_view kDatasets = "datasets/";
  const std::size_t at = text.find('@');
  std::string_view whole = text.substr(0, at);
  // What is pinned to a commit is no path, whatever folders there are by now.
  const bool is_pinned = at != std::string_view::npos && is_commit(text.substr(at + 1));
  if (!is_pinned && (is_present(text) || is_present(whole.substr(0, whole.find('/'))))) return std::nullopt;
  if (whole.starts_with(kDatasets)) whole.remove_prefix(kDatasets.size());
  while (whole.ends_with('/')) whole.remove_suffix(1);
  const auto [name, path] = parted(whole);
  if (!is_repository_name(name) || (path.empty() && has_data_ending(name))) return std::nullopt;
  DataReference reference;
  reference.repository = parse_repository(RepositoryType::kDataset, name);
  reference.path = path;
  if (!path.empty()) check_repository_path(path, fmt::format("data '{}'", text));
  if (at != std::string_view::npos) {
    reference.revision = text.substr(at + 1);
    check_revision(reference.revision);
  }
  return reference;
}

DataParts choose_parts(const DataReference& reference, const std::vector<std::string>& paths,
                       const std::string& split) {
  if (reference.path.empty()) return choose_data_files(reference.name(), paths, split);
  if (std::find(paths.begin(), paths.end(), reference.path) != paths.end()) return {split, {reference.path}};
  const std::string folder = reference.path + "/";
  std::vector<std::string> inside;
  for (const std::string& path : paths) {
    if (path.starts_with(folder)) inside.push_back(path.substr(folder.size()));
  }
  if (inside.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("data set '{}' has no folder or file '{}' at revision {}",
                                                  reference.repository.name, reference.path, reference.revision));
  }
  DataParts parts = choose_data_files(reference.name(), inside, split);
  for (std::string& file : parts.files) file.insert(0, folder);
  return parts;
}

std::optional<DataLocation> cached_data(const HubCache& cache, const DataReference& reference, const std::string& split,
                                        bool trusts_snapshot) {
  const auto commit = cache.commit_of(reference.repository, reference.revision);
  if (!commit) return std::nullopt;
  const fs::path folder = cache.snapshot(reference.repository, *commit);
  std::vector<std::string> paths;
  if (const auto listing = cache.listing(reference.repository, *commit)) {
    for (const RepositoryFile& file : *listing) paths.push_back(file.path);
  } else if (trusts_snapshot && is_present(folder)) {
    paths = files_below(folder);
  } else {
    return std::nullopt;
  }
  const DataParts parts = choose_parts(reference, paths, split);
  const bool is_whole = std::all_of(parts.files.begin(), parts.files.end(),
                                    [&](const std::string& file) { return is_present(folder / file); });
  if (!is_whole) return std::nullopt;
  const fs::path path = reference.path.empty() ? folder : folder / reference.path;
  return DataLocation{path.string(), parts.split, *commit};
}

DataLocation locate_data(const std::string& data, const std::string& split) {
  const auto reference = parse_data_reference(data);
  if (!reference) return {data, split, ""};
  const HubCache cache(hub_options().cache);
  if (auto cached = cached_data(cache, *reference, split, true)) return *cached;
  throw Error(ErrorKind::kBadInput,
              fmt::format("data '{}' is not a file or folder, and not complete in the cache '{}'. Download it with: "
                          "transformeter fetch datasets/{} --revision {}",
                          data, cache.root().string(), reference->repository.name, reference->revision));
}

}  // namespace transformeter
