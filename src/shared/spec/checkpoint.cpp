// Opening folders as Transformers writes them.
#include "spec/checkpoint.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "spec/generation_settings.h"
#include "spec/sentence_settings.h"

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
  std::sort(names.begin(), names.end());
  return names;
}

// For a whole model in one file; the command does not run the file's code, and writes tensors that share memory once
// each.
std::string conversion_of(const std::vector<std::string>& pickled) {
  if (std::find(pickled.begin(), pickled.end(), "pytorch_model.bin") == pickled.end()) {
    return "To convert them, load the model with Transformers and save it again.";
  }
  return "To convert them, in that folder: python3 -c \"import torch; from safetensors.torch import save_file; "
         "save_file({name: tensor.clone() for name, tensor in torch.load('pytorch_model.bin', 'cpu', "
         "weights_only=True).items()}, 'model.safetensors', {'format': 'pt'})\"";
}

// What PEFT writes: changes to another model's weights, which Transformers adds to them where PEFT is installed.
void refuse_adapter(const fs::path& folder) {
  const fs::path path = folder / "adapter_config.json";
  if (!is_file(path)) return;
  const Json adapter = parse_json(path.string(), read_file(path));
  const Json base = adapter.is_object() ? adapter.value("base_model_name_or_path", Json()) : Json();
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("{} has an adapter (adapter_config.json), as LoRA trains it: changes to the weights of {}, which "
                  "are not added here. Merge the two with PEFT first: "
                  "PeftModel.from_pretrained(...).merge_and_unload().save_pretrained(FOLDER). Fine-tunings with "
                  "--merge-adapter write whole models.",
                  folder.string(), base.is_string() ? base.get<std::string>() : "another model"));
}

// As early versions of sentence-transformers saved them; the config.json of the folder itself describes no model then.
void refuse_inner_model(const fs::path& folder) {
  const fs::path path = folder / "modules.json";
  if (!is_file(path)) return;
  const Json modules = parse_json(path.string(), read_file(path));
  if (!modules.is_array() || modules.empty() || !modules.front().is_object()) return;
  const Json inner = modules.front().value("path", Json());
  if (!inner.is_string() || inner.get_ref<const std::string&>().empty()) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{} keeps its model in the folder '{}' (modules.json), which is not supported. Load it with "
                          "sentence-transformers 3 or newer and save it again.",
                          folder.string(), inner.get<std::string>()));
}

std::string weights_by_other_names(const fs::path& folder) {
  const std::vector<std::string> names = files_with(folder, ".safetensors");
  if (names.size() == 1) return names.front();
  if (names.size() > 1) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} has {} *.safetensors files, but no model.safetensors.", folder.string(), names.size()));
  }
  const std::vector<std::string> pickled = files_with(folder, ".bin");
  if (!pickled.empty()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("{} only has pickled weights ({}), which are not read because unpickling runs code. {}",
                    folder.string(), excerpt(fmt::format("{}", fmt::join(pickled, ", "))), conversion_of(pickled)));
  }
  throw Error(ErrorKind::kBadInput, fmt::format("{} has no model.safetensors.", folder.string()));
}

// The index of a checkpoint in several files: {"weight_map": {TENSOR: FILE}}.
using WeightMap = std::map<std::string, std::string>;

WeightMap read_index(const fs::path& path) {
  const Json index = parse_json(path.string(), read_file(path));
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object() || map->empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} has no \"weight_map\" from tensors to files.", path.string()));
  }
  WeightMap files;
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    // The files lie beside the index; a path would read from elsewhere.
    if (name.empty() || fs::path(name).filename() != name) {
      throw bad_value(fmt::format("{}: tensor '{}': file", path.string(), tensor), name, "a file name without a path");
    }
    files[tensor] = name;
  }
  return files;
}

/// The names of the weights' files, and where an index puts each tensor; empty without one.
std::vector<std::string> weight_files(const fs::path& folder, WeightMap& map) {
  if (is_file(folder / "model.safetensors")) return {"model.safetensors"};
  const fs::path index = folder / "model.safetensors.index.json";
  if (!is_file(index)) return {weights_by_other_names(folder)};
  map = read_index(index);
  std::set<std::string> names;
  for (const auto& [tensor, file] : map) names.insert(file);
  for (const std::string& name : names) {
    if (is_file(folder / name)) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("{0} is missing; it is one of {2} files listed in {1}.",
                                                  (folder / name).string(), index.filename().string(), names.size()));
  }
  return {names.begin(), names.end()};
}

