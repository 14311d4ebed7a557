// Counted by forward_flops on copies of the blueprint with the other matrices set to width 0.
#include "spec/step_formula.h"

#include <utility>

#include "spec/architecture.h"
#include "spec/blueprint_matrices.h"
#include "spec/formulas.h"

namespace transformeter {
namespace {

Blueprint without_scores(Blueprint blueprint) {
  visit_attentions(blueprint, [](AttentionSpec& attention) { attention.heads = attention.key_value_heads = 0; });
  if (blueprint.text_tower) blueprint.text_tower->vector_size = 0;
  return blueprint;
}

// [in, rank] and [rank, out] take as many operations as [rank, in + out].
Blueprint adapters_alone(const Blueprint& whole, const LoraPlan& lora) {
  Blueprint blueprint = without_scores(whole);
  blueprint.embedding.waves.reset();
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

// Keeps only products whose inputs need no gradient, the adapters' A included: the operations that a backward pass
// saves. An attention counts twice: both factors of its products are inputs. So are both of the product of texts'
// vectors with images'.
class SkippedInputGradients {
 public:
  SkippedInputGradients(const LoraPlan& lora, bool checkpoints_layers)
      : lora_(lora), checkpoints_layers_(checkpoints_layers) {}

  // Embeddings are frozen, those of a decoder or a text tower too.
  Blueprint of(Blueprint blueprint) {
    if (blueprint.embedding.patches) visit(blueprint.embedding.patches->projection);
    visit(blueprint.embedding.projection);
    visit(blueprint.layers);
    if (blueprint.decoder) {
      encoded_has_gradient_ = std::exchange(has_gradient_, false);
      visit(blueprint.decoder->layers);
    }
    visit(blueprint.final_projection);
    visit(blueprint.head);
    if (blueprint.text_tower) visit(*blueprint.text_tower);
    return blueprint;
  }

 private:
  void visit(LinearSpec& matrix) { visit(matrix, has_gradient_); }
  void visit(LinearSpec& matrix, bool input_has_gradient) {
    const bool is_adapted = lora_.adapts(matrix);
    has_gradient_ = has_gradient_ || input_has_gradient || is_adapted || lora_.is_trainable(matrix.weight);
    matrix.out = input_has_gradient ? 0 : matrix.out + (is_adapted ? lora_.rank : 0);
  }
  void visit(std::optional<LinearSpec>& matrix) {
    if (matrix) visit(*matrix);
  }
  void visit(ProbeSpec& probe) {
    const bool tokens_have_gradient = std::exchange(has_gradient_, false);  // its query is frozen
    visit(probe.attention, tokens_have_gradient);
    visit(probe.feed_forward.in);
    visit(probe.feed_forward.out);
  }
  void visit(HeadSpec& head) {
    if (head.probe) visit(*head.probe);
    visit(head.dense);
    visit(head.output);
  }
  void visit(TextTowerSpec& tower) {
    const bool images_have_gradient = std::exchange(has_gradient_, false);
    visit(tower.embedding.projection);
    visit(tower.layers);
    visit(tower.head);
    tower.vector_size *= (images_have_gradient ? 0 : 1) + (has_gradient_ ? 0 : 1);
  }
  void visit(std::vector<LayerSpec>& layers) {
    for (LayerSpec& layer : layers) {
      has_gradient_ = has_gradient_ || checkpoints_layers_;
      visit(layer.attention, has_gradient_);
      if (layer.cross_attention) visit(*layer.cross_attention, encoded_has_gradient_);
      const bool input_has_gradient = has_gradient_;
      if (layer.feed_forward.gate) visit(*layer.feed_forward.gate, input_has_gradient);
      visit(layer.feed_forward.in, input_has_gradient);
      visit(layer.feed_forward.out);
    }
  }
  void visit(AttentionSpec& attention, bool keys_have_gradient) {
    const bool queries_have_gradient = has_gradient_;
    for (LinearSpec& input : attention.inputs) {
      visit(input, &input == &attention.inputs.front() ? queries_have_gradient : keys_have_gradient);
    }
    attention.heads = has_gradient_ ? 0 : 2 * attention.heads;
    visit(attention.output);
  }

  const LoraPlan& lora_;
  bool checkpoints_layers_;
  bool has_gradient_ = false;  // what the last matrix gave
  bool encoded_has_gradient_ = false;
};

}  // namespace

StepFormula::StepFormula(const ModelConfig& config, Task task, const std::optional<LoraPlan>& lora)
    : model_(draw_blueprint(config, task)) {
  if (!lora) return;
  adapted_ = Adapted{adapters_alone(model_, *lora), frozen_alone(model_, *lora),
                     SkippedInputGradients(*lora, false).of(model_), SkippedInputGradients(*lora, true).of(model_)};
}

double StepFormula::flops(const std::vector<std::int64_t>& row_lengths, const std::vector<std::int64_t>& target_lengths,
                          StepWay way) const {
  const auto pass = [&](const Blueprint& blueprint) {
    const double all = forward_flops(blueprint, row_lengths, target_lengths);
    return way.leaves_out_tokens ? all - unneeded_flops(blueprint, row_lengths, target_lengths) : all;
  };
  const double passes = way.checkpoints_layers ? kPassesOfAStep + 1 : kPassesOfAStep;
  if (!adapted_) return passes * pass(model_);
  const Blueprint& unreached =
      way.checkpoints_layers ? adapted_->without_input_gradients_checkpointed : adapted_->without_input_gradients;
  return passes * (pass(model_) + pass(adapted_->adapters)) - pass(adapted_->without_weight_gradients) -
         pass(unreached);
}

}  // namespace transformeter
