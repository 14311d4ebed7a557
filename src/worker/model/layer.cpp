// Attention and feed-forward on linear layers.
#include "model/layer.h"

#include <ATen/TensorOperators.h>

#include <optional>
#include <utility>
#include <vector>

#include "model/blocks.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

// residual + norm(dropout(x Wᵀ + b)), without a norm where there is none.
at::Tensor added(const LinearKernel& output, const std::optional<Norm>& norm, const at::Tensor& input,
                 const at::Tensor& residual, const Pass& pass) {
  if (pass.hidden_dropout == 0 && !norm) return output.added(input, residual);
  at::Tensor part = output.forward(input);
  if (pass.hidden_dropout > 0) part = pass.operators.dropout(part, pass.hidden_dropout);
  if (norm) part = (*norm)(part, pass.operators);
  return part + residual;
}

std::optional<Norm> make_norm(const Parameters& parameters, const std::optional<NormSpec>& spec) {
  return spec ? std::optional(make_norm(parameters, *spec)) : std::nullopt;
}

std::vector<std::string> modules_of(const FeedForwardSpec& spec) {
  return {module_of(spec.in.weight), module_of(spec.out.weight), spec.gate ? module_of(spec.gate->weight) : ""};
}

class SelfAttention {
 public:
  SelfAttention(const AttentionSpec& spec, const std::optional<NormSpec>& output_norm, const Parameters& parameters)
      : inputs_(parameters.linears(spec.inputs)),
        output_(parameters.linear(spec.output)),
        query_norm_(make_norm(parameters, spec.query_norm)),
        key_norm_(make_norm(parameters, spec.key_norm)),
        output_norm_(make_norm(parameters, output_norm)),
        heads_(spec.heads),
        key_value_heads_(spec.key_value_heads),
        head_dim_(spec.head_dim),
        window_(spec.window),
        dropout_(spec.dropout),
        score_scale_(spec.score_scale),
        module_(attention_module(spec)) {}

  bool has_window() const { return window_ > 0; }

  /// What the layer adds to `residual`, and the sum; both of the needed tokens.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& residual, const Pass& pass) const {
    const PhaseScope phase(ProfilePhase::kAttention);
    const ModuleScope scope(module_);
    AttentionInputs inputs = project(hidden, pass.operators);
    if (pass.is_training) inputs.dropout = dropout_;
    const Rotation& rotation = has_window() ? pass.window_rotation : pass.rotation;
    if (rotation.cosine.defined()) {
      inputs.query = pass.operators.rotated(inputs.query, rotation);
      inputs.key = pass.operators.rotated(inputs.key, rotation);
    }
    if (pass.cache != nullptr) {
      auto [key, value] = pass.cache->append(pass.layer, inputs.key, inputs.value);
      inputs.key = std::move(key);
      inputs.value = std::move(value);
    }
    const at::Tensor context = pass.needed != nullptr
                                   ? pass.attention.attend_needed(std::move(inputs), *pass.needed, pass.operators)
                                   : pass.attention.attend(std::move(inputs), window_, pass.operators);
    return added(*output_, output_norm_, context, residual, pass);
  }

 private:
  // [B, T, heads · d] to [B, T, heads, d].
  at::Tensor split(const at::Tensor& projected, std::int64_t heads) const {
    return projected.view({projected.size(0), projected.size(1), heads, head_dim_});
  }

  AttentionInputs project(const at::Tensor& hidden, const Operators& operators) const {
    std::vector<at::Tensor> projected;
    for (const auto& input : inputs_) projected.push_back(input->forward(hidden));
    if (projected.size() == 1) {
      const std::int64_t key_width = key_value_heads_ * head_dim_;
      projected = projected.front().split_with_sizes({heads_ * head_dim_, key_width, key_width}, -1);
    }
    AttentionInputs inputs;
    inputs.query = split(projected[0], heads_);
    inputs.key = split(projected[1], key_value_heads_);
    if (query_norm_) inputs.query = (*query_norm_)(inputs.query, operators);
    if (key_norm_) inputs.key = (*key_norm_)(inputs.key, operators);
    if (score_scale_ != 1) inputs.query = inputs.query * score_scale_;
    inputs.query = inputs.query.transpose(1, 2);
    inputs.key = inputs.key.transpose(1, 2);
    inputs.value = split(projected[2], key_value_heads_).transpose(1, 2);
    return inputs;
  }

  std::vector<std::shared_ptr<const LinearKernel>> inputs_;  // query, key, value, or one of all three
  std::shared_ptr<const LinearKernel> output_;
  std::optional<Norm> query_norm_, key_norm_, output_norm_;
  std::int64_t heads_, key_value_heads_, head_dim_, window_;
  double dropout_, score_scale_;
  std::string module_;
};