// The tensors of a module of sentence-transformers, under the names that SentenceSettings gives them.
void add_dense(Checkpoint& checkpoint) {
  const fs::path path = dense_weights(checkpoint.folder, checkpoint.config.sentence);
  if (path.empty()) return;
  if (!is_file(path)) {
    checkpoint.config.sentence.refusal = fmt::format("{} is missing, which a Dense module needs", path.string());
    return;
  }
  MappedFile mapping(path);
  const std::string prefix = checkpoint.config.sentence.dense_folder + ".";
  for (auto& [tensor, entry] : parse_safetensors_header(mapping.bytes(), path.string())) {
    SafetensorsEntry placed = entry;
    placed.file = checkpoint.files.size();
    checkpoint.entries.emplace(prefix + tensor, std::move(placed));
  }
  checkpoint.files.push_back({path, std::move(mapping)});
}

void add_file(Checkpoint& checkpoint, const std::string& name, const WeightMap& map) {
  const fs::path path = checkpoint.folder / name;
  MappedFile mapping(path);
  for (auto& [tensor, entry] : parse_safetensors_header(mapping.bytes(), path.string())) {
    const auto place = map.find(tensor);
    if (!map.empty() && (place == map.end() || place->second != name)) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} contains a tensor '{}' that model.safetensors.index.json {}.", path.string(), tensor,
                              place == map.end() ? "does not list" : fmt::format("assigns to {}", place->second)));
    }
    SafetensorsEntry placed = entry;
    placed.file = checkpoint.files.size();
    checkpoint.entries.emplace(tensor, std::move(placed));
  }
  checkpoint.files.push_back({path, std::move(mapping)});
}

void check_complete(const Checkpoint& checkpoint, const WeightMap& map) {
  for (const auto& [tensor, file] : map) {
    if (checkpoint.entries.count(tensor) > 0) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} has no tensor '{}', although model.safetensors.index.json assigns it there.",
                            (checkpoint.folder / file).string(), tensor));
  }
}

}  // namespace

Checkpoint open_checkpoint(const fs::path& folder, const Architectures& architectures) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is not a folder; a checkpoint is a folder with config.json and "
                                                  "model.safetensors.",
                                                  folder.string()));
  }
  refuse_adapter(folder);
  refuse_inner_model(folder);
  const fs::path config_file = folder / "config.json";
  const std::string config_text = read_file(config_file);
  ModelConfig config =
      parse_model_config(parse_json(config_file.string(), config_text), config_file.string(), architectures);
  config.sentence = read_sentence_settings(folder);
  if (config.architecture->pools_itself && is_file(folder / "modules.json")) {
    config.sentence.refusal = fmt::format("{}: modules of sentence-transformers are not supported with family '{}'",
                                          (folder / "modules.json").string(), config.family());
  }
  // Chat models name further end tokens there.
  config.generation = read_generation_settings(folder, config.source);
  if (config.generation.ends) config.eos_token_ids = *config.generation.ends;
  Checkpoint checkpoint{folder, std::move(config), {}, {}};
  WeightMap map;
  for (const std::string& name : weight_files(folder, map)) add_file(checkpoint, name, map);
  check_complete(checkpoint, map);
  add_dense(checkpoint);
  checkpoint.config.has_own_decoder = has_own_decoder(checkpoint);
  return checkpoint;
}

// draw_blueprint would take config.json's token in silence where that of generation_config.json is none.
void check_decoder_start(const Checkpoint& checkpoint, Task task) {
  const ModelConfig& config = checkpoint.config;
  if (task != Task::kSeq2SeqLm || !config.architecture->draw) return;
  check_start_token(checkpoint.folder, config.source, config.vocab_size);
  const std::optional<DecoderSpec> decoder = draw_blueprint(config, task).decoder;
  if (!decoder || decoder->start_token) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{} does not say with which token the decoder begins; add decoder_start_token_id, a whole "
                          "number from 0 to {} (T5 has 0)",
                          (checkpoint.folder / "config.json").string(), config.vocab_size - 1));
}

void check_task(const Checkpoint& checkpoint, Task task) {
  check_decoder_start(checkpoint, task);
  const std::string& refusal = checkpoint.config.sentence.refusal;
  if (task == Task::kEmbedding && !refusal.empty()) throw Error(ErrorKind::kUnsupported, refusal + ".");
  const auto saved = task_of(checkpoint.config);
  if (!saved || *saved == task) return;
  // Heads of one kind answer what problem_type says; where it says nothing, whatever they are asked.
  const bool has_problem_type = checkpoint.config.source.value("problem_type", Json()).is_string();
  if (head_of(*saved) == head_of(task) && !has_problem_type) return;
  // Heads of classes store classifier.weight and classifier.bias; every other pair differs by name.
  if (has_classes(head_of(*saved)) && has_classes(head_of(task))) {
    throw refused_value("task", name_of(task),
                        fmt::format("{} was saved for {}", checkpoint.folder.string(), name_of(*saved)));
  }
}

}  // namespace transformeter
