// Presets, paths, then the Hub.
#include "cli/find_tokenizer.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "cli/hub_connection.h"
#include "datasets/bundled_data.h"
#include "spec/presets.h"
#include "spec/textless_models.h"

namespace transformeter {

namespace fs = std::filesystem;

void check_reads_texts(const std::string& model) {
  if (!is_textless_model(model)) return;
  throw refused_value("model", model, "it reads no texts, and has no tokenizer", "Choose one that reads texts");
}

fs::path find_tokenizer(const std::string& model, const Context& context, const std::atomic<bool>& interrupt) {
  check_reads_texts(model);
  if (is_preset(model)) return bundled_vocabulary(context.data_directory);
  std::error_code code;
  if (fs::exists(model, code)) return model;
  if (const auto resolved = resolve_hub_model(context, interrupt, model, ModelParts::kTokenizer)) {
    return resolved->folder;
  }
  const auto near = nearest(model, preset_names());
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("model '{}' is not known; allowed: a preset, a tokenizer file or folder (tokenizer.json, vocab.txt, "
                  "vocab.json with merges.txt, or a sentencepiece .model), or a model on the Hub, org/name.{}",
                  model, near ? fmt::format(" Did you mean '{}'?", *near) : ""));
}

}  // namespace transformeter
