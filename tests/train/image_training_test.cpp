// Steps of ViT against those of Transformers and torch.optim (scripts/references/vision_reference.py).
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include "engine/family_testing.h"
#include "engine/operators.h"
#include "engine/trained_linear.h"
#include "engine/training_operators.h"
#include "support/source_tree.h"
#include "train/micro_batch.h"
#include "train/trained_weights.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

struct Way {
  bool checkpoints_layers = false;
  bool is_fused = false;
};

class ImageTraining : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-vit";
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(ImageTraining, FollowsTheCurveOfTransformers) {
  const Way way = GetParam();
  Checkpoint checkpoint = open_checkpoint(folder_);
  const ModelConfig config = checkpoint.config;
  const Task task = Task::kImageClassification;
  TrainedWeights weights = trained_weights(checkpoint_parameters(std::move(checkpoint), task, at::kFloat),
                                           tensor_inventory(config, task), at::kFloat);
  const auto linears = std::make_shared<TrainedLinears>(TrainingKernels::of(at::kFloat, true));
  if (way.is_fused) weights.parameters.use_linears(linears);
  ModelRegistry registry;
  register_builtin_models(registry);
  const std::unique_ptr<Model> model = registry.make(config, task, weights.parameters);
  if (way.is_fused) linears->settle(30, "onednn", nullptr);
  const auto operators = way.is_fused ? make_training_operators({.fused = true}) : make_operators("eager");
  TrainerOptions options;
  options.loss = loss_of(task);
  options.checkpoints_layers = way.checkpoints_layers;
  options.needed_tokens_only = way.is_fused;
  options.max_gradient_norm = 1;
  options.schedule = {"constant", 1e-3, 0, 20};
  options.optimizer.kind = "adamw";
  options.optimizer.weight_decay = 0.01;
  Trainer trainer(*model, *operators, weights.weights, options);
  const at::Tensor losses = curve_.at("losses"), norms = curve_.at("norms");
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    SCOPED_TRACE(step);
    TrainingBatch batch;
    batch.inputs = image_batch(curve_.at("pixel_values")[step % 2].contiguous(), config.max_length);
    batch.labels = numbers(curve_.at("labels")[step % 2]);
    const StepResult result = trainer.step({make_micro_batch(batch, {})});
    EXPECT_NEAR(result.loss, losses[step].item<double>(), 1e-5);
    EXPECT_NEAR(result.gradient_norm / norms[step].item<double>(), 1, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ImageTraining,
                         testing::Values(Way{}, Way{true, false}, Way{false, true}, Way{true, true}),
                         [](const auto& way) {
                           return std::string(way.param.is_fused ? "fused" : "plain") +
                                  (way.param.checkpoints_layers ? "_checkpointed" : "");
                         });

}  // namespace
}  // namespace transformeter