// Queries of the tokens at hand, keys and values of what was encoded.
class CrossAttention {
 public:
  CrossAttention(const AttentionSpec& spec, const Parameters& parameters)
      : query_(parameters.linear(spec.inputs[0])),
        key_value_(parameters.linears({spec.inputs[1], spec.inputs[2]})),
        output_(parameters.linear(spec.output)),
        heads_(spec.heads),
        head_dim_(spec.head_dim),
        dropout_(spec.dropout),
        score_scale_(spec.score_scale),
        module_(attention_module(spec)) {}

  /// What the layer adds to `residual`, and the sum. `hidden` has a row for each encoded text, or several.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& residual, const Pass& pass) const {
    const PhaseScope phase(ProfilePhase::kAttention);
    const ModuleScope scope(module_);
    AttentionInputs inputs;
    at::Tensor query = query_->forward(hidden);
    if (score_scale_ != 1) query = query * score_scale_;
    // Beams of one text stand side by side and are queries of the same keys, as if they were tokens of one row.
    const std::int64_t texts = pass.encoded->hidden().size(0);
    const bool has_beams = query.size(0) != texts;
    if (has_beams) query = query.view({texts, -1, query.size(2)});
    inputs.query = split(query);
    EncodedText::KeyValue encoded =
        pass.encoded->of_layer(pass.layer, [this](const at::Tensor& text) { return project(text); });
    inputs.key = std::move(encoded.key);
    inputs.value = std::move(encoded.value);
    inputs.mask = pass.encoded->mask();
    if (pass.is_training) inputs.dropout = dropout_;
    at::Tensor context = join_heads(pass.operators.attention(inputs));
    if (has_beams) context = context.reshape({hidden.size(0), hidden.size(1), context.size(2)});
    return added(*output_, std::nullopt, context, residual, pass);
  }

 private:
  // [B, T, heads · d] to [B, heads, T, d].
  at::Tensor split(const at::Tensor& projected) const {
    return projected.view({projected.size(0), projected.size(1), heads_, head_dim_}).transpose(1, 2);
  }

  EncodedText::KeyValue project(const at::Tensor& text) const {
    std::vector<at::Tensor> projected;
    for (const auto& input : key_value_) projected.push_back(input->forward(text));
    if (projected.size() == 1) projected = projected.front().chunk(2, -1);
    return {split(projected[0]), split(projected[1])};
  }

  std::shared_ptr<const LinearKernel> query_;
  std::vector<std::shared_ptr<const LinearKernel>> key_value_;  // or one of both
  std::shared_ptr<const LinearKernel> output_;
  std::int64_t heads_, head_dim_;
  double dropout_, score_scale_;
  std::string module_;
};

class FeedForward {
 public:
  FeedForward(const FeedForwardSpec& spec, const std::optional<NormSpec>& output_norm, const Parameters& parameters)
      : in_(parameters.linears(spec.gate ? std::vector{*spec.gate, spec.in} : std::vector{spec.in})),
        out_(parameters.linear(spec.out)),
        output_norm_(make_norm(parameters, output_norm)),
        activation_(spec.activation),
        is_gated_(spec.is_gated()),
        dropout_(spec.dropout),
        module_(feed_forward_module(spec)) {}

