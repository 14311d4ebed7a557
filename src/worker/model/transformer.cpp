// One forward pass for every built-in family.
#include "model/transformer.h"

#include <ATen/TensorOperators.h>

#include <memory>
#include <optional>
#include <vector>

#include "model/checkpointed.h"
#include "model/embedding.h"
#include "model/encoder_decoder.h"
#include "model/heads.h"
#include "model/image_embedding.h"
#include "model/layer.h"
#include "model/profile_scope.h"
#include "model/token_positions.h"
#include "model/two_towers.h"
#include "model/wave_embedding.h"
#include "spec/architecture.h"

namespace transformeter {
namespace {

// The weighted sum of hidden states that some heads read.
class LayerSum {
 public:
  /// `weights` [layers + 1] before their softmax; undefined: nothing is summed.
  explicit LayerSum(const at::Tensor& weights) {
    if (weights.defined()) shares_ = weights.softmax(-1);
  }
  bool is_wanted() const { return shares_.defined(); }
  void add(const at::Tensor& hidden) {
    if (!is_wanted()) return;
    const at::Tensor part = hidden * shares_[count_++];
    sum_ = sum_.defined() ? sum_ + part : part;
  }
  const at::Tensor& value() const { return sum_; }

 private:
  at::Tensor shares_, sum_;
  std::int64_t count_ = 0;
};

class Transformer final : public Model {
 public:
  Transformer(const Blueprint& blueprint, const Parameters& parameters)
      : head_(blueprint.head, parameters),
        is_causal_(blueprint.is_causal),
        channels_first_(blueprint.channels_first),
        positions_skip_padding_(blueprint.positions_skip_padding),
        blanks_(blueprint.blanks),
        end_(blueprint.end),
        cache_limit_(blueprint.cache_limit),
        hidden_dropout_(blueprint.hidden_dropout),
        final_dropout_(blueprint.final_dropout) {
    if (blueprint.embedding.patches) {
      images_.emplace(blueprint.embedding, parameters);
    } else if (blueprint.embedding.waves) {
      sounds_.emplace(blueprint.embedding, parameters);
    } else {
      words_.emplace(blueprint.embedding, parameters);
    }
    const c10::Device device = parameters.device();
    if (blueprint.rotary) rotary_.emplace(*blueprint.rotary, device);
    if (blueprint.relative_bias) relative_bias_.emplace(*blueprint.relative_bias, parameters);
    if (blueprint.window_rotary) window_rotary_.emplace(*blueprint.window_rotary, device);
    for (const LayerSpec& layer : blueprint.layers) {
      layers_.push_back(channels_first_ ? make_convolution_layer(layer, parameters) : make_layer(layer, parameters));
    }
    if (blueprint.final_norm) final_norm_ = make_norm(parameters, *blueprint.final_norm);
    if (blueprint.final_projection) final_projection_ = parameters.linear(*blueprint.final_projection);
  }

  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    const std::int64_t before = inputs.cache != nullptr ? inputs.cache->length() : 0;
    const at::Tensor positions = words_ ? token_positions(inputs, positions_skip_padding_, before) : at::Tensor();
    at::Tensor hidden = embedded(inputs, positions, operators);
    const std::int64_t tokens = hidden.size(1);
    const AttentionMasks::Shape masks{is_causal_, tokens, before, relative_bias_ ? &*relative_bias_ : nullptr,
                                      !inputs.checkpoints_layers};
    const auto attention =
        inputs.is_packed()
            ? std::make_shared<AttentionPlan>(inputs.rows, masks, hidden.options())
            : std::make_shared<AttentionPlan>(AttentionMasks(masks, inputs.attention_mask, hidden.options()));
    Pass pass{operators, *attention, {}, {}, inputs.cache, 0};
    pass.encoded = inputs.encoded;
    const auto rotation_of = [&](const RotaryEmbedding& rotary) {
      return rotary.at(positions, longest_row(inputs, before), hidden.scalar_type());
    };
    if (rotary_) pass.rotation = rotation_of(*rotary_);
    pass.window_rotation = window_rotary_ ? rotation_of(*window_rotary_) : pass.rotation;
    if (inputs.is_training) {
      pass.is_training = true;
      pass.hidden_dropout = hidden_dropout_;
      if (hidden_dropout_ > 0) hidden = operators.dropout(hidden, hidden_dropout_);
    }
    if (channels_first_) hidden = hidden.transpose(1, 2).contiguous();
    const std::shared_ptr<const NeededTokens> needed = needed_tokens(inputs, tokens);
    LayerSum layer_sum(head_.layer_weights());
    for (; pass.layer < layers_.size(); ++pass.layer) {
      layer_sum.add(hidden);
      if (pass.layer + 1 == layers_.size()) pass.needed = needed;
      const Layer& layer = *layers_[pass.layer];
      hidden =
          inputs.checkpoints_layers ? checkpointed_layer(layer, pass, attention, hidden) : layer.forward(hidden, pass);
    }
    if (channels_first_) hidden = hidden.transpose(1, 2);
    if (inputs.cache != nullptr) inputs.cache->advance(tokens);
    if (inputs.last_token_only) hidden = hidden.slice(1, -1);
    const PhaseScope phase(ProfilePhase::kHead);
    layer_sum.add(hidden);
    if (layer_sum.is_wanted()) {
      hidden = layer_sum.value();
    } else if (final_norm_) {
      hidden = (*final_norm_)(hidden, operators);
    }
    if (inputs.is_training && final_dropout_ > 0) hidden = operators.dropout(hidden, final_dropout_);
    if (final_projection_ != nullptr) hidden = final_projection_->forward(hidden);
    return head_.forward(hidden, needed != nullptr ? one_token_rows(inputs) : inputs, operators);
  }

