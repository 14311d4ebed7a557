// Keys are kept as the original had them; keys about how it was saved are rewritten.
#include "spec/saved_config.h"

#include <fmt/format.h>

#include "spec/architecture.h"

namespace transformeter {
namespace {

void write_labels(const ModelConfig& config, Json& json) {
  for (std::int64_t i = 0; i < config.num_labels; ++i) {
    const std::string name =
        config.labels.empty() ? fmt::format("LABEL_{}", i) : config.labels[static_cast<std::size_t>(i)];
    json["id2label"][std::to_string(i)] = name;
    json["label2id"][name] = i;
  }
}

}  // namespace

std::string class_of(const ModelConfig& config, Task task) {
  check_task(config, task);
  return config.architecture->class_name(head_of(task));
}

Json saved_config(const ModelConfig& config, Task task, std::string_view dtype) {
  Json json = config.source;
  // Of what was trained before, and the name that Transformers 5 has for torch_dtype, which all versions read.
  for (const char* key : {"finetuning_task", "problem_type", "dtype"}) json.erase(key);
  json["architectures"] = {class_of(config, task)};
  json["torch_dtype"] = dtype;
  // Of T5 the same key would say that logits are not scaled.
  const bool scales = config.has_own_decoder && draw_blueprint(config, task).head.input_scale != 1;
  if (config.has_own_decoder && !scales) json["tie_word_embeddings"] = false;
  if (has_classes(head_of(task))) write_labels(config, json);
  if (const auto problem = problem_type_of(task)) json["problem_type"] = *problem;
  return json;
}

ModelConfig with_defaults(const ModelConfig& config, Task task) {
  check_task(config, task);
  ModelConfig whole = config;
  const ConfigReader reader(config.source, config.family());
  ModelConfig read_again = config;
  config.architecture->read(reader, read_again);
  if (config.architecture->draw) config.architecture->draw(reader, config, head_of(task));
  whole.source.update(reader.taken_defaults());
  return whole;
}

}  // namespace transformeter
