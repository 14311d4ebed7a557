// List, select, make sure of the room, download, link.
#include "hub/fetch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/units.h"
#include "hub/download.h"
#include "hub/hub_errors.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::uint64_t file_size_or_0(const fs::path& file) {
  std::error_code code;
  const std::uintmax_t size = fs::file_size(file, code);
  return code ? 0 : static_cast<std::uint64_t>(size);
}

class Fetch {
 public:
  Fetch(HubApi& api, const HubCache& cache, const FetchOptions& options, const OnFetchProgress& on_progress)
      : api_(api), cache_(cache), options_(options), repository_(options.repository), on_progress_(on_progress) {}

  FetchResult run() {
    result_.commit = api_.commit_of(repository_, options_.revision);
    result_.folder = cache_.snapshot(repository_, result_.commit);
    listing_ = api_.list_files(repository_, result_.commit);
    if (repository_.type == RepositoryType::kDataset) cache_.store_listing(repository_, result_.commit, listing_);
    const std::vector<RepositoryFile> files = options_.choose ? chosen() : selected();
    make_folders(cache_.blob(repository_, "").parent_path());
    make_folders(cache_.lock(repository_, "").parent_path());
    check_room(files);
    for (const RepositoryFile& file : files) progress_.total_bytes += file.size;
    progress_.count = files.size();
    for (const RepositoryFile& file : files) bring(file);
    cache_.store_ref(repository_, options_.revision, result_.commit);
    return std::move(result_);
  }

 private:
  std::string title() const { return fmt::format("{} '{}'", name_of(repository_.type), repository_.name); }

  std::vector<RepositoryFile> chosen() const {
    std::vector<std::string> paths;
    for (const RepositoryFile& file : listing_) paths.push_back(file.path);
    const std::vector<std::string> wanted = options_.choose(paths);
    std::vector<RepositoryFile> files;
    std::copy_if(listing_.begin(), listing_.end(), std::back_inserter(files), [&](const RepositoryFile& file) {
      return std::find(wanted.begin(), wanted.end(), file.path) != wanted.end() && !is_pickle(file.path);
    });
    return files;
  }

  std::vector<RepositoryFile> selected() {
    const bool by_pattern = !options_.patterns.include.empty();
    const bool is_model = repository_.type == RepositoryType::kModel;
    std::vector<RepositoryFile> wanted;
    for (const RepositoryFile& file : listing_) {
      if (by_pattern && !matches_any(options_.patterns.include, file.path)) continue;
      if (matches_any(options_.patterns.exclude, file.path)) continue;
      if (!by_pattern && is_model && !is_model_description(file.path)) continue;
      if (!by_pattern && file.path == ".gitattributes") continue;
      (is_pickle(file.path) ? refused_ : wanted).push_back(file);
    }
    if (!by_pattern && is_model && options_.parts == ModelParts::kAll) add_weights(wanted);
    for (const RepositoryFile& file : refused_) result_.refused.push_back(file.path);
    if (wanted.empty()) throw nothing_selected();
    return wanted;
  }

  Error nothing_selected() const {
    if (!refused_.empty()) {
      return Error(ErrorKind::kBadInput,
                   fmt::format("{}: cannot fetch '{}': {}.", title(), refused_.front().path, pickle_reason()));
    }
    return Error(ErrorKind::kBadInput,
                 fmt::format("{} has {} files, none of which is selected{}", title(), listing_.size(),
                             options_.patterns.include.empty() ? "; --include selects others" : " by --include"));
  }

  void add_weights(std::vector<RepositoryFile>& wanted) {
    const auto is_wanted = [&](const RepositoryFile& file) {
      return !matches_any(options_.patterns.exclude, file.path);
    };
    std::vector<RepositoryFile> weights = weight_files(listing_, shards(wanted));
    if (weights.empty()) throw no_weights();
    std::copy_if(weights.begin(), weights.end(), std::back_inserter(wanted), is_wanted);
  }

