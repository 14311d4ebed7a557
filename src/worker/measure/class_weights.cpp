// As CLIPModel and SiglipModel compute their logits, but for the order: the texts' vectors, once, with the scale.
#include "measure/class_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "datasets/cycle.h"
#include "datasets/row_frame.h"
#include "device/devices.h"
#include "engine/inference_engine.h"
#include "measure/loaded_model.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "tasks/zero_shot.h"

namespace transformeter {
namespace {

constexpr std::int64_t kTextsAtOnce = 32;

// Those of the task's that are needed, in fp32.
Parameters some_parameters(const ClassTexts& texts, Task task,
                           const std::function<bool(const TensorSpec&)>& is_needed) {
  const Architectures& architectures = texts.parts.models.architectures();
  if (architectures.has_preset(texts.request.model)) {
    std::vector<TensorSpec> inventory = tensor_inventory(texts.config, task);
    std::erase_if(inventory, [&](const TensorSpec& tensor) { return !is_needed(tensor); });
    return seeded_parameters(inventory, std::nullopt, texts.request.seed, at::kFloat);
  }
  Checkpoint checkpoint = open_checkpoint(texts.request.model, architectures);
  CheckpointMatch match = match_checkpoint(checkpoint, task);
  std::erase_if(match.tensors, [&](const MatchedTensor& tensor) { return !is_needed(tensor.parameter); });
  return mapped_parameters(std::move(checkpoint), match, at::kFloat);
}

DataSet data_of(std::vector<std::string> texts) {
  DataSet data;
  for (std::string& text : texts) data.examples.push_back({std::move(text), std::nullopt, std::nullopt});
  return data;
}

// [classes, width]
at::Tensor text_vectors(const ClassTexts& texts, std::int64_t width) {
  const ModelConfig& config = texts.config;
  const Parameters tower = some_parameters(texts, Task::kEmbedding, [](const TensorSpec&) { return true; });
  const auto device = make_device("cpu");
  const InferenceEngine engine(texts.parts.models.make(config, Task::kEmbedding, tower), {}, *device);
  const bool is_trained = !texts.parts.models.architectures().has_preset(texts.request.model);
  const auto tokenizer = load_model_tokenizer(texts.request, texts.parts, config, is_trained, texts.context);
  CycleOptions options;
  options.batch_size = kTextsAtOnce;
  options.max_positions = config.text_length(Task::kEmbedding, tokenizer->traits().max_length);
  const DataSet data = data_of(class_texts(config.labels, texts.request.prompt_template));
  at::Tensor vectors = at::empty({config.num_labels, width}, at::kFloat);
  for (const Batch& batch : build_cycle(data, *tokenizer, options).batches) {
    const at::Tensor output = engine.forward(engine.stage(batch));
    for (std::size_t row = 0; row < batch.example_index.size(); ++row) {
      vectors[static_cast<std::int64_t>(batch.example_index[row])].copy_(output[static_cast<std::int64_t>(row)]);
    }
  }
  return vectors;
}

}  // namespace

void add_class_weights(const ClassTexts& texts, c10::ScalarType type, Parameters& parameters) {
  const SimilaritySpec head = draw_blueprint(texts.config, texts.request.task).head.similarities.value();
  // Not those of `parameters`: the scale's exponential would show how it was rounded.
  const Parameters terms = some_parameters(texts, texts.request.task, [&](const TensorSpec& tensor) {
    return tensor.name == head.logits.scale || tensor.name == head.logits.bias;
  });
  const at::Tensor vectors = text_vectors(texts, head.product.in);
  const at::Tensor weights = terms.at(head.logits.scale).exp() * vectors / vectors.norm(2, -1, true);
  parameters.add(head.product.weight, weights.to(type));
  if (head.product.bias.empty()) return;
  parameters.add(head.product.bias, terms.at(head.logits.bias).expand({head.product.out}).to(type).contiguous());
}

}  // namespace transformeter
