// What adapters and frozen matrices take are forward passes of blueprints in which other matrices have no columns.
#include "spec/step_formula.h"

#include "spec/architecture.h"
#include "spec/blueprint_matrices.h"
#include "spec/formulas.h"

namespace transformeter {
namespace {

Blueprint without_scores(Blueprint blueprint) {
  visit_attentions(blueprint, [](AttentionSpec& attention) { attention.heads = attention.key_value_heads = 0; });
  return blueprint;
}

// [in, rank] and [rank, out] take as many operations as [rank, in + out].
Blueprint adapters_alone(const Blueprint& whole, const LoraPlan& lora) {
  Blueprint blueprint = without_scores(whole);
  visit_matrices(blueprint, [&](LinearSpec& matrix) {
    matrix.out = lora.adapts(matrix) ? matrix.in + matrix.out : 0;
    matrix.in = lora.rank;
  });
  return blueprint;
}

Blueprint frozen_alone(const Blueprint& whole, const LoraPlan& lora) {
  Blueprint blueprint = without_scores(whole);
  visit_matrices(blueprint, [&](LinearSpec& matrix) {
    if (lora.is_trainable(matrix.weight)) matrix.out = 0;
  });
  return blueprint;
}

}  // namespace

StepFormula::StepFormula(const ModelConfig& config, Task task, const std::optional<LoraPlan>& lora)
    : model_(draw_blueprint(config, task)) {
  if (!lora) return;
  adapters_ = adapters_alone(model_, *lora);
  frozen_ = frozen_alone(model_, *lora);
}

double StepFormula::flops(const std::vector<std::int64_t>& row_lengths, const std::vector<std::int64_t>& target_lengths,
                          StepWay way) const {
  const auto pass = [&](const Blueprint& blueprint) {
    const double all = forward_flops(blueprint, row_lengths, target_lengths);
    return way.leaves_out_tokens ? all - unneeded_flops(blueprint, row_lengths) : all;
  };
  const double forward = pass(model_) + (adapters_ ? pass(*adapters_) : 0);
  const double passes = way.checkpoints_layers ? kPassesOfAStep + 1 : kPassesOfAStep;
  return passes * forward - (frozen_ ? pass(*frozen_) : 0);
}

}  // namespace transformeter