  // The index is fetched ahead of the rest, since it says what the rest is.
  std::vector<std::string> shards(std::vector<RepositoryFile>& wanted) {
    const auto named = [&](std::string_view name) {
      return std::find_if(listing_.begin(), listing_.end(),
                          [&](const RepositoryFile& file) { return file.path == name; });
    };
    const auto index = named(kShardIndex);
    if (named("model.safetensors") != listing_.end() || index == listing_.end()) return {};
    constexpr std::uint64_t kLargestIndex = 256 << 20;
    if (index->size > kLargestIndex) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: {} of {} bytes is too large", title(), kShardIndex, index->size));
    }
    make_folders(cache_.blob(repository_, "").parent_path());
    make_folders(cache_.lock(repository_, "").parent_path());
    download(*index, {});
    wanted.push_back(*index);
    return parse_shards(fmt::format("{} of {}", kShardIndex, title()),
                        read_file(cache_.blob(repository_, index->hash)));
  }

  Error no_weights() const {
    const auto pickle =
        std::find_if(listing_.begin(), listing_.end(), [](const RepositoryFile& file) { return is_pickle(file.path); });
    if (pickle == listing_.end()) {
      return Error(ErrorKind::kBadInput,
                   fmt::format("{} has no weights: no *.safetensors among its {} files", title(), listing_.size()));
    }
    return Error(ErrorKind::kBadInput, fmt::format("{} only has weights in '{}': {}. Ask its owner for safetensors, or "
                                                   "look for a revision that has them (e.g. --revision refs/pr/1).",
                                                   title(), pickle->path, pickle_reason()));
  }

  bool is_there(const RepositoryFile& file) const {
    const fs::path blob = cache_.blob(repository_, file.hash);
    std::error_code code;
    return fs::is_regular_file(blob, code) && file_size_or_0(blob) == file.size;
  }

  void check_room(const std::vector<RepositoryFile>& files) const {
    std::uint64_t needed = 0;
    for (const RepositoryFile& file : files) {
      if (is_there(file)) continue;
      const std::uint64_t begun = file_size_or_0(incomplete_file(cache_.blob(repository_, file.hash)));
      needed += file.size - std::min(begun, file.size);
    }
    std::error_code code;
    const fs::space_info space = fs::space(cache_.root(), code);
    if (code || needed <= space.available) return;
    throw Error(ErrorKind::kEnvironment,
                fmt::format("{} needs {} more, but the disk of '{}' has only {} left. Free space, or set HF_HOME to a "
                            "folder on another disk.",
                            title(), format_bytes(static_cast<double>(needed)), cache_.root().string(),
                            format_bytes(static_cast<double>(space.available))));
  }

  void bring(const RepositoryFile& file) {
    ++progress_.number;
    progress_.file = file.path;
    const std::uint64_t before = progress_.done_bytes;
    const bool was_there = is_there(file);
    if (!was_there) {
      download(file, [&](std::uint64_t bytes) {
        progress_.done_bytes = before + bytes;
        if (on_progress_) on_progress_(progress_);
      });
    }
    progress_.done_bytes = before + file.size;
    cache_.link(repository_, result_.commit, file.path, file.hash);
    result_.files.push_back({file, was_there});
  }

  void download(const RepositoryFile& file, const BlobProgress& progress) {
    const FileLock lock(cache_.lock(repository_, file.hash), api_.http().settings().interrupt);
    if (is_there(file)) return;  // another program was faster
    BlobDownload wanted;
    wanted.request = api_.file_request(repository_, result_.commit, file.path);
    wanted.name = file.path;
    wanted.hash = file.hash;
    wanted.size = file.size;
    wanted.blob = cache_.blob(repository_, file.hash);
    const HttpResponse last = download_blob(api_.http(), wanted, progress);
    if (!last.is_success()) {
      throw hub_refusal(last, fmt::format("'{}' of {}", file.path, title()), repository_, api_.options());
    }
  }

  HubApi& api_;
  const HubCache& cache_;
  const FetchOptions& options_;
  const Repository& repository_;
  const OnFetchProgress& on_progress_;
  std::vector<RepositoryFile> listing_;
  std::vector<RepositoryFile> refused_;
  FetchProgress progress_;
  FetchResult result_;
};

}  // namespace

FetchResult fetch(HubApi& api, const HubCache& cache, const FetchOptions& options, const OnFetchProgress& on_progress) {
  check_revision(options.revision);
  if (api.options().is_offline) {
    throw Error(ErrorKind::kBadInput, "HF_HUB_OFFLINE is set, but fetch needs the network. Unset it.");
  }
  return Fetch(api, cache, options, on_progress).run();
}

}  // namespace transformeter
