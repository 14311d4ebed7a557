// Tiny models with what Transformers answers for them: reading the references, and loading an engine.
#pragma once

#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "device/device.h"
#include "engine/inference_engine.h"
#include "engine/linear_factories.h"
#include "model/registry.h"
#include "spec/architecture.h"

namespace transformeter {

/// Tensors of reference.safetensors by name: "BATCH.input_ids", "BATCH.pixel_values" or "BATCH.input_values",
/// "BATCH.token_mask", "BATCH.TASK", "BATCH.greedy".
class Reference {
 public:
  explicit Reference(const std::filesystem::path& file)
      : file_(file), entries_(parse_safetensors_header(file_.bytes(), "reference")) {}

  bool has(const std::string& name) const { return entries_.count(name) > 0; }
  at::Tensor at(const std::string& name) const {
    const SafetensorsEntry& entry = entries_.at(name);
    const auto type = entry.dtype == "F32" ? c10::ScalarType::Float : c10::ScalarType::Int;
    void* bytes = const_cast<char*>(file_.bytes().data() + entry.begin);
    return at::from_blob(bytes, entry.shape, at::TensorOptions(type)).clone();
  }
  /// That the task can read.
  std::vector<std::string> batches(Task task) const {
    const char* given = reads_audio(task) ? ".input_values" : reads_images(task) ? ".pixel_values" : ".input_ids";
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) {
      if (name.ends_with(given)) names.push_back(name.substr(0, name.find('.')));
    }
    return names;
  }

 private:
  MappedFile file_;
  SafetensorsEntries entries_;
};

inline std::vector<std::int64_t> numbers(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.to(at::kLong).contiguous();
  return {wide.data_ptr<std::int64_t>(), wide.data_ptr<std::int64_t>() + wide.numel()};
}

using Change = std::function<void(Blueprint&)>;

/// The family, with `change` made to each blueprint that it draws; `change` must outlive it.
inline std::shared_ptr<const Architecture> changed(const Architecture& family, const Change& change) {
  auto result = std::make_shared<Architecture>(family);
  result->draw = [draw = family.draw, &change](const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
    Blueprint blueprint = draw(reader, config, kind);
    change(blueprint);
    return blueprint;
  };
  return result;
}

/// `tokens`: of each image.
inline Batch image_batch(const at::Tensor& pixels, std::int64_t tokens) {
  Batch batch;
  batch.batch_size = pixels.size(0);
  batch.sequence_length = tokens;
  batch.images = BatchImages{{pixels.size(1), {pixels.size(2), pixels.size(3)}},
                             {pixels.data_ptr<float>(), pixels.data_ptr<float>() + pixels.numel()}};
  batch.useful_tokens = batch.processed_tokens = batch.batch_size * tokens;
  batch.attention_mask.assign(static_cast<std::size_t>(batch.processed_tokens), 1);
  return batch;
}

inline Batch batch_of(const Reference& reference, const std::string& name) {
  const at::Tensor ids = reference.at(name + ".input_ids");
  Batch batch;
  batch.batch_size = ids.size(0);
  batch.sequence_length = ids.size(1);
  batch.input_ids = numbers(ids);
  batch.token_type_ids = numbers(reference.at(name + ".token_type_ids"));
  for (const std::int64_t bit : numbers(reference.at(name + ".token_mask"))) {
    batch.attention_mask.push_back(static_cast<std::uint8_t>(bit));
  }
  batch.processed_tokens = ids.numel();
  batch.useful_tokens = std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1);
  batch.has_padding = batch.useful_tokens != batch.processed_tokens;
  return batch;
}

/// With the frames of `token_mask` [B, T], the others being padding that reaches the model.
inline Batch sound_batch(const at::Tensor& samples, const at::Tensor& token_mask) {
  Batch batch;
  batch.batch_size = samples.size(0);
  batch.sequence_length = token_mask.size(1);
  batch.sounds = BatchSounds{samples.size(1), {samples.data_ptr<float>(), samples.data_ptr<float>() + samples.numel()}};
  for (const std::int64_t bit : numbers(token_mask)) batch.attention_mask.push_back(static_cast<std::uint8_t>(bit));
  batch.processed_tokens = token_mask.numel();
  batch.useful_tokens = std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1);
  batch.has_padding = batch.useful_tokens != batch.processed_tokens;
  return batch;
}

struct Loaded {
  std::unique_ptr<Device> device = make_device("cpu");
  Parameters parameters;
  std::unique_ptr<InferenceEngine> engine;
};

inline Loaded load(const std::filesystem::path& folder, Task task, const EngineOptions& options,
                   const std::shared_ptr<const LinearFactory>& linears = plain_linears()) {
  ModelRegistry registry;
  register_builtin_models(registry);
  Checkpoint checkpoint = open_checkpoint(folder);
  const ModelConfig config = checkpoint.config;
  Loaded loaded;
  loaded.parameters = checkpoint_parameters(std::move(checkpoint), task, options.type);
  loaded.parameters.use_linears(linears);
  loaded.engine =
      std::make_unique<InferenceEngine>(registry.make(config, task, loaded.parameters), options, *loaded.device);
  return loaded;
}

/// That the engine gives the tokens of BATCH.greedy.
inline void expect_greedy_text(const Loaded& loaded, const Reference& reference, const std::string& batch) {
  const at::Tensor expected = reference.at(batch + ".greedy");
  GenerationOptions generation;
  generation.max_new_tokens = expected.size(1);
  const auto rows = loaded.engine->generate(loaded.engine->stage(batch_of(reference, batch)), generation);
  ASSERT_EQ(static_cast<std::int64_t>(rows.size()), expected.size(0));
  for (std::int64_t row = 0; row < expected.size(0); ++row) {
    EXPECT_EQ(rows[static_cast<std::size_t>(row)], numbers(expected[row])) << "row " << row;
  }
}

}  // namespace transformeter
