// Opening folders as Transformers writes them.
#include "spec/checkpoint.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/error.h"

namespace transformeter {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// File names in `folder` that end in `extension`; an unreadable folder has none.
std::vector<std::string> files_with(const fs::path& folder, std::string_view extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == extension && is_file(it->path())) names.push_back(it->path().filename().string());
  }
  return names;
}

fs::path find_weights(const fs::path& folder) {
  fs::path usual = folder / "model.safetensors";
  if (is_file(usual)) return usual;
  if (is_file(folder / "model.safetensors.index.json")) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} holds a checkpoint in several files (model.safetensors.index.json), which is not "
                            "supported; save it with a larger max_shard_size.",
                            folder.string()));
  }
  const std::vector<std::string> names = files_with(folder, ".safetensors");
  if (names.size() == 1) return folder / names.front();
  if (names.size() > 1) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} holds {} *.safetensors files and none is model.safetensors.",
                                                  folder.string(), names.size()));
  }
  const std::vector<std::string> pickled = files_with(folder, ".bin");
  if (!pickled.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} holds pickled weights only ({}), which are not read because unpickling runs code; "
                            "convert them to model.safetensors.",
                            folder.string(), pickled.front()));
  }
  throw Error(ErrorKind::kBadInput, fmt::format("{} holds no model.safetensors.", folder.string()));
}

}  // namespace

Checkpoint open_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is no folder; a checkpoint is a folder with config.json and "
                                                  "model.safetensors.",
                                                  folder.string()));
  }
  const fs::path config_file = folder / "config.json";
  const std::string config_text = read_file(config_file);
  ModelConfig config = parse_model_config(parse_json(config_file.string(), config_text), config_file.string());
  fs::path weights_file = find_weights(folder);
  MappedFile weights(weights_file);
  SafetensorsEntries entries = parse_safetensors_header(weights.bytes(), weights_file.string());
  return {folder, std::move(weights_file), std::move(config), std::move(weights), std::move(entries)};
}

void check_task(const Checkpoint& checkpoint, std::string_view task) {
  const auto saved = task_of(checkpoint.config);
  if (!saved || *saved == task) return;
  // Both heads store classifier.weight and classifier.bias; every other pair differs by name.
  const auto has_classifier = [](std::string_view name) {
    return name == "sequence_classification" || name == "token_classification";
  };
  if (has_classifier(*saved) && has_classifier(task)) {
    throw bad_value("task", task, fmt::format("{} was saved for {}", checkpoint.folder.string(), *saved));
  }
}

}  // namespace transformeter
