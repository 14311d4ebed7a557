// From a model's name on the hub to a folder with its files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "hub/fetch.h"

namespace transformeter {

/// "org/name", or "org/name@REVISION".
struct ModelReference {
  Repository repository;
  std::string revision = "main";

  /// "org/name@COMMIT", which says for ever which files are meant.
  std::string pinned(const std::string& commit) const { return repository.name + "@" + commit; }
};

/// Nothing for what has not that form, and for what exists as a file or folder: such names keep their meaning.
std::optional<ModelReference> parse_model_reference(std::string_view text);

struct ResolvedModel {
  std::filesystem::path folder;
  std::string commit;
};

/// What the cache has of it, when that is enough: a vocabulary for kTokenizer; for kAll also config.json and all
/// weights.
std::optional<ResolvedModel> cached_model(const HubCache& cache, const ModelReference& reference, ModelParts parts);

/// The cache's, else fetched, which goes to `log`. Throws Error(kBadInput) that says what to do when it is not
/// cached and the hub is offline, and what fetch throws.
ResolvedModel resolve_model(HubApi& api, const ModelReference& reference, ModelParts parts, const Log& log,
                            const OnFetchProgress& on_progress);

}  // namespace transformeter
