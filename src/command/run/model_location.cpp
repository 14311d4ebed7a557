// The cache is the only place looked into: fetching is the command's, before anything is planned.
#include "run/model_location.h"

#include <fmt/format.h>

#include "base/error.h"
#include "hub/hub_options.h"
#include "spec/presets.h"

namespace transformeter {

ModelLocation locate_model(const std::string& model) {
  if (is_preset(model)) return {model, std::nullopt};
  auto reference = parse_model_reference(model);
  if (!reference) return {model, std::nullopt};
  const HubCache cache(hub_options().cache);
  const auto cached = cached_model(cache, *reference, ModelParts::kAll);
  if (!cached) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("model '{}' is not a preset or a folder, and not complete in the cache '{}'. Download it "
                            "with: transformeter fetch {} --revision {}",
                            model, cache.root().string(), reference->repository.name, reference->revision));
  }
  reference->revision = cached->commit;
  return {cached->folder.string(), std::move(reference)};
}

}  // namespace transformeter
