// Small enough for a processor, large enough to be real.
#include "run/model_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

struct ModelFamily {
  const char* name;
  const char* models;
};
constexpr ModelFamily kFamilies[] = {
    {"embedding", "distilbert-base,bert-small"}, {"text_generation", "gpt2"},
    {"text2text_generation", "t5-small"},        {"vision", "vit-small,deit-small"},
    {"audio", "wav2vec2-base,hubert-base"},      {"multimodal", "clip-base,siglip-base"}};

constexpr const char* kAllFamilies = "all";

const char* models_of_family(std::string_view name) {
  for (const ModelFamily& family : kFamilies) {
    if (name == family.name) return family.models;
  }
  throw unknown_value("model_families", name, model_families());
}

std::string models_of_all() {
  std::vector<std::string> models;
  for (const ModelFamily& family : kFamilies) models.emplace_back(family.models);
  return fmt::format("{}", fmt::join(models, ","));
}

}  // namespace

std::vector<std::string> model_families() {
  std::vector<std::string> names;
  for (const ModelFamily& family : kFamilies) names.emplace_back(family.name);
  names.emplace_back(kAllFamilies);
  return names;
}

std::string models_of_families(const std::string& families) {
  if (trim(families) == kAllFamilies) return models_of_all();
  std::vector<std::string> models;
  for (const std::string& typed : split(families, ',')) {
    const std::string_view name = trim(typed);
    if (name == kAllFamilies) {
      throw bad_value("model_families", families, "'all' by itself, or a list of families",
                      "Omit the others: 'all' includes them.");
    }
    models.emplace_back(models_of_family(name));
  }
  return fmt::format("{}", fmt::join(models, ","));
}

}  // namespace transformeter
