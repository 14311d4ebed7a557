// The FLOP formulas against the operators that LibTorch really ran, on tiny models of every family and task.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/ones.h>
#include <ATen/record_function.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/device.h"
#include "engine/family_testing.h"
#include "engine/inference_engine.h"
#include "engine/operators.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

double volume(const at::Tensor& tensor) {
  return static_cast<double>(tensor.numel());
}

// Rows of the left times columns of the right: what a product's output has, and what lies between.
double product(const at::Tensor& left, const at::Tensor& right) {
  return 2 * volume(left) * static_cast<double>(right.size(-1));
}

/// Operations of one recorded call; 0 for what is no matrix product.
double flops_of(const std::string& name, c10::ArrayRef<const c10::IValue> inputs) {
  const auto tensor = [&](std::size_t place) { return inputs[place].toTensor(); };
  if (name == "aten::mm" || name == "aten::bmm") return product(tensor(0), tensor(1));
  if (name == "aten::addmm" || name == "aten::baddbmm") return product(tensor(1), tensor(2));
  if (name == "aten::mv") return 2 * volume(tensor(0));
  if (name == "aten::addmv") return 2 * volume(tensor(1));
  // [out, in / groups, kernel] on [B, in, T].
  if (name == "aten::convolution") {
    const std::int64_t stride = inputs[3].toIntVector().back(), padding = inputs[4].toIntVector().back();
    const std::int64_t length = (tensor(0).size(-1) + 2 * padding - tensor(1).size(-1)) / stride + 1;
    return 2 * volume(tensor(1)) * static_cast<double>(tensor(0).size(0) * length);
  }
  // [B, H, T, d] each: QKᵀ and PV.
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu" || name == "transformeter::tiled_attention") {
    return 4 * volume(tensor(0)) * static_cast<double>(tensor(1).size(-2));
  }
  return 0;
}

// The callbacks are plain functions, so what they count is found here. A product inside a product counts once.
struct Count {
  double flops = 0;
  int depth = 0;
  std::set<std::string> unknown;
};
thread_local Count* count = nullptr;

struct Counted final : at::ObserverContext {};

std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction& function) {
  const std::string name = function.name();
  const double flops = flops_of(name, function.inputs());
  if (flops == 0) {
    // A kernel that nobody here has heard of must not pass for none.
    const bool is_product = name.find("mm") != std::string::npos || name.find("flash") != std::string::npos;
    if (is_product && count->depth == 0) count->unknown.insert(name);
    return nullptr;
  }
  if (count->depth++ == 0) count->flops += flops;
  return std::make_unique<Counted>();
}

void end_operator(const at::RecordFunction&, at::ObserverContext* context) {
  if (context != nullptr) --count->depth;
}

/// What `work` runs on this thread.
Count counted(const std::function<void()>& work) {
  Count result;
  count = &result;
  at::RecordFunctionCallback callback(&begin_operator, &end_operator);
  callback.scopes({at::RecordScope::FUNCTION}).needsInputs(true);
  const at::CallbackHandle handle = at::addThreadLocalCallback(callback);
  work();
  at::removeCallback(handle);
  count = nullptr;
  return result;
}

// Rows of 7 and, where there is padding, of 5 tokens, the last of which is `end`.
Batch batch_of(std::int64_t rows, bool has_padding, std::int64_t end) {
  Batch batch;
  batch.batch_size = rows;
  batch.sequence_length = 7;
  batch.processed_tokens = rows * 7;
  batch.has_padding = has_padding;
  for (std::int64_t i = 0; i < batch.processed_tokens; ++i) {
    const std::int64_t length = has_padding && i >= 7 ? 5 : 7;
    batch.input_ids.push_back(i % 7 == length - 1 ? end : 2 + i % 5);
    batch.token_type_ids.push_back(0);
    batch.attention_mask.push_back(i % 7 >= length ? 0 : 1);
    batch.useful_tokens += batch.attention_mask.back();
  }
  return batch;
}

// The vocabulary's last ID ends CLIP's texts; to others it is one like any other.
Batch batch_of(const ModelConfig& config, Task task, std::int64_t rows, bool has_padding) {
  if (reads_audio(task)) {
    at::Tensor mask = at::ones({rows, 7}, at::kInt);
    if (has_padding) mask.slice(0, 1).slice(1, 5).zero_();
    return sound_batch(at::ones({rows, config.waves->samples(7)}), mask);
  }
  if (!reads_images(task)) return batch_of(rows, has_padding, config.vocab_size - 1);
  const at::Tensor pixels =
      at::ones({rows, config.image->channels, config.image->size.height, config.image->size.width});
  return image_batch(pixels, config.image_tokens);
}