  /// What the network adds to `residual`, and the sum.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& residual, const Pass& pass) const {
    const PhaseScope phase(ProfilePhase::kFeedForward);
    const ModuleScope scope(module_);
    const bool drops_inner = pass.is_training && dropout_ > 0;
    if (!is_gated_ && !output_norm_ && !drops_inner && pass.hidden_dropout == 0) {
      return out_->added_to(in_.front()->activated_for(*out_, hidden, activation_), residual);
    }
    at::Tensor inner = is_gated_ ? gated(hidden) : in_.front()->activated(hidden, activation_);
    if (drops_inner) inner = pass.operators.dropout(inner, dropout_);
    return added(*out_, output_norm_, inner, residual, pass);
  }

 private:
  // activation(gate) · in.
  at::Tensor gated(const at::Tensor& hidden) const {
    if (in_.size() == 2) return in_[0]->activated(hidden, activation_) * in_[1]->forward(hidden);
    const std::vector<at::Tensor> halves = in_.front()->forward(hidden).chunk(2, -1);
    return activation_function(activation_)(halves[0]) * halves[1];
  }

  std::vector<std::shared_ptr<const LinearKernel>> in_;  // in; gate and in; or one of both
  std::shared_ptr<const LinearKernel> out_;
  std::optional<Norm> output_norm_;
  Activation activation_;
  bool is_gated_;
  double dropout_;
  std::string module_;
};

class LinearLayer final : public Layer {
 public:
  LinearLayer(const LayerSpec& spec, const Parameters& parameters)
      : attention_(spec.attention, spec.attention_output_norm, parameters),
        feed_forward_(spec.feed_forward, spec.feed_forward_output_norm, parameters),
        attention_norm_(make_norm(parameters, spec.attention_norm)),
        feed_forward_norm_(make_norm(parameters, spec.feed_forward_norm)),
        cross_attention_norm_(make_norm(parameters, spec.cross_attention_norm)),
        norm_first_(spec.norm_first),
        module_(layer_module(spec)) {
    if (spec.cross_attention) cross_attention_.emplace(*spec.cross_attention, parameters);
  }

  at::Tensor forward(const at::Tensor& hidden, const Pass& pass) const override {
    const ModuleScope scope(module_);
    const at::Tensor residual = pass.needed != nullptr ? pass.attention.needed_of(hidden, *pass.needed) : hidden;
    const Operators& operators = pass.operators;
    if (norm_first_) {
      at::Tensor attended = attention_.forward(attention_norm_(hidden, operators), residual, pass);
      if (cross_attention_) {
        attended = cross_attention_->forward((*cross_attention_norm_)(attended, operators), attended, pass);
      }
      return feed_forward_.forward(feed_forward_norm_(attended, operators), attended, pass);
    }
    const at::Tensor attended = attention_norm_(attention_.forward(hidden, residual, pass), operators);
    return feed_forward_norm_(feed_forward_.forward(attended, attended, pass), operators);
  }
  bool leaves_out_tokens() const override { return !attention_.has_window() && !cross_attention_; }

 private:
  SelfAttention attention_;
  FeedForward feed_forward_;
  Norm attention_norm_, feed_forward_norm_;
  std::optional<CrossAttention> cross_attention_;
  std::optional<Norm> cross_attention_norm_;
  bool norm_first_;
  std::string module_;
};

}  // namespace

std::string attention_module(const AttentionSpec& spec) {
  std::vector<std::string> modules{module_of(spec.output.weight)};
  for (const LinearSpec& input : spec.inputs) modules.push_back(module_of(input.weight));
  return common_module(modules);
}

std::string feed_forward_module(const FeedForwardSpec& spec) {
  return common_module(modules_of(spec));
}

std::string layer_module(const LayerSpec& spec) {
  std::vector<std::string> modules = modules_of(spec.feed_forward);
  modules.insert(modules.end(),
                 {attention_module(spec.attention), spec.attention_norm.name, spec.feed_forward_norm.name});
  return common_module(modules);
}

std::unique_ptr<Layer> make_layer(const LayerSpec& spec, const Parameters& parameters) {
  return std::make_unique<LinearLayer>(spec, parameters);
}

}  // namespace transformeter