  std::optional<BlankTokens> blank_tokens() const override { return blanks_; }
  std::optional<EndToken> end_token() const override { return end_; }
  std::optional<std::int64_t> cache_limit() const override { return cache_limit_; }
  bool takes_packed_rows() const override { return words_.has_value(); }
  bool leaves_out_tokens() const override { return !layers_.empty() && layers_.back()->leaves_out_tokens(); }

 private:
  // The second run comes when the pass is over: it owns all but the operators. Each run is given what was encoded,
  // whose gradient is another in each layer.
  static at::Tensor checkpointed_layer(const Layer& layer, const Pass& pass,
                                       const std::shared_ptr<AttentionPlan>& attention, const at::Tensor& hidden) {
    const EncodedText* const encoded = pass.encoded;
    const at::Tensor text = encoded != nullptr ? encoded->hidden() : at::Tensor();
    const at::Tensor mask = encoded != nullptr ? encoded->mask() : at::Tensor();
    const auto run = [&layer, pass, attention, mask](const at::Tensor& input, const at::Tensor& beside) {
      Pass own = pass;
      EncodedText given(false);
      given.set(beside, mask);
      if (beside.defined()) own.encoded = &given;
      return layer.forward(input, own);
    };
    return checkpointed(run, hidden, text);
  }

  at::Tensor embedded(const ModelInputs& inputs, const at::Tensor& positions, const Operators& operators) const {
    if (images_) return images_->forward(inputs.pixel_values, operators);
    if (sounds_) return sounds_->forward(inputs.input_values, inputs.token_mask, inputs.is_training, operators);
    return words_->forward({inputs.input_ids, inputs.token_type_ids, positions}, operators);
  }

  static std::int64_t longest_row(const ModelInputs& inputs, std::int64_t before) {
    return inputs.is_packed() ? inputs.rows.longest() : before + inputs.input_ids.size(1);
  }

  // Of the last layer; null: all, or the layer knows no other way. A causal model's first token sees no other.
  std::shared_ptr<const NeededTokens> needed_tokens(const ModelInputs& inputs, std::int64_t tokens) const {
    // Tokens after the one that is needed would have to be hidden from it.
    if (inputs.last_columns.defined() || inputs.rows.last.defined()) return {};
    if (head_.selections().size() > 1) return {};
    const Selection selection = head_.selections().front();
    const bool is_first = selection == Selection::kFirst && !inputs.last_token_only;
    const bool is_worth = tokens > 1 && !(is_causal_ && is_first);
    if (!inputs.needed_tokens_only || !is_worth || !leaves_out_tokens()) return {};
    const std::optional<NeededTokens> needed = NeededTokens::of(inputs, selection);
    return needed ? std::make_shared<const NeededTokens>(*needed) : nullptr;
  }

  // What is left of each row for the head.
  static ModelInputs one_token_rows(const ModelInputs& inputs) {
    ModelInputs rows;
    rows.last_token_only = inputs.last_token_only;
    rows.is_training = inputs.is_training;
    if (inputs.is_packed()) rows.rows = inputs.rows.of_one_token();
    return rows;
  }

  std::optional<Embedding> words_;
  std::optional<ImageEmbedding> images_;  // in their place
  std::optional<WaveEmbedding> sounds_;   // likewise
  std::optional<RotaryEmbedding> rotary_, window_rotary_;
  std::optional<RelativeBias> relative_bias_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::optional<Norm> final_norm_;
  std::shared_ptr<const LinearKernel> final_projection_;  // null: none
  TaskHead head_;
  bool is_causal_, channels_first_, positions_skip_padding_;
  std::optional<BlankTokens> blanks_;
  std::optional<EndToken> end_;
  std::optional<std::int64_t> cache_limit_;
  double hidden_dropout_, final_dropout_;
};

}  // namespace

std::unique_ptr<Model> make_stack(const Blueprint& blueprint, const Parameters& parameters) {
  return std::make_unique<Transformer>(blueprint, parameters);
}

std::unique_ptr<Model> make_transformer(const ModelConfig& config, Task task, const Parameters& parameters) {
  const Blueprint blueprint = draw_blueprint(config, task);
  if (blueprint.text_tower) return make_two_towers(blueprint, parameters);
  return blueprint.decoder ? make_encoder_decoder(blueprint, parameters) : make_stack(blueprint, parameters);
}

}  // namespace transformeter
