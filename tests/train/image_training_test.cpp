// Steps of ViT against those of Transformers and torch.optim (scripts/references/vision_reference.py).
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include "engine/family_testing.h"
#include "engine/trained_linear.h"
#include "support/source_tree.h"
#include "train/learning_way.h"
#include "train/micro_batch.h"
#include "train/trained_weights.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

class ImageTraining : public testing::TestWithParam<LearningWay> {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-vit";
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(ImageTraining, FollowsTheCurveOfTransformers) {
  const LearningWay way = GetParam();
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
  const auto operators = operators_of(way);
  Trainer trainer(*model, *operators, weights.weights, curve_options(loss_of(task), 1e-3, way));
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
                         testing::Values(LearningWay{}, LearningWay{true, false}, LearningWay{false, true},
                                         LearningWay{true, true}),
                         [](const auto& way) {
                           return std::string(way.param.is_fused ? "fused" : "plain") +
                                  (way.param.checkpoints_layers ? "_checkpointed" : "");
                         });

}  // namespace
}  // namespace transformeter
