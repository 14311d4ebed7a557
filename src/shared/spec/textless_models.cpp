// By the family's name alone: what is wrong with a model, who opens it says.
#include "spec/textless_models.h"

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "spec/architecture.h"
#include "spec/presets.h"

namespace transformeter {

bool is_textless_model(const std::string& model) {
  std::string family;
  if (is_preset(model)) {
    family = preset(model).family();
  } else {
    const Json config = json_or_discarded(read_file_or_empty(std::filesystem::path(model) / "config.json"));
    if (!config.is_object() || !config.value("model_type", Json()).is_string()) return false;
    family = config.at("model_type");
  }
  const auto architecture = builtin_architectures().find(family);
  return architecture && !reads(*architecture, Modality::kText);
}

}  // namespace transformeter
