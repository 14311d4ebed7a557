// Small enough for a processor, large enough to be real.
#include "run/model_families.h"

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

struct ModelFamily {
  const char* name;
  const char* models;
};
constexpr ModelFamily kFamilies[] = {{"embedding", "distilbert-base,bert-small"},
                                     {"text_generation", "gpt2"},
                                     {"vision", "vit-small,deit-small"},
                                     {"audio", "wav2vec2-base,hubert-base"},
                                     {"multimodal", "clip-base"}};

}  // namespace

std::vector<std::string> model_families() {
  std::vector<std::string> names;
  for (const ModelFamily& family : kFamilies) names.emplace_back(family.name);
  return names;
}

std::string models_of_families(const std::string& families) {
  std::string models;
  for (const std::string& typed : split(families, ',')) {
    const std::string_view asked = trim(typed);
    const char* found = nullptr;
    for (const ModelFamily& family : kFamilies) {
      if (asked == family.name) found = family.models;
    }
    if (found == nullptr) throw unknown_value("model_families", asked, model_families());
    if (!models.empty()) models += ',';
    models += found;
  }
  return models;
}

}  // namespace transformeter
