// A repository's wanted files, brought into the cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hub/hub_api.h"
#include "hub/hub_cache.h"
#include "hub/selection.h"

namespace transformeter {

/// What of a model is wanted when no pattern says so.
enum class ModelParts { kAll, kTokenizer };

struct FetchOptions {
  Repository repository;
  std::string revision = "main";
  Patterns patterns;
  ModelParts parts = ModelParts::kAll;
  /// Those that are wanted of all paths of a data set, in place of patterns; null: the patterns do.
  std::function<std::vector<std::string>(const std::vector<std::string>& paths)> choose;
};

struct FetchedFile {
  RepositoryFile file;
  bool was_cached = false;
};

struct FetchResult {
  std::string commit;
  std::filesystem::path folder;  // snapshots/COMMIT: a model folder
  std::vector<FetchedFile> files;
  std::vector<std::string> refused;  // pickles that were asked for by a pattern
};

struct FetchProgress {
  std::string file;
  std::size_t number = 0;  // of the file, from 1
  std::size_t count = 0;   // of files
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  // of all files
};
using OnFetchProgress = std::function<void(const FetchProgress&)>;

/// Files that are there are not asked for again; a download that broke off is taken up. Several programs may fetch the
/// same at once. A model needs weights in safetensors, a data set is taken whole unless options.choose says otherwise,
/// and its listing is kept; pickles are never taken. The revision's name is stored last, so that it stands for all that
/// was asked for. Throws Error(kBadInput) for what the hub does not have
/// or does not give, hostile names, a model of pickles alone, and patterns that select nothing; Error(kEnvironment) for
/// a network, hub or disk that fails, or too little room; Error(kInterrupted). What came is kept.
FetchResult fetch(HubApi& api, const HubCache& cache, const FetchOptions& options, const OnFetchProgress& on_progress);

}  // namespace transformeter
