// A snapshot may be part of a model: one that was broken off, or what another program needed of it.
#include "hub/resolve_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

bool is_present(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code);  // of a link, what it leads to
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (is_present(entry->path())) names.push_back(entry->path().filename().string());
  }
  return names;
}

bool has_weights(const fs::path& folder, const std::vector<std::string>& names) {
  if (is_present(folder / "model.safetensors")) return true;
  if (is_present(folder / kShardIndex)) {
    const fs::path index = folder / kShardIndex;
    const std::vector<std::string> shards = parse_shards(index.string(), read_file(index));
    return std::all_of(shards.begin(), shards.end(),
                       [&](const std::string& shard) { return is_present(folder / shard); });
  }
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.ends_with(".safetensors"); });
}

bool is_enough(const fs::path& folder, ModelParts parts) {
  const std::vector<std::string> names = names_in(folder);
  const bool has_words =
      std::any_of(names.begin(), names.end(), [](const std::string& name) { return is_vocabulary(name); });
  if (parts == ModelParts::kTokenizer) return has_words;
  // A model that reads images or sounds alone has no words.
  const bool has_inputs =
      has_words || is_present(folder / "preprocessor_config.json") || is_present(folder / "processor_config.json");
  return has_inputs && is_present(folder / "config.json") && has_weights(folder, names);
}

}  // namespace

std::optional<ModelReference> parse_model_reference(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  if (!is_repository_name(name) || is_present(text)) return std::nullopt;
  ModelReference reference;
  reference.repository = parse_repository(RepositoryType::kModel, name);
  if (at != std::string_view::npos) {
    reference.revision = text.substr(at + 1);
    check_revision(reference.revision);
  }
  return reference;
}

std::optional<ResolvedModel> cached_model(const HubCache& cache, const ModelReference& reference, ModelParts parts) {
  const auto commit = cache.commit_of(reference.repository, reference.revision);
  if (!commit) return std::nullopt;
  const fs::path folder = cache.snapshot(reference.repository, *commit);
  if (!is_enough(folder, parts)) return std::nullopt;
  return ResolvedModel{folder, *commit};
}

ResolvedModel resolve_model(HubApi& api, const ModelReference& reference, ModelParts parts, const Log& log,
                            const OnFetchProgress& on_progress) {
  const HubCache cache(api.options().cache);
  if (auto cached = cached_model(cache, reference, parts)) return *cached;
  const std::string& name = reference.repository.name;
  if (api.options().is_offline) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("model '{}' ({}) is not a local folder and not complete in the cache '{}', and HF_HUB_OFFLINE is "
                    "set. With network access, run: HF_HUB_OFFLINE=0 transformeter fetch {} --revision {}",
                    name, reference.revision, cache.root().string(), name, reference.revision));
  }
  log(LogLevel::kInfo,
      fmt::format("model '{}' is not a local folder and not complete in the cache; fetching it from {}", name,
                  api.options().endpoint));
  FetchOptions options;
  options.repository = reference.repository;
  options.revision = reference.revision;
  options.parts = parts;
  const FetchResult fetched = fetch(api, cache, options, on_progress);
  return {fetched.folder, fetched.commit};
}

}  // namespace transformeter