class FlopFormula : public testing::TestWithParam<const char*> {};

TEST_P(FlopFormula, EqualsTheOperatorStream) {
  const fs::path folder = source_directory() / "tests/data/models" / (std::string("tiny-") + GetParam());
  at::set_num_threads(1);  // nothing here is large enough for more
  const auto device = make_device("cpu");
  ModelRegistry registry;
  register_builtin_models(registry);
  const ModelConfig config = open_checkpoint(folder).config;
  for (Task task : tasks_of(*config.architecture)) {
    if (has_captions(task)) continue;  // no engine runs it: see below
    for (const std::string& attention : attention_names()) {
      EngineOptions options;
      options.attention = attention;
      Parameters parameters =
          seeded_parameters(tensor_inventory(config, task), config.initializer_range, 0, options.type);
      const InferenceEngine engine(registry.make(config, task, parameters), options, *device);
      for (const bool has_padding : {false, true}) {
        if (has_padding && reads_images(task)) continue;
        SCOPED_TRACE(std::string(GetParam()) + " " + std::string(name_of(task)) + " " + attention +
                     (has_padding ? " padded" : ""));
        const StagedBatch batch = engine.stage(batch_of(config, task, 3, has_padding));
        const std::int64_t length = batch.sequence_length;
        const Count ran = counted([&] { engine.forward(batch); });
        EXPECT_EQ(ran.flops, forward_flops(config, task, 3, length));
        EXPECT_EQ(ran.unknown, std::set<std::string>{});

        options.needed_tokens = true;
        const InferenceEngine sparing(registry.make(config, task, parameters), options, *device);
        const Count less = counted([&] { sparing.forward(batch); });
        EXPECT_EQ(less.flops,
                  forward_flops(config, task, 3, length) - unneeded_flops(config, task, {length, length, length}));
        options.needed_tokens = false;
      }
    }
  }
}

// Of 3 images and captions of 7 tokens each, with the product of all with all.
class PairFlops : public testing::TestWithParam<const char*> {};

TEST_P(PairFlops, EqualTheOperatorStream) {
  constexpr Task kTask = Task::kContrastiveImageText;
  at::set_num_threads(1);
  ModelRegistry registry;
  register_builtin_models(registry);
  const ModelConfig config = open_checkpoint(source_directory() / "tests/data/models" / GetParam()).config;
  const Parameters parameters =
      seeded_parameters(tensor_inventory(config, kTask), config.initializer_range, 0, c10::ScalarType::Float);
  const std::unique_ptr<Model> model = registry.make(config, kTask, parameters);
  const auto operators = make_operators("math");
  ModelInputs inputs;
  inputs.pixel_values = at::ones({3, 3, config.image->size.height, config.image->size.width});
  inputs.input_ids = at::ones({3, 7}, at::kLong);
  const std::vector<std::int64_t> images(3, config.image_tokens), captions(3, 7);
  const Count all = counted([&] { model->forward(inputs, *operators); });
  EXPECT_EQ(all.flops, forward_flops(config, kTask, images, captions));
  EXPECT_EQ(all.unknown, std::set<std::string>{});
  inputs.needed_tokens_only = true;
  const Count less = counted([&] { model->forward(inputs, *operators); });
  EXPECT_EQ(all.flops - less.flops, unneeded_flops(config, kTask, images, captions));
}

INSTANTIATE_TEST_SUITE_P(Tiny, PairFlops, testing::Values("tiny-clip", "tiny-siglip"), [](const auto& parameter) {
  return parameter.param == std::string("tiny-clip") ? "Clip" : "Siglip";
});

INSTANTIATE_TEST_SUITE_P(Tiny, FlopFormula,
                         testing::Values("bert", "distilbert", "roberta", "squeezebert", "albert", "electra", "mpnet",
                                         "t5", "t5-relu", "gpt2", "opt", "opt-post-norm", "llama", "qwen2", "qwen3",
                                         "mistral", "gemma3", "phi3", "vit", "vit-no-bias", "deit", "clip",
                                         "clip-older", "siglip", "wav2vec2", "wav2vec2-stable", "hubert"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace transformeter
