// A family without `draw` and `inventory`.
#include "spec/foreign_architecture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {

namespace {

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", kMaxVocabulary, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", kMaxWidth);
  config.num_layers = reader.integer("num_hidden_layers", 1, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 1);
  config.max_length = reader.integer("max_position_embeddings", kMaxPositions, 1, kMaxPositions);
}

}  // namespace

Json described_architecture(const Architecture& architecture) {
  Json presets = Json::array();
  for (const Preset& preset : architecture.presets)
    presets.push_back({{"name", preset.name}, {"config", preset.config}});
  return {{"family", architecture.family}, {"tasks", tasks_of(architecture)}, {"presets", presets}};
}

Architecture foreign_architecture(const Json& described) {
  try {
    Architecture architecture;
    described.at("family").get_to(architecture.family);
    for (const auto& task : described.at("tasks").get<std::vector<std::string>>()) {
      const auto known = find_task(task);
      if (!known) throw Error(ErrorKind::kProtocol, fmt::format("the worker described an unknown task '{}'", task));
      const HeadKind head = head_of(*known);
      if (std::find(architecture.heads.begin(), architecture.heads.end(), head) == architecture.heads.end()) {
        architecture.heads.push_back(head);
      }
    }
    for (const Json& preset : described.at("presets")) {
      architecture.presets.push_back({preset.at("name").get<std::string>(), preset.at("config")});
    }
    architecture.read = read;
    return architecture;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("the worker described a model family in an unexpected format: {}", error.what()));
  }
}

bool is_foreign(const Architecture& architecture) {
  return !architecture.draw && !architecture.inventory;
}

}  // namespace transformeter
