// Counted from the blueprint by the formulas of formulas.h.
#include "spec/model_facts.h"

#include <algorithm>

#include "spec/architecture.h"
#include "spec/formulas.h"
#include "spec/sentence_settings.h"

namespace transformeter {

namespace {

constexpr std::int64_t kBytesOfFp32 = 4;
constexpr std::int64_t kBytesOfBf16 = 2;

Json sizes_of(const ModelConfig& config, const Blueprint& blueprint) {
  const LayerSpec& layer = blueprint.layers.front();
  return {{"vocabulary", config.vocab_size},
          {"width", config.hidden_size},
          {"layers", config.num_layers},
          {"heads", layer.attention.heads},
          {"key_value_heads", layer.attention.key_value_heads},
          {"head_dim", layer.attention.head_dim},
          {"inner_width", layer.feed_forward.width()},
          {"max_length", config.max_length}};
}

Json tasks_of(const ModelFacts& facts, const ModelConfig& config) {
  Json tasks = Json::array();
  for (const Task task : tasks_of(*config.architecture)) {
    const double flops = forward_flops(config, task, 1, facts.sequence_length);
    tasks.push_back({{"task", task},
                     {"parameters", parameter_count(tensor_inventory(config, task))},
                     {"flops_per_token", flops / static_cast<double>(facts.sequence_length)}});
  }
  return tasks;
}

}  // namespace

ModelFacts model_facts(const std::string& name, const ModelConfig& config, std::int64_t sequence_length) {
  const std::vector<TensorSpec> base = base_inventory(config);
  ModelFacts facts{name, config.family(), parameter_count(base), weight_bytes(base, kBytesOfFp32), 0, sequence_length};
  // An image is never shorter.
  facts.sequence_length = config.image ? config.max_length : std::min(sequence_length, config.max_length);
  facts.flops_per_token = forward_flops(config, base_task(*config.architecture), 1, facts.sequence_length) /
                          static_cast<double>(facts.sequence_length);
  return facts;
}

Json to_json(const ModelFacts& facts) {
  return {{"name", facts.name},
          {"family", facts.family},
          {"parameters", facts.parameters},
          {"bytes", facts.bytes},
          {"flops_per_token", facts.flops_per_token},
          {"sequence_length", facts.sequence_length}};
}

Json describe_model(const ModelFacts& facts, const ModelConfig& config, std::optional<std::int64_t> tokenizer_limit) {
  const Blueprint blueprint = draw_blueprint(config, base_task(*config.architecture));
  Json json = to_json(facts);
  json["sizes"] = sizes_of(config, blueprint);
  json["tasks"] = tasks_of(facts, config);
  json["weight_bytes"] = {{"fp32", facts.parameters * kBytesOfFp32}, {"bf16", facts.parameters * kBytesOfBf16}};
  json["is_causal"] = blueprint.is_causal;
  const std::int64_t cache = cache_bytes(config, 1, 1, kBytesOfBf16);
  json["cache_bytes_per_token"] = blueprint.is_causal ? Json{{"bf16", cache}, {"fp32", 2 * cache}} : Json();
  json["labels"] = config.labels;
  json["saved_for"] = task_of(config) ? Json(*task_of(config)) : Json();
  json["unread_keys"] = config.unread_keys;
  if (const std::optional<ImageShape>& image = config.image) {
    json["image"] = to_json(*image);
    json["sizes"].erase("vocabulary");
    return json;
  }
  json["pooling"] = {{"kind", pooling_name(config.sentence.poolings)}, {"normalized", config.sentence.is_normalized}};
  json["text_length"] = config.text_length(Task::kEmbedding, tokenizer_limit);
  json["prompt"] = config.sentence.prompt.empty() ? Json() : Json(config.sentence.prompt);
  return json;
}

}  // namespace transformeter
