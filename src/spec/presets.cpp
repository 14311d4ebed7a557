// One row per preset. Published sizes: Devlin et al. 2018 (arXiv:1810.04805), Turc et al. 2019 (arXiv:1908.08962) for
// bert-tiny … bert-medium, Sanh et al. 2019 (arXiv:1910.01108).
#include "spec/presets.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace transformeter {

namespace {

struct Preset {
  const char* name;
  Architecture architecture;
  std::int64_t num_layers;
  std::int64_t hidden_size;
  std::int64_t num_heads;
  std::int64_t intermediate_size;
  std::int64_t vocab_size;
  std::int64_t max_position_embeddings;
};

constexpr Preset kPresets[] = {
    {"bert-test", Architecture::kBert, 2, 64, 2, 128, 4096, 128},
    {"bert-tiny", Architecture::kBert, 2, 128, 2, 512, 30522, 512},
    {"bert-mini", Architecture::kBert, 4, 256, 4, 1024, 30522, 512},
    {"bert-small", Architecture::kBert, 4, 512, 8, 2048, 30522, 512},
    {"bert-medium", Architecture::kBert, 8, 512, 8, 2048, 30522, 512},
    {"bert-base", Architecture::kBert, 12, 768, 12, 3072, 30522, 512},
    {"bert-large", Architecture::kBert, 24, 1024, 16, 4096, 30522, 512},
    {"distilbert-test", Architecture::kDistilBert, 2, 64, 2, 128, 4096, 128},
    {"distilbert-tiny", Architecture::kDistilBert, 2, 128, 2, 512, 30522, 512},
    {"distilbert-base", Architecture::kDistilBert, 6, 768, 12, 3072, 30522, 512},
};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& row : kPresets) names.emplace_back(row.name);
  return names;
}

ModelConfig preset(std::string_view name) {
  for (const Preset& row : kPresets) {
    if (name != row.name) continue;
    ModelConfig config;
    config.architecture = row.architecture;
    config.num_layers = row.num_layers;
    config.hidden_size = row.hidden_size;
    config.num_heads = row.num_heads;
    config.intermediate_size = row.intermediate_size;
    config.vocab_size = row.vocab_size;
    config.max_position_embeddings = row.max_position_embeddings;
    if (row.architecture == Architecture::kDistilBert) {
      config.type_vocab_size = 0;
      config.classifier_dropout = 0.2;
      config.has_pooler = false;
      config.has_pre_classifier = true;
    }
    return config;
  }
  throw unknown_value("preset", name, preset_names());
}

bool is_preset(std::string_view name) {
  return std::any_of(std::begin(kPresets), std::end(kPresets), [&](const Preset& row) { return name == row.name; });
}

}  // namespace transformeter
