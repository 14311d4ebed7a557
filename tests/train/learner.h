// A tiny checkpoint that learns, in one of the ways in which steps are computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/family_testing.h"
#include "engine/trained_linear.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "spec/lora.h"
#include "train/gradient_error.h"
#include "train/learning_way.h"
#include "train/trained_weights.h"

namespace transformeter {

struct Learner {
  TrainedWeights weights;
  std::unique_ptr<Model> model;
  std::unique_ptr<Operators> operators;
};

struct LearnerOptions {
  Change change = [](Blueprint&) {};  // made to the blueprint
  std::optional<LoraPlan> lora = std::nullopt;
};

/// `tokens`: of the batch that a fused way's products are settled for.
inline Learner make_learner(const std::filesystem::path& folder, Task task, LearningWay way, std::int64_t tokens,
                            const LearnerOptions& options = {}) {
  Checkpoint checkpoint = open_checkpoint(folder);
  ModelConfig config = checkpoint.config;
  config.architecture = changed(*config.architecture, options.change);
  Learner learner;
  learner.weights = trained_weights(checkpoint_parameters(std::move(checkpoint), task, at::kFloat),
                                    tensor_inventory(config, task), at::kFloat, options.lora);
  const auto linears = std::make_shared<TrainedLinears>(TrainingKernels::of(at::kFloat, true));
  if (way.is_fused) learner.weights.parameters.use_linears(linears);
  learner.model = make_transformer(config, task, learner.weights.parameters);
  if (way.is_fused) linears->settle(tokens, "onednn", nullptr);
  learner.operators = operators_of(way);
  return learner;
}

/// How far the gradients are from those that `reference` has, by its name for a tensor: the largest over all weights.
inline double gradient_error(const Learner& learner,
                             const std::function<at::Tensor(const std::string& name)>& reference) {
  double worst = 0;
  for (const TrainedWeight& weight : learner.weights.weights) {
    worst = std::max(worst, gradient_error(weight, reference("gradient." + weight.name).to(at::kDouble)));
  }
  return worst;
}

}  // namespace transformeter
