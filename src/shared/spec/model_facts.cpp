// Counted from the blueprint by the formulas of formulas.h.
#include "spec/model_facts.h"

#include <algorithm>
#include <vector>

#include "spec/architecture.h"
#include "spec/config_reader.h"
#include "spec/formulas.h"
#include "spec/sentence_settings.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

namespace {

constexpr std::int64_t kBytesOfFp32 = 4;
constexpr std::int64_t kBytesOfBf16 = 2;

// An image is never shorter.
std::int64_t row_length(const ModelConfig& config, Task task, std::int64_t asked) {
  return reads_images(task) ? config.row_length(task) : std::min(asked, config.row_length(task));
}

// Of an encoder-decoder model the task that runs all of it, unless its folder holds the encoder alone.
Task whole_task(const ModelConfig& config) {
  const bool has_decoder = config.architecture->may_have_decoder && task_of(config) != Task::kEmbedding;
  return has_decoder ? Task::kSeq2SeqLm : base_task(*config.architecture);
}

// Nothing where the model has no limit.
Json length_of(std::int64_t length) {
  return length < kMaxPositions ? Json(length) : Json();
}

Json sizes_of(const ModelConfig& config, Task task) {
  const Blueprint blueprint = draw_blueprint(config, task);
  const LayerSpec& layer = blueprint.layers.front();
  Json sizes = {{"width", layer.attention.output.out},
                {"layers", blueprint.layers.size()},
                {"heads", layer.attention.heads},
                {"key_value_heads", layer.attention.key_value_heads},
                {"head_dim", layer.attention.head_dim},
                {"inner_width", layer.feed_forward.width()},
                {"max_length", length_of(config.row_length(task))}};
  if (blueprint.decoder) sizes["decoder_layers"] = blueprint.decoder->layers.size();
  if (!reads_images(task)) sizes["vocabulary"] = config.vocab_size;
  return sizes;
}

// By tower, where there are two.
Json sizes_of(const ModelConfig& config) {
  const Architecture& architecture = *config.architecture;
  if (!has_two_towers(architecture)) return sizes_of(config, whole_task(config));
  return {{"text", sizes_of(config, Task::kEmbedding)}, {"image", sizes_of(config, Task::kImageEmbedding)}};
}

Json tasks_of(const ModelFacts& facts, const ModelConfig& config) {
  Json tasks = Json::array();
  for (const Task task : tasks_of(*config.architecture)) {
    std::int64_t length = row_length(config, task, facts.asked_length);
    std::vector<std::int64_t> captions;
    if (has_captions(task)) captions = {std::min(facts.asked_length, config.max_length)};
    const double flops = forward_flops(config, task, {length}, captions);
    if (!captions.empty()) length += captions.front();
    tasks.push_back({{"task", task},
                     {"parameters", parameter_count(tensor_inventory(config, task))},
                     {"sequence_length", length},
                     {"flops_per_token", flops / static_cast<double>(length)}});
  }
  return tasks;
}

}  // namespace

ModelFacts model_facts(const std::string& name, const ModelConfig& config, std::int64_t sequence_length) {
  const Task task = whole_task(config);
  const std::vector<TensorSpec> base =
      task == Task::kSeq2SeqLm ? tensor_inventory(config, task) : base_inventory(config);
  ModelFacts facts{name, config.family(), parameter_count(base), weight_bytes(base, kBytesOfFp32)};
  facts.asked_length = sequence_length;
  facts.sequence_length = row_length(config, task, sequence_length);
  facts.flops_per_token =
      forward_flops(config, task, 1, facts.sequence_length) / static_cast<double>(facts.sequence_length);
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
  json["sizes"] = sizes_of(config);
  json["tasks"] = tasks_of(facts, config);
  json["weight_bytes"] = {{"fp32", facts.parameters * kBytesOfFp32}, {"bf16", facts.parameters * kBytesOfBf16}};
  json["is_causal"] = blueprint.is_causal;
  const std::int64_t cache = cache_bytes(config, 1, 1, kBytesOfBf16);
  json["cache_bytes_per_token"] = blueprint.is_causal ? Json{{"bf16", cache}, {"fp32", 2 * cache}} : Json();
  json["labels"] = config.labels;
  json["saved_for"] = task_of(config) ? Json(*task_of(config)) : Json();
  json["unread_keys"] = config.unread_keys;
  if (config.image) json["image"] = to_json(*config.image);
  if (!reads(*config.architecture, Modality::kText)) return json;
  json["pooling"] = {{"kind", pooling_of(config)}, {"normalized", config.sentence.is_normalized}};
  json["text_length"] = length_of(config.text_length(Task::kEmbedding, tokenizer_limit));
  json["prompt"] = config.sentence.prompt.empty() ? Json() : Json(config.sentence.prompt);
  return json;
}

}  // namespace transformeter
