// Names as registered by transformers/models/{bert,distilbert}/modeling_*.py of Transformers 5.23; a test compares
// them with that program's own listing in tests/data/models/inventories.json.
#include "spec/tensor_inventory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {

namespace {

/// Collects tensors in order.
class Inventory {
 public:
  explicit Inventory(const ModelConfig& config) : config_(config) {}

  void add(std::string name, std::vector<std::int64_t> shape, Initialization init, std::string tied_name = "") {
    tensors_.push_back({std::move(name), std::move(shape), init, std::move(tied_name)});
  }
  void linear(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in}, Initialization::kNormal);
    add(name + ".bias", {out}, Initialization::kZeros);
  }
  void layer_norm(const std::string& name) {
    add(name + ".weight", {config_.hidden_size}, Initialization::kOnes);
    add(name + ".bias", {config_.hidden_size}, Initialization::kZeros);
  }
  std::vector<TensorSpec> take() { return std::move(tensors_); }

 private:
  const ModelConfig& config_;
  std::vector<TensorSpec> tensors_;
};

void add_embeddings(Inventory& inventory, const ModelConfig& config, const std::string& prefix,
                    const std::string& tied_name) {
  const std::int64_t c = config.hidden_size;
  const std::string embeddings = prefix + "embeddings.";
  inventory.add(embeddings + "word_embeddings.weight", {config.vocab_size, c}, Initialization::kNormal, tied_name);
  inventory.add(embeddings + "position_embeddings.weight", {config.max_position_embeddings, c},
                Initialization::kNormal);
  if (config.type_vocab_size > 0) {
    inventory.add(embeddings + "token_type_embeddings.weight", {config.type_vocab_size, c}, Initialization::kNormal);
  }
  inventory.layer_norm(embeddings + "LayerNorm");
}

void add_bert_layers(Inventory& inventory, const ModelConfig& config) {
  const std::int64_t c = config.hidden_size;
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    const std::string layer = fmt::format("bert.encoder.layer.{}.", i);
    for (const char* part : {"query", "key", "value"}) inventory.linear(layer + "attention.self." + part, c, c);
    inventory.linear(layer + "attention.output.dense", c, c);
    inventory.layer_norm(layer + "attention.output.LayerNorm");
    inventory.linear(layer + "intermediate.dense", config.intermediate_size, c);
    inventory.linear(layer + "output.dense", c, config.intermediate_size);
    inventory.layer_norm(layer + "output.LayerNorm");
  }
}

void add_distilbert_layers(Inventory& inventory, const ModelConfig& config) {
  const std::int64_t c = config.hidden_size;
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    const std::string layer = fmt::format("distilbert.transformer.layer.{}.", i);
    for (const char* part : {"q_lin", "k_lin", "v_lin", "out_lin"}) inventory.linear(layer + "attention." + part, c, c);
    inventory.layer_norm(layer + "sa_layer_norm");
    inventory.linear(layer + "ffn.lin1", config.intermediate_size, c);
    inventory.linear(layer + "ffn.lin2", c, config.intermediate_size);
    inventory.layer_norm(layer + "output_layer_norm");
  }
}

void add_masked_lm_head(Inventory& inventory, const ModelConfig& config) {
  const std::int64_t c = config.hidden_size;
  if (config.architecture == Architecture::kBert) {
    inventory.add("cls.predictions.bias", {config.vocab_size}, Initialization::kZeros, "cls.predictions.decoder.bias");
    inventory.linear("cls.predictions.transform.dense", c, c);
    inventory.layer_norm("cls.predictions.transform.LayerNorm");
  } else {
    inventory.linear("vocab_transform", c, c);
    inventory.layer_norm("vocab_layer_norm");
    inventory.add("vocab_projector.bias", {config.vocab_size}, Initialization::kZeros);
  }
}

void add_head(Inventory& inventory, const ModelConfig& config, std::string_view task) {
  const std::int64_t c = config.hidden_size;
  if (task == "sequence_classification") {
    if (config.has_pooler) inventory.linear("bert.pooler.dense", c, c);
    if (config.has_pre_classifier) inventory.linear("pre_classifier", c, c);
    inventory.linear("classifier", config.num_labels, c);
  } else if (task == "token_classification") {
    inventory.linear("classifier", config.num_labels, c);
  } else if (task == "question_answering") {
    inventory.linear("qa_outputs", 2, c);  // start and end
  } else if (task == "masked_lm") {
    add_masked_lm_head(inventory, config);
  }
}

void check_supported(const ModelConfig& config, std::string_view task) {
  const std::vector<std::string> tasks = encoder_tasks();
  if (task == "causal_lm") {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("task 'causal_lm' is not supported by {}, an encoder; it can do: {}.",
                            name_of(config.architecture), fmt::join(tasks, ", ")));
  }
  if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) throw unknown_value("task", task, tasks);
  if (task == "masked_lm" && !config.tie_word_embeddings) {
    throw Error(ErrorKind::kUnsupported,
                "task 'masked_lm' is not supported with tie_word_embeddings false: the decoder must share the word "
                "embedding's weight.");
  }
}

}  // namespace

std::int64_t TensorSpec::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::vector<std::string> encoder_tasks() {
  return {"sequence_classification", "token_classification", "question_answering", "masked_lm", "embedding"};
}

std::vector<TensorSpec> tensor_inventory(const ModelConfig& config, std::string_view task) {
  check_supported(config, task);
  const bool bert = config.architecture == Architecture::kBert;
  std::string tied_name;
  if (task == "masked_lm") tied_name = bert ? "cls.predictions.decoder.weight" : "vocab_projector.weight";
  Inventory inventory(config);
  add_embeddings(inventory, config, bert ? "bert." : "distilbert.", tied_name);
  if (bert) {
    add_bert_layers(inventory, config);
  } else {
    add_distilbert_layers(inventory, config);
  }
  add_head(inventory, config, task);
  return inventory.take();
}

}  // namespace transformeter
